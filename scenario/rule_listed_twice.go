package scenario

import "fmt"

var listedTwice = Rule{
	Code: "listed-twice", Severity: Error,
	What:    "An operation or a check is listed once; an operation has a weight.",
	Message: `operation "pets.list" is listed twice; first on line 18`,
	Bad: `[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "pets.list" }, { openapi = "pets.list" }]
`,
	Good: `[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "pets.list", weight = 2 }]
`,
}

func (c *checker) checkListedTwice() {
	first := map[string]*value{}
	for _, operation := range c.operations {
		for _, name := range []string{"openapi", "grpc"} {
			if v, ok := operation.get(name); ok {
				c.listedBefore(first, name+" "+v.text, "operation", v)
			}
		}
	}
	if c.assertions == nil || !c.assertions.has("checks") {
		return
	}
	for i := range c.assertions.values["checks"].list {
		if v := &c.assertions.values["checks"].list[i]; v.ok {
			c.listedBefore(first, "check "+v.text, "check", v)
		}
	}
}

func (c *checker) listedBefore(first map[string]*value, id, what string, v *value) {
	before := first[id]
	if before == nil {
		first[id] = v
		return
	}
	c.tell(&listedTwice, v.node.Span, func() string {
		return fmt.Sprintf("%s %q is listed twice; first on line %d", what, v.text, c.line(before.node.Span))
	})
}

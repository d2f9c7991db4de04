package scenario

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

var badOperation = Rule{
	Code: "bad-operation", Severity: Error,
	What:    "`openapi` is an operationId of the connection's contract, not a method and a path, so it has no space; `grpc` is package.Service/Method.",
	Message: `"GET /pets" is not an operationId`,
	Bad: `[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "GET /pets" }]
`,
	Good: `[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "pets.list" }]
`,
}

// grpcMethod is package.Service/Method.
var grpcMethod = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+/[A-Za-z_][A-Za-z0-9_]*$`)

// isOperation tells the name of an operation that cannot be one.
func (c *checker) isOperation(v *value) bool {
	if v.key.kind == kindOpenAPI {
		if v.text != "" && strings.IndexFunc(v.text, unicode.IsSpace) < 0 {
			return true
		}
		c.settled[v.node] = true
		c.tell(&badOperation, v.node.Span, func() string {
			return fmt.Sprintf("%q is not an operationId: write the operationId that the contract gives the operation, such as pets.list", v.text)
		})
		return false
	}
	if grpcMethod.MatchString(v.text) {
		return true
	}
	c.settled[v.node] = true
	c.tell(&badOperation, v.node.Span, func() string {
		return fmt.Sprintf("%q is not a method: write package.Service/Method", v.text)
	})
	return false
}

package scenario

import (
	"time"
)

// model fills the file's meaning from what could be read.
func (c *checker) model() {
	s := &c.file.Scenario
	if v, ok := c.scenario.get("format"); ok {
		s.Format = v.int()
	}
	s.Name, s.Environment = c.scenario.str("name"), c.scenario.str("environment")
	s.Description, s.Skip = c.scenario.str("description"), c.scenario.str("skip")
	if c.targets != nil {
		for _, m := range c.targets.node.Members {
			if v, ok := c.targets.get(m.Name); ok {
				s.Targets = append(s.Targets, Target{Name: m.Name, Connection: v.table.str("connection"), Proxy: v.table.str("proxy")})
			}
		}
	}
	if c.load != nil {
		s.Load = c.modelLoad()
	}
	for _, entry := range c.timeline {
		s.Timeline = append(s.Timeline, modelEntry(entry))
	}
	c.modelAssertions(&s.Assertions)
	if c.objective != nil {
		s.Objective = &Objective{
			SuccessRate: c.objective.float("success_rate"),
			P99:         c.objective.float("p99_ms"),
			Window:      c.objective.time("window"),
		}
	}
}

func (c *checker) modelLoad() *Load {
	l := &Load{
		Target: c.load.str("target"), Rate: c.load.float("rate"),
		Duration: c.load.time("duration"), Warmup: c.load.time("warmup"),
		Pattern: Constant, From: c.load.float("from"),
	}
	if v, ok := c.load.get("max_in_flight"); ok {
		l.MaxInFlight = v.int()
	}
	if v, ok := c.load.get("pattern"); ok {
		l.Pattern = Pattern(v.text)
	}
	if v, ok := c.load.get("steps"); ok {
		l.Steps = v.int()
	}
	for _, section := range c.operations {
		o := Operation{OpenAPI: section.str("openapi"), GRPC: section.str("grpc"), Weight: 1}
		if v, ok := section.get("weight"); ok {
			o.Weight = v.int()
		}
		if v, ok := section.get("expect"); ok {
			for i := range v.list {
				if v.list[i].number != nil {
					o.Statuses = append(o.Statuses, v.list[i].int())
				} else {
					o.Codes = append(o.Codes, v.list[i].text)
				}
			}
		}
		l.Operations = append(l.Operations, o)
	}
	return l
}

// defaultStatus is the HTTP status of an injected error where the file names none.
const defaultStatus = 503

func modelEntry(s *section) Entry {
	e := Entry{
		At: s.time("at"), Action: Action(s.str("action")),
		Target: s.str("target"), For: s.time("for"), Message: s.str("message"),
	}
	v, ok := s.get("fault")
	if !ok {
		return e
	}
	f := v.table
	e.Fault = Fault{
		Type: FaultType(f.str("type")), Latency: f.time("latency"), Jitter: f.time("jitter"), Rate: f.float("rate"),
	}
	if e.Fault.Type == FaultErrors {
		e.Fault.Status = defaultStatus
		if v, ok := f.get("status"); ok {
			e.Fault.Status = v.int()
		}
	}
	return e
}

func (c *checker) modelAssertions(a *Assertions) {
	if c.assertions == nil {
		return
	}
	for _, m := range c.assertions.node.Members {
		v, ok := c.assertions.get(m.Name)
		if !ok {
			continue
		}
		if v.key.kind == kindWords {
			for i := range v.list {
				a.Checks = append(a.Checks, v.list[i].text)
			}
			continue
		}
		f, _ := v.number.Float64()
		a.Limits = append(a.Limits, Limit{Name: LimitName(m.Name), Value: f})
	}
}

func (v *value) int() int { return int(v.number.Num().Int64()) }

// str, float and time are a key's value, or the zero value where it has none.
func (s *section) str(name string) string {
	if v, ok := s.get(name); ok {
		return v.text
	}
	return ""
}

func (s *section) float(name string) float64 {
	if v, ok := s.get(name); ok {
		f, _ := v.number.Float64()
		return f
	}
	return 0
}

func (s *section) time(name string) time.Duration {
	if v, ok := s.get(name); ok {
		return v.duration
	}
	return 0
}

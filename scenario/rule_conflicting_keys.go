package scenario

import "fmt"

var conflictingKeys = Rule{
	Code: "conflicting-keys", Severity: Error,
	What:    "An operation is named by `openapi` or by `grpc`, not by both. The later key is told.",
	Message: "load.operations[0] has both openapi and grpc; keep one",
	Bad: `[load]
target = "api"
rate = 50
duration = "5m"

[[load.operations]]
openapi = "pets.get"
grpc = "pets.v1.PetService/GetPet"
`,
	Good: `[load]
target = "api"
rate = 50
duration = "5m"

[[load.operations]]
grpc = "pets.v1.PetService/GetPet"
`,
}

func (c *checker) tellConflict(s *section) {
	later := s.values["openapi"].member
	if grpc := s.values["grpc"].member; grpc.Key.Start > later.Key.Start {
		later = grpc
	}
	c.tell(&conflictingKeys, later.Key, func() string {
		return fmt.Sprintf("%s has both openapi and grpc; keep one", s.label())
	})
}

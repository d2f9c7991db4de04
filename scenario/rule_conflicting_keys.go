package scenario

import "fmt"

var conflictingKeys = Rule{
	Code: "conflicting-keys", Severity: Error,
	What:    "An operation is named by `openapi` or by `grpc`, not by both. The later key is told.",
	Message: "load.operations[0] has both openapi and grpc; keep one",
	Bad:     "[load]\ntarget = \"api\"\nrate = 50\nduration = \"5m\"\n\n[[load.operations]]\nopenapi = \"pets.get\"\ngrpc = \"pets.v1.PetService/GetPet\"\n",
	Good:    "[load]\ntarget = \"api\"\nrate = 50\nduration = \"5m\"\n\n[[load.operations]]\ngrpc = \"pets.v1.PetService/GetPet\"\n",
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

package agent

import "fmt"

// freeze keeps faults away from a connection whose last fault could not be shown to be
// lifted: a further one would hide it.
func (a *Agent) freeze(connection, why string) {
	a.freezing.Lock()
	defer a.freezing.Unlock()
	if a.frozen == nil {
		a.frozen = map[string]string{}
	}
	a.frozen[connection] = why
}

// Unfreeze lets faults act on a connection again, once a person has seen that none does.
// It is false for a connection that was not frozen.
func (a *Agent) Unfreeze(connection string) bool {
	a.freezing.Lock()
	defer a.freezing.Unlock()
	_, was := a.frozen[connection]
	delete(a.frozen, connection)
	return was
}

func (a *Agent) frozenFor(connection string) (why string, frozen bool) {
	a.freezing.Lock()
	defer a.freezing.Unlock()
	why, frozen = a.frozen[connection]
	return why, frozen
}

// frozen refuses faults on connections that are.
func (c *check) frozen() {
	for i, e := range c.scenario.Timeline {
		on, ok := c.reached[e.Target]
		if !ok {
			continue
		}
		if why, frozen := c.agent.frozenFor(on.Name); frozen {
			c.tell(frozenTarget, fmt.Sprintf("timeline[%d].target", i),
				"connection %q takes no fault until a person has seen that none acts on it: %s", on.Name, why)
		}
	}
}

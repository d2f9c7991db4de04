package load

// mix chooses the operation of each request: in every stretch of as many requests as
// all weights together, each operation comes exactly as often as its weight says, and
// spread over the stretch.
type mix struct {
	weights []int
	sum     int
	credit  []int
}

func newMix(operations []Operation) *mix {
	m := &mix{credit: make([]int, len(operations))}
	for _, o := range operations {
		m.weights = append(m.weights, o.Weight)
		m.sum += o.Weight
	}
	return m
}

// next gives the index of the operation that has waited longest for its share.
func (m *mix) next() int {
	best := 0
	for i, w := range m.weights {
		m.credit[i] += w
		if m.credit[i] > m.credit[best] {
			best = i
		}
	}
	m.credit[best] -= m.sum
	return best
}

// restart begins a new stretch.
func (m *mix) restart() { clear(m.credit) }

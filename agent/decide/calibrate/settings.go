package calibrate

import "fmt"

// Settings are the services and scenarios that the error rates are published for,
// with the bounds that they are held to: a service at its limit is red at most one
// time in twenty, one at 0.8 of it one in a hundred, and one at twice its limit is
// found in 3000 requests.
func Settings() []Setting {
	var all []Setting
	add := func(kind string, slow float64, burst, window int, most, least float64, loads ...[2]int) {
		for _, l := range loads {
			all = append(all, Setting{
				Name: fmt.Sprintf("%s, %d/s for %ds", kind, l[0], l[1]),
				Slow: slow, Burst: burst, Rate: l[0], Seconds: l[1], Window: window,
				MostRed: most, LeastRed: least,
			})
		}
	}
	small, large := [2]int{10, 30}, [2]int{100, 270}
	middle := [][2]int{{10, 100}, {100, 30}, {500, 6}}
	sizes := append([][2]int{small}, append(middle, large)...)
	add("p99, independent", 0.008, 1, 0, 0.01, 0, sizes...)
	add("p99, independent", 0.01, 1, 0, 0.05, 0, sizes...)
	add("p99, independent", 0.02, 1, 0, 1, 0, small)
	add("p99, independent", 0.02, 1, 0, 1, 0.99, [2]int{10, 300}, [2]int{100, 30}, [2]int{500, 6})
	add("p99, bursts of 10", 0.01, 10, 0, 0.05, 0, append([][2]int{{100, 3}, {1, 300}}, sizes...)...)
	add("p99, bursts of 10", 0.02, 10, 0, 1, 0, middle[1], large)
	add("objective over 1m, independent", 0.008, 1, 60, 0.01, 0, [2]int{100, 360})
	add("objective over 1m, independent", 0.01, 1, 60, 0.05, 0, [2]int{10, 360}, [2]int{100, 360})
	add("objective over 1m, independent", 0.02, 1, 60, 1, 0.99, [2]int{100, 360})
	add("objective over 1m, bursts of 10", 0.01, 10, 60, 0.05, 0, [2]int{10, 360}, [2]int{100, 360})
	return all
}

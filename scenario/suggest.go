package scenario

import "strings"

// closest is the one word that a text was probably meant to be, or nothing: none is
// near, or several are equally so. Case does not count. A short text may differ by one
// letter, a longer one by a third of them; two letters swapped are one difference.
func closest(text string, words []string) string {
	best, meant := len(text)+1, ""
	folded := strings.ToLower(text)
	for _, word := range words {
		limit := 1
		if n := max(len(text), len(word)); n > 4 {
			limit = (n + 1) / 3
		}
		// A length that differs by more is more differences too.
		if len(word) > len(text)+4*limit || len(text) > 4*(len(word)+limit) {
			continue
		}
		switch d := distance(folded, strings.ToLower(word)); {
		case d > limit:
		case d < best:
			best, meant = d, word
		case d == best:
			meant = ""
		}
	}
	return meant
}

// distance is the number of code points to insert, drop, change or swap with their
// neighbour.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before, last []int
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(x); i++ {
		before, last, row = last, row, make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(y)]
}

// list writes words as a list.
func list(words []string) string { return strings.Join(words, ", ") }

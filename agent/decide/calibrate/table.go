package calibrate

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Write prints the rows as a text table. A run is missed where the service is over
// its limit and the run passes.
func Write(w io.Writer, rows []Row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "setting\trequests\ttruly slow\truns\tred\tborderline\tpassed\tmissed\tundecided\tbound\tresult")
	for _, r := range rows {
		missed := "-"
		if r.Setting.Slow > 0.01 {
			missed = percent(r.share(r.Green))
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			r.Setting.Name, r.Setting.Requests(), percent(r.Setting.Slow), r.Runs,
			percent(r.share(r.Red)), percent(r.share(r.Borderline)), percent(r.share(r.Green)), missed,
			percent(r.share(r.Undecided)), bound(r.Setting), kept(bound(r.Setting) != "-", r.Kept()))
	}
	return t.Flush()
}

func bound(s Setting) string {
	switch {
	case s.LeastRed > 0:
		return "red >= " + percent(s.LeastRed)
	case s.MostRed < 1:
		return "red <= " + percent(s.MostRed)
	}
	return "-"
}

func kept(promised, kept bool) string {
	switch {
	case !promised:
		return "-"
	case kept:
		return "kept"
	}
	return "BROKEN"
}

// WriteBreaches prints when each case breaks its objective, computed and told, in
// seconds of the run.
func WriteBreaches(w io.Writer, cases []BreachCase) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "time to breach\tbegins\tcomputed\ttold\tresult")
	for _, c := range cases {
		computed, told := c.Computed(), c.Told()
		fmt.Fprintf(t, "%s\t%ds\t%s\t%s\t%s\n", c.Name, c.From, moment(computed), moment(told),
			kept(true, computed == told))
	}
	return t.Flush()
}

func moment(second int) string {
	if second == 0 {
		return "never"
	}
	return fmt.Sprintf("%ds", second)
}

func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }

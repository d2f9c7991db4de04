package decide_test

import (
	"strings"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/agent/decide"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// staged is a scenario of 5m30s with 30s warm-up at 100 requests a second, an
// objective over 1m, and a fault from 2m to 3m of the run: seconds 90 to 150 of the
// measured time.
func staged() *scenario.Scenario {
	s := plan(330, 100)
	s.Load.Warmup = 30 * time.Second
	s.Timeline = []scenario.Entry{
		{At: 0, Action: scenario.ActionLog, Message: "start"},
		{At: 2 * time.Minute, Action: scenario.ActionFault, Target: "engine", For: time.Minute,
			Fault: scenario.Fault{Type: scenario.FaultLatency, Latency: 500 * time.Millisecond}},
	}
	s.Objective = &scenario.Objective{SuccessRate: 0.99, P99: 400, Window: time.Minute}
	return s
}

func TestBreach(t *testing.T) {
	s := staged()
	j := judge(s, flat(300, 100, 20).set(90, 150, 100, 520))
	wantOutcome(t, j, run.OutcomeBreach)
	b := j.Objective.Breach
	if b == nil {
		t.Fatal("no breach")
	}
	// 60 of the 6000 requests of a window may be slow: the first second of the fault
	// makes 100.
	if b.AtMs != 121_000 || b.AfterMeasuringMs != 91_000 || b.WindowFromMs != 61_000 {
		t.Errorf("breach at %d, %d after the warm-up, window from %d", b.AtMs, b.AfterMeasuringMs, b.WindowFromMs)
	}
	if b.Fault == nil || *b.Fault != 1 || b.AfterFaultMs == nil || *b.AfterFaultMs != 1000 {
		t.Errorf("fault %v after %v", b.Fault, b.AfterFaultMs)
	}
	if b.Part != "p99_ms" || b.Limit != 400 || b.Value != 520 || b.Samples != 6000 {
		t.Errorf("%+v", b)
	}
	if j.Objective.Windows != 241 || j.Objective.WindowMs != 60_000 || j.Objective.Decision != run.DecisionFail {
		t.Errorf("%+v", j.Objective)
	}
	if *j.Objective.WorstP99Ms != 520 || *j.Objective.WorstSuccessRate != 1 {
		t.Errorf("worst p99 %v, worst success rate %v", *j.Objective.WorstP99Ms, *j.Objective.WorstSuccessRate)
	}
	for _, w := range []string{"p99_ms broke 2m1s after the start and 1s after the start of the fault on engine", "p99 520 ms", "1.667 % of 6000 requests"} {
		if !strings.Contains(j.Reason, w) {
			t.Errorf("reason %q lacks %q", j.Reason, w)
		}
	}
}

func TestBreachOfSuccessRate(t *testing.T) {
	j := judge(staged(), flat(300, 100, 20).set(90, 150, 100, never))
	b := j.Objective.Breach
	if b == nil || b.Part != "success_rate" || b.AtMs != 121_000 || b.Limit != 0.99 || b.Value != 1-100.0/6000 {
		t.Fatalf("%+v (%s)", b, j.Reason)
	}
}

func TestBreachWithoutFault(t *testing.T) {
	s := staged()
	j := judge(s, flat(300, 100, 20).set(200, 300, 100, 520)) // over since 3m50s; the fault ended at 3m
	b := j.Objective.Breach
	if b == nil || b.AtMs != 231_000 {
		t.Fatalf("%+v (%s)", b, j.Reason)
	}
	if b.Fault == nil || *b.Fault != 1 { // the window since 2m51s still overlaps it
		t.Errorf("fault %v", b.Fault)
	}
	s.Timeline = s.Timeline[:1]
	b = judge(s, flat(300, 100, 20).set(200, 300, 100, 520)).Objective.Breach
	if b == nil || b.AtMs != 231_000 || b.Fault != nil || b.AfterFaultMs != nil {
		t.Errorf("%+v", b)
	}
}

func TestBreachNamesTheLatestFault(t *testing.T) {
	s := staged()
	s.Timeline = append(s.Timeline,
		scenario.Entry{At: 110 * time.Second, Action: scenario.ActionFault, Target: "api", For: time.Second},
		scenario.Entry{At: 150 * time.Second, Action: scenario.ActionFault, Target: "api", For: time.Second})
	b := judge(s, flat(300, 100, 20).set(90, 150, 100, 520)).Objective.Breach
	if b == nil || b.AtMs != 121_000 || b.Fault == nil || *b.Fault != 1 {
		t.Errorf("%+v", b)
	}
}

func TestBreachInTheFirstWindow(t *testing.T) {
	b := judge(staged(), flat(300, 100, 520)).Objective.Breach
	if b == nil || b.AtMs != 90_000 || b.AfterMeasuringMs != 60_000 || b.WindowFromMs != 30_000 || b.Fault != nil {
		t.Errorf("%+v", b)
	}
}

func TestBreachBeforeAnAbortIsKept(t *testing.T) {
	s := staged()
	j := judge(s, flat(92, 100, 20).set(90, 92, 100, 520))
	wantOutcome(t, j, run.OutcomeBreach)
	if j.Objective.Breach.AtMs != 121_000 {
		t.Errorf("%+v", j.Objective.Breach)
	}
	wantOutcome(t, judge(s, flat(92, 100, 20)), run.OutcomeInconclusive)
	m := flat(92, 100, 20).set(90, 92, 100, 520).look(s)
	m.Late = 1000 // what such a generator saw is no evidence
	j = decide.Judge(s, []decide.Measurements{m})
	wantOutcome(t, j, run.OutcomeInconclusive)
	if j.Objective.Breach != nil {
		t.Errorf("%+v", j.Objective.Breach)
	}
}

func TestObjectivePasses(t *testing.T) {
	j := judge(staged(), flat(300, 100, 20).set(0, 300, 1, 500)) // exactly 1 % in each window
	wantOutcome(t, j, run.OutcomePass)
	if j.Objective.Suspect != 0 || j.Objective.Breach != nil || *j.Objective.WorstP99Ms != 20 {
		t.Errorf("%+v", j.Objective)
	}
}

func TestObjectiveBorderline(t *testing.T) {
	tr := flat(300, 100, 20).set(0, 300, 1, 500)
	tr.set(150, 153, 3, 500) // 6 more
	j := judge(staged(), tr)
	wantOutcome(t, j, run.OutcomeBorderline)
	if j.Objective.Suspect != 62 {
		t.Errorf("%d windows are suspect", j.Objective.Suspect)
	}
	for _, w := range []string{"62 of 241 windows are over p99_ms", "p99 500 ms", "1.1 % of 6000 requests were above 400 ms", "95 % interval", "1 run", "would decide"} {
		if !strings.Contains(j.Reason, w) {
			t.Errorf("reason %q lacks %q", j.Reason, w)
		}
	}
}

func TestObjectiveUndecided(t *testing.T) {
	long := staged()
	long.Objective.Window = 301 * time.Second
	thin := staged()
	thin.Objective.SuccessRate = 0.9999
	for _, c := range []struct {
		s    *scenario.Scenario
		says string
	}{
		{long, "no whole window of 5m1s was measured: the measured time is 5m"},
		{thin, "a success rate of 99.99 % needs at least 30000 measured requests in a window of 1m; in the fullest 6000 were measured"},
	} {
		j := judge(c.s, flat(300, 100, 20))
		wantOutcome(t, j, run.OutcomeInconclusive)
		if !strings.Contains(j.Reason, c.says) {
			t.Errorf("reason %q lacks %q", j.Reason, c.says)
		}
	}
}

func TestPooledWindows(t *testing.T) {
	s := staged()
	suspect := flat(300, 100, 20).set(0, 300, 1, 500).set(150, 153, 3, 500)
	wantOutcome(t, judge(s, suspect, flat(300, 100, 20)), run.OutcomePass)
	// The same offset again and more of it: certain together.
	worse := flat(300, 100, 20).set(0, 300, 1, 500).set(140, 190, 4, 500)
	j := judge(s, suspect, worse)
	wantOutcome(t, j, run.OutcomeBreach)
	if b := j.Objective.Breach; b.Samples != 12000 || b.Value != 500 {
		t.Errorf("%+v", b)
	}
}

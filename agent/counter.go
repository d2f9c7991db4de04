package agent

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Counter is where a service tells how many requests it has seen: a counter in the text
// format of Prometheus.
type Counter struct {
	// Path is asked with GET, such as /metrics.
	Path string `toml:"path"`
	// Address is the URL that the path belongs to, where the counter is not at the
	// connection's; as that, it is in no answer, record or message.
	Address string `toml:"address"`
	// Metric is the counter's name, such as http_requests_total. All its series with
	// the labels are added up.
	Metric string `toml:"metric"`
	// Labels that a series must have to be counted; absent means all are.
	Labels map[string]string `toml:"labels"`
}

// Problems are what is wrong with it by itself.
func (c *Counter) Problems() (all []Problem) {
	if !strings.HasPrefix(c.Path, "/") {
		all = tell(all, "path", "must begin with a slash, such as /metrics")
	}
	if !model.UTF8Validation.IsValidMetricName(c.Metric) {
		all = tell(all, "metric", "must be the name of a counter, such as http_requests_total")
	}
	if c.Address != "" {
		if _, _, err := parseAddress(ProtocolHTTP, c.Address); err != nil {
			all = tell(all, "address", "%s", err)
		}
	}
	return all
}

// mostMetrics bounds what is read of a service's metrics, in bytes.
const mostMetrics = 16 << 20

// counted reads the connection's counter. Errors say no address.
func (c *connection) counted(ctx context.Context, limit time.Duration) (float64, error) {
	if c.Counter == nil {
		return 0, errors.New("the connection has no counter")
	}
	base := c.base
	if c.Counter.Address != "" {
		other, err := url.Parse(c.Counter.Address)
		if err != nil {
			return 0, errors.New("the counter's address is not a URL")
		}
		base = other
	}
	target := base.JoinPath(c.Counter.Path)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return 0, errors.New("the counter cannot be asked for")
	}
	if c.credential != "" && base == c.base {
		request.Header.Set("Authorization", "Bearer "+c.credential)
	}
	answer, err := onceClient(limit).Do(request)
	if err != nil {
		return 0, errors.New("the counter " + failure(err, limit))
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return 0, errors.New("the counter was refused with " + http.StatusText(answer.StatusCode))
	}
	return c.Counter.sum(io.LimitReader(answer.Body, mostMetrics))
}

// sum adds up the series of the metric that have the labels.
func (c *Counter) sum(text io.Reader) (float64, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		return 0, errors.New("the counter's answer is not the text format of Prometheus")
	}
	family, ok := families[c.Metric]
	if !ok {
		return 0, errors.New("the service has no metric " + c.Metric)
	}
	var sum float64
	for _, m := range family.Metric {
		if !c.wants(m) {
			continue
		}
		switch {
		case m.Counter != nil:
			sum += m.Counter.GetValue()
		case m.Untyped != nil:
			sum += m.Untyped.GetValue()
		case m.Histogram != nil:
			sum += float64(m.Histogram.GetSampleCount())
		case m.Summary != nil:
			sum += float64(m.Summary.GetSampleCount())
		default:
			return 0, errors.New("the metric " + c.Metric + " is no counter")
		}
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, errors.New("the metric " + c.Metric + " is no number")
	}
	return sum, nil
}

func (c *Counter) wants(m *dto.Metric) bool {
	has := 0
	for _, l := range m.Label {
		if value, ok := c.Labels[l.GetName()]; ok && value == l.GetValue() {
			has++
		}
	}
	return has == len(c.Labels)
}

// countFrom reads the counter of the load's target before a load, where the scenario asks
// for what it counts. done reads it again and gives what the service counted of the
// requests that were measured: those of the warm-up that reached it are taken off. It is
// nil where the counter could not be read, or began anew in the meantime.
func (e *execution) countFrom(ctx context.Context, c *connection) (done func(warmup int64) *int64) {
	unknown := func(int64) *int64 { return nil }
	if c.Counter == nil {
		return unknown
	}
	limit := e.agent.policy.RequestTimeout
	before, err := c.counted(ctx, limit)
	if err != nil {
		e.log("connection " + c.Name + ": " + err.Error())
		return unknown
	}
	return func(warmup int64) *int64 {
		after, err := c.counted(ctx, limit)
		if err == nil && after < before {
			err = errors.New("the counter began anew while the load was sent")
		}
		if err != nil {
			e.log("connection " + c.Name + ": " + err.Error())
			return nil
		}
		n := max(int64(math.Round(after-before))-warmup, 0)
		return &n
	}
}

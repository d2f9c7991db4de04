package fault

import (
	"math"
	"net/url"
	"slices"
	"time"
)

// distanceFromUniform is the Kolmogorov-Smirnov statistic.
func distanceFromUniform(d []time.Duration, low, high time.Duration) float64 {
	d = slices.Sorted(slices.Values(d))
	worst, n := 0.0, float64(len(d))
	for i, x := range d {
		f := min(1, max(0, float64(x-low)/float64(high-low)))
		worst = max(worst, math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n))
	}
	return worst
}

func schemed(u *url.URL, scheme string) *url.URL {
	c := *u
	c.Scheme = scheme
	return &c
}

func hosted(u *url.URL, host string) *url.URL {
	c := *u
	c.Host = host
	return &c
}

func schemedHost(scheme, host string) *url.URL { return &url.URL{Scheme: scheme, Host: host} }

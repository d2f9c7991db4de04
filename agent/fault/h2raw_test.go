package fault

import (
	"bytes"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/inorbit-hr/reliability/scenario"
)

// h2side speaks frames by hand.
type h2side struct {
	t *testing.T
	*http2.Framer
	enc   *hpack.Encoder
	block bytes.Buffer
}

func newH2side(t *testing.T, c net.Conn) *h2side {
	s := &h2side{t: t, Framer: http2.NewFramer(c, c)}
	s.enc = hpack.NewEncoder(&s.block)
	s.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	return s
}

func (s *h2side) head(stream uint32, end bool, pairs ...string) {
	s.t.Helper()
	s.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		_ = s.enc.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	err := s.WriteHeaders(http2.HeadersFrameParam{
		StreamID: stream, BlockFragment: s.block.Bytes(), EndStream: end, EndHeaders: true, PadLength: 3,
		Priority: http2.PriorityParam{StreamDep: 0, Weight: 9},
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *h2side) request(stream uint32, end bool) {
	s.t.Helper()
	s.head(stream, end, ":method", "POST", ":scheme", "http", ":path", "/", ":authority", "x", "x-same", "again")
}

// next returns the next frame, which has to be of type F.
func next[F http2.Frame](s *h2side) F {
	s.t.Helper()
	f, err := s.ReadFrame()
	if err != nil {
		s.t.Fatal(err)
	}
	want, ok := f.(F)
	if !ok {
		s.t.Fatalf("read %v; want %T", f, want)
	}
	return want
}

// meet connects a client and a service through a proxy, past their settings.
func meet(t *testing.T, p *Proxy, s *service) (client, serv *h2side, c net.Conn) {
	t.Helper()
	c = p.connect(t)
	send(t, c, http2.ClientPreface)
	client = newH2side(t, c)
	if err := client.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	up := s.accept()
	receive(t, up, http2.ClientPreface)
	serv = newH2side(t, up)
	got := next[*http2.SettingsFrame](serv)
	if v, _ := got.Value(http2.SettingHeaderTableSize); v != h2MaxTable {
		t.Errorf("the service is told of a table of %d bytes", v)
	}
	if v, ok := got.Value(http2.SettingEnablePush); !ok || v != 0 {
		t.Error("the service may push")
	}
	if err := serv.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1<<24 - 1}); err != nil {
		t.Fatal(err)
	}
	if v, _ := next[*http2.SettingsFrame](client).Value(http2.SettingMaxFrameSize); v != h2MaxFrame {
		t.Errorf("the client is told of frames of %d bytes", v)
	}
	if err := client.WriteSettingsAck(); err != nil {
		t.Fatal(err)
	}
	if !next[*http2.SettingsFrame](serv).IsAck() {
		t.Error("the acknowledgement did not come")
	}
	return client, serv, c
}

func TestH2StreamsAreNumberedAnew(t *testing.T) {
	s := newService(t)
	clock := newFakeClock()
	p := newProxy(t, s.url("http"), clock)
	p.Prepare(scenario.FaultErrors)
	client, serv, _ := meet(t, p, s)

	a := apply(t, p, scenario.Fault{Type: scenario.FaultErrors, Rate: 1})
	client.request(1, false)
	if f := next[*http2.MetaHeadersFrame](client); f.StreamID != 1 || f.PseudoValue("status") != "503" || !f.StreamEnded() {
		t.Errorf("%v", f)
	}
	if f := next[*http2.RSTStreamFrame](client); f.StreamID != 1 || f.ErrCode != http2.ErrCodeNo {
		t.Errorf("%v", f)
	}
	// What still comes of the body goes nowhere, and its room is given back.
	if err := client.WriteData(1, false, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	if f := next[*http2.WindowUpdateFrame](client); f.StreamID != 0 || f.Increment != 1000 {
		t.Errorf("%v", f)
	}
	client.head(1, true, "x-trailer", "late")
	a.Lift()

	slow := apply(t, p, scenario.Fault{Type: scenario.FaultLatency, Latency: time.Second})
	client.request(3, false)
	clock.awaitTimers(2)
	for _, write := range []error{
		client.WriteData(3, false, []byte("held")),
		client.WriteWindowUpdate(3, 77),
		client.WritePriority(3, http2.PriorityParam{StreamDep: 1}),
		client.WritePing(false, [8]byte{1}),
	} {
		if write != nil {
			t.Fatal(write)
		}
	}
	if f := next[*http2.PingFrame](serv); f.IsAck() { // a ping is not delayed
		t.Errorf("%v", f)
	}
	client.head(3, true, "x-trailer", "kept")
	slow.Lift()
	// The service's first stream is 1, with all that was held, in order.
	if f := next[*http2.MetaHeadersFrame](serv); f.StreamID != 1 || f.StreamEnded() || f.HasPriority() || len(f.Fields) != 5 {
		t.Errorf("%v", f)
	}
	if f := next[*http2.DataFrame](serv); f.StreamID != 1 || string(f.Data()) != "held" {
		t.Errorf("%v", f)
	}
	if f := next[*http2.WindowUpdateFrame](serv); f.StreamID != 1 || f.Increment != 77 {
		t.Errorf("%v", f)
	}
	if f := next[*http2.MetaHeadersFrame](serv); f.StreamID != 1 || !f.StreamEnded() || f.Fields[0].Value != "kept" {
		t.Errorf("%v", f)
	}
	serv.head(1, false, ":status", "200", "x-same", "again")
	if f := next[*http2.MetaHeadersFrame](client); f.StreamID != 3 || f.StreamEnded() {
		t.Errorf("%v", f)
	}
	if err := serv.WriteDataPadded(1, true, []byte("answer"), []byte{0, 0}); err != nil {
		t.Fatal(err)
	}
	if f := next[*http2.DataFrame](client); f.StreamID != 3 || f.Length != 9 || !f.StreamEnded() {
		t.Errorf("%v", f)
	}
}

func TestH2ResetsPassBothWays(t *testing.T) {
	s := newService(t)
	p := newProxy(t, s.url("http"), nil)
	p.Prepare(scenario.FaultErrors)
	client, serv, _ := meet(t, p, s)
	client.request(5, true)
	client.request(7, true)
	next[*http2.MetaHeadersFrame](serv)
	next[*http2.MetaHeadersFrame](serv)
	if err := serv.WriteRSTStream(3, http2.ErrCodeEnhanceYourCalm); err != nil {
		t.Fatal(err)
	}
	if f := next[*http2.RSTStreamFrame](client); f.StreamID != 7 || f.ErrCode != http2.ErrCodeEnhanceYourCalm {
		t.Errorf("%v", f)
	}
	if err := client.WriteRSTStream(5, http2.ErrCodeCancel); err != nil {
		t.Fatal(err)
	}
	if f := next[*http2.RSTStreamFrame](serv); f.StreamID != 1 || f.ErrCode != http2.ErrCodeCancel {
		t.Errorf("%v", f)
	}
	// What the service had on the way already: decoded, dropped, its room given back.
	serv.head(1, false, ":status", "200", "x-new", "in the table")
	if err := serv.WriteData(1, true, make([]byte, 50)); err != nil {
		t.Fatal(err)
	}
	if f := next[*http2.WindowUpdateFrame](serv); f.StreamID != 0 || f.Increment != 50 {
		t.Errorf("%v", f)
	}
	client.request(9, true)
	next[*http2.MetaHeadersFrame](serv)
	serv.head(5, true, ":status", "200", "x-new", "in the table")
	if f := next[*http2.MetaHeadersFrame](client); f.StreamID != 9 || len(f.Fields) != 2 || f.Fields[1].Value != "in the table" {
		t.Errorf("%v", f)
	}
}

func TestH2GoAwayRefusesWhatTheServiceDidNotSee(t *testing.T) {
	s := newService(t)
	clock := newFakeClock()
	p := newProxy(t, s.url("http"), clock)
	p.Prepare(scenario.FaultLatency)
	client, serv, c := meet(t, p, s)
	client.request(1, true)
	client.request(3, true)
	next[*http2.MetaHeadersFrame](serv)
	next[*http2.MetaHeadersFrame](serv)
	slow := apply(t, p, scenario.Fault{Type: scenario.FaultLatency, Latency: time.Second})
	client.request(5, true)
	clock.awaitTimers(2)
	if err := serv.WriteGoAway(1, http2.ErrCodeNo, []byte("why")); err != nil {
		t.Fatal(err)
	}
	if f := next[*http2.RSTStreamFrame](client); f.StreamID != 3 || f.ErrCode != http2.ErrCodeRefusedStream {
		t.Errorf("%v", f)
	}
	if f := next[*http2.GoAwayFrame](client); f.LastStreamID != 5 || string(f.DebugData()) != "why" {
		t.Errorf("%v", f)
	}
	slow.Lift()
	if f := next[*http2.RSTStreamFrame](client); f.StreamID != 5 || f.ErrCode != http2.ErrCodeRefusedStream {
		t.Errorf("%v", f)
	}
	client.request(7, true)
	if f := next[*http2.RSTStreamFrame](client); f.StreamID != 7 || f.ErrCode != http2.ErrCodeRefusedStream {
		t.Errorf("%v", f)
	}
	serv.head(1, true, ":status", "200")
	if f := next[*http2.MetaHeadersFrame](client); f.StreamID != 1 {
		t.Errorf("%v", f)
	}
	_ = c.Close()
	if f, err := serv.ReadFrame(); err == nil {
		t.Errorf("the service saw %v", f)
	}
}

// A fault that answers before the service has greeted would break the connection.
func TestH2NothingIsInjectedBeforeTheServicesSettings(t *testing.T) {
	s := newService(t)
	p := newProxy(t, s.url("http"), nil)
	apply(t, p, scenario.Fault{Type: scenario.FaultErrors, Rate: 1})
	c := p.connect(t)
	send(t, c, http2.ClientPreface)
	client := newH2side(t, c)
	if err := client.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	client.request(1, true)
	up := s.accept()
	receive(t, up, http2.ClientPreface)
	serv := newH2side(t, up)
	next[*http2.SettingsFrame](serv)
	if err := serv.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	next[*http2.SettingsFrame](client)
	if f := next[*http2.MetaHeadersFrame](client); f.PseudoValue("status") != "503" {
		t.Errorf("%v", f)
	}
}

// More than what is held at most for a delayed request: the client has to wait, and
// nothing is lost.
func TestH2HeldBytesAreBounded(t *testing.T) {
	s := newService(t)
	clock := newFakeClock()
	p := newProxy(t, s.url("http"), clock)
	p.Prepare(scenario.FaultLatency)
	client, serv, c := meet(t, p, s)
	slow := apply(t, p, scenario.Fault{Type: scenario.FaultLatency, Latency: time.Second})
	client.request(1, false)
	clock.awaitTimers(2)
	const size = 64 << 10
	const frames = 4 * h2MaxHeld / size // beyond the kernel's buffers too
	all := appendFrame(nil, h2frame{kind: http2.FrameData, stream: 1, payload: make([]byte, size)})
	all = bytes.Repeat(all, frames)
	_ = c.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
	n, err := c.Write(all)
	if err == nil {
		t.Fatalf("all of %d bytes were taken for a request that is delayed", len(all))
	}
	_ = c.SetWriteDeadline(time.Now().Add(guard))
	sent := make(chan error, 1)
	go func() {
		_, err := c.Write(all[n:])
		sent <- err
	}()
	slow.Lift()
	next[*http2.MetaHeadersFrame](serv)
	serv.SetMaxReadFrameSize(1 << 20)
	for range frames {
		next[*http2.DataFrame](serv)
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
}

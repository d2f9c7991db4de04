package agent

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inorbit-hr/reliability/agent/contract"
	"github.com/inorbit-hr/reliability/agent/fault"
	"github.com/inorbit-hr/reliability/scenario"
)

// The protocols that a connection may speak.
const (
	ProtocolHTTP = "http"
	ProtocolGRPC = "grpc"
	ProtocolTCP  = "tcp"
)

// Protocols that a connection may speak. Load and surface checks are for http alone.
var Protocols = []string{ProtocolHTTP, ProtocolGRPC, ProtocolTCP}

// Connection is what the operator has connected: scenarios say its name, only the agent
// knows its address.
type Connection struct {
	// Name that scenarios call it by.
	Name string
	// Environment it belongs to; required.
	Environment string `toml:"environment"`
	// Protocol it speaks: http, grpc or tcp; required.
	Protocol string `toml:"protocol"`
	// Address of the service, such as "http://127.0.0.1:8080"; required. For grpc it is
	// such as "grpc://127.0.0.1:9090", or grpcs with TLS, for tcp "tcp://127.0.0.1:5432".
	// It is in no answer, record or message. A path in it stands in front of the
	// contract's paths, in place of the path of the contract's server.
	Address string `toml:"address"`
	// Contract is the path of its OpenAPI document; required for http, which alone
	// has one.
	Contract string `toml:"contract"`
	// Agent that works on it. A file of one agent need not say it.
	Agent string `toml:"agent"`
	// CredentialEnv is the name of an environment variable that holds a bearer token
	// for the service; absent means requests carry none.
	CredentialEnv string `toml:"credential_env"`
	// CredentialFile is the path of a file on the agent's machine that holds the token
	// instead, such as a mounted secret.
	CredentialFile string `toml:"credential_file"`
	// Revision is where the service tells which revision of it runs, such as
	// { header = "Service-Revision" } or { path = "/version" }; absent means that it
	// does not.
	Revision *Revision `toml:"revision"`
	// Counter is where the service counts its requests, such as
	// { path = "/metrics", metric = "http_requests_total" }; absent means nowhere.
	Counter *Counter `toml:"counter"`
	// Proxy is the agent's listener in front of the connection, where faults act;
	// absent means there is none.
	Proxy *Proxy `toml:"proxy"`
}

// Proxy is proxy = { name, listen } of a connection.
type Proxy struct {
	// Name that scenarios call the listener by; required, one of a kind.
	Name string `toml:"name"`
	// Listen is the address of the listener, such as "127.0.0.1:9081"; required.
	// Callers of the service are pointed at it. Port 0 takes a free one.
	Listen string `toml:"listen"`
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Problems are what is wrong with the connection by itself, with keys such as address;
// a problem of its name has an empty key.
func (c *Connection) Problems() (all []Problem) {
	all = name(all, "", c.Name)
	all = name(all, "environment", c.Environment)
	switch {
	case c.Protocol == "":
		all = tell(all, "protocol", "missing or empty")
	case !slices.Contains(Protocols, c.Protocol):
		all = tell(all, "protocol", "unknown protocol %q; one of: %s", c.Protocol, strings.Join(Protocols, ", "))
	default:
		if _, _, err := parseAddress(c.Protocol, c.Address); err != nil {
			all = tell(all, "address", "%s", err)
		}
		switch {
		case c.Protocol == ProtocolHTTP && c.Contract == "":
			all = tell(all, "contract", "missing or empty: name the OpenAPI document of the service")
		case c.Protocol != ProtocolHTTP && c.Contract != "":
			all = tell(all, "contract", "belongs to protocol http, not to %s; leave it out", c.Protocol)
		}
	}
	if c.CredentialEnv != "" && !variableName.MatchString(c.CredentialEnv) {
		all = tell(all, "credential_env", "must be the name of an environment variable, such as API_TOKEN")
	}
	if problem := c.CredentialFileProblem(); problem != "" {
		all = tell(all, "credential_file", "%s", problem)
	}
	if c.Revision != nil {
		all = under(all, "revision", c.Revision.Problems())
		if c.Protocol != ProtocolHTTP {
			all = tell(all, "revision", "belongs to protocol http, not to %s; leave it out", c.Protocol)
		}
	}
	if c.Counter != nil {
		all = under(all, "counter", c.Counter.Problems())
		if c.Protocol != ProtocolHTTP {
			all = tell(all, "counter", "belongs to protocol http, not to %s; leave it out", c.Protocol)
		}
	}
	if c.Proxy != nil {
		all = name(all, "proxy.name", c.Proxy.Name)
		if err := checkListen(c.Proxy.Listen); err != nil {
			all = tell(all, "proxy.listen", "%s", err)
		}
	}
	return all
}

func name(all []Problem, key, text string) []Problem {
	switch {
	case text == "":
		return tell(all, key, "missing or empty")
	case !scenario.ValidName(text):
		return tell(all, key, "%q is not a name: use lower-case letters, digits and single hyphens, a letter first", text)
	}
	return all
}

// addresses are the schemes of the addresses of a protocol, and an example.
var addresses = map[string]struct {
	schemes []string
	example string
}{
	ProtocolHTTP: {[]string{"http", "https"}, "http://127.0.0.1:8080"},
	ProtocolGRPC: {[]string{"grpc", "grpcs"}, "grpc://127.0.0.1:9090"},
	ProtocolTCP:  {[]string{"tcp"}, "tcp://127.0.0.1:5432"},
}

// parseAddress gives an address without its path, and the path, escaped and without a
// slash at its end. Its errors never repeat the address.
func parseAddress(protocol, address string) (base *url.URL, path string, err error) {
	kind := addresses[protocol]
	example := kind.example
	if address == "" {
		return nil, "", fmt.Errorf("missing or empty: write such as %q", example)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, "", fmt.Errorf("must be a URL such as %q", example)
	}
	path = strings.TrimRight(u.EscapedPath(), "/")
	switch {
	case !slices.Contains(kind.schemes, u.Scheme) || u.Hostname() == "" || u.Opaque != "":
		return nil, "", fmt.Errorf("must be a URL such as %q", example)
	case u.User != nil:
		return nil, "", errors.New("holds a credential; put it into an environment variable and name that in credential_env")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, "", errors.New("must end behind the path: no query and no fragment")
	case path != "" && protocol != ProtocolHTTP:
		return nil, "", fmt.Errorf("must end behind the port: %s has no path", protocol)
	case u.Port() == "" && (protocol != ProtocolHTTP || strings.HasSuffix(u.Host, ":")):
		return nil, "", errors.New("names no port")
	case u.Port() != "" && !isPort(u.Port()):
		return nil, "", errors.New("has no port from 1 to 65535")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, path, nil
}

func checkListen(listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || host == "" || !isPort(port) && port != "0" {
		return errors.New(`must be an address and a port, such as "127.0.0.1:9081"`)
	}
	return nil
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

// connection is a connection that is ready for work.
type connection struct {
	Connection
	base       *url.URL           // scheme, host and port; requests have the whole path
	contract   *contract.Contract // nil where the protocol has none
	proxy      *fault.Proxy       // nil where there is none
	credential string             // a bearer token; empty without one
}

// newConnection parses the address and reads contract and credential; it opens nothing.
func newConnection(cfg *Config, c Connection) (*connection, error) {
	ready := &connection{Connection: c}
	base, path, err := parseAddress(c.Protocol, c.Address)
	if err != nil {
		return nil, fmt.Errorf("connection %s: address %w", c.Name, err)
	}
	ready.base = base
	if c.Protocol == ProtocolHTTP {
		source, err := cfg.Read(c.Contract)
		if err != nil {
			return nil, fmt.Errorf("connection %s: read contract %s: %w", c.Name, c.Contract, err)
		}
		ready.contract, err = contract.Read(source)
		if err != nil {
			return nil, fmt.Errorf("connection %s: contract %s: %w", c.Name, c.Contract, err)
		}
		if path != "" {
			ready.contract = ready.contract.At(path)
		}
	}
	if ready.credential, err = readCredential(c, cfg.Getenv); err != nil {
		return nil, fmt.Errorf("connection %s: %w", c.Name, err)
	}
	return ready, nil
}

// surfaces are the operations that the surface check may send: they change nothing, and
// the contract has requests for them.
func (c *connection) surfaces() []*contract.Operation {
	var all []*contract.Operation
	if c.contract == nil {
		return nil
	}
	for _, id := range c.contract.Operations() {
		o, _ := c.contract.Operation(id)
		if !o.Safe() {
			continue
		}
		if _, err := o.Requests(); err == nil {
			all = append(all, o)
		}
	}
	return all
}

module github.com/inorbit-hr/reliability

go 1.26.8

require github.com/pelletier/go-toml/v2 v2.4.3

require (
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/toml-lang/toml-test/v2 v2.2.0
	go.uber.org/goleak v1.3.0
	golang.org/x/net v0.62.0
	golang.org/x/text v0.44.0
	pgregory.net/rapid v1.3.0
)

require github.com/BurntSushi/toml v1.6.0 // indirect

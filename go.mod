module github.com/inorbit-hr/reliability

go 1.26.8

require github.com/pelletier/go-toml/v2 v2.4.3

require (
	golang.org/x/net v0.62.0
	golang.org/x/text v0.44.0
)

require pgregory.net/rapid v1.3.0

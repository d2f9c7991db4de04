package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"iohr": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			os.Exit(execute(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
		},
	})
}

// TestScripts runs every script in testdata/script with the real command.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			env.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				env.Setenv("GIT_"+who+"_NAME", "a")
				env.Setenv("GIT_"+who+"_EMAIL", "a@localhost")
			}
			return freePorts(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"listen":   listen,
			"template": fillTemplate,
		},
	})
}

// freePorts gives a script addresses that nobody listens on.
func freePorts(env *testscript.Env) error {
	for _, name := range []string{"FREE1", "FREE2", "FREE3"} {
		address, err := freeAddress(context.Background())
		if err != nil {
			return err
		}
		env.Setenv(name, address)
	}
	return nil
}

// exits checks the exit code of the command that follows: exits 3 iohr ...
func exits(ts *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	code := "0"
	if err := ts.Exec(arguments[1], arguments[2:]...); err != nil {
		code = "unknown"
		var exit interface{ ExitCode() int }
		if e, ok := err.(interface{ ExitCode() int }); ok {
			exit = e
			code = fmt.Sprint(exit.ExitCode())
		}
	}
	if code != arguments[0] {
		ts.Fatalf("exit code %s, want %s", code, arguments[0])
	}
}

// listen keeps an address busy until the script ends, with a listener that accepts
// and never answers: listen ADDRESS.
func listen(ts *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) != 1 {
		ts.Fatalf("usage: listen ADDRESS")
	}
	listener, err := net.Listen("tcp", arguments[0])
	ts.Check(err)
	ts.Defer(func() { _ = listener.Close() })
}

// fillTemplate copies a file with $VARIABLES replaced by the script's: template FROM TO.
func fillTemplate(ts *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) != 2 {
		ts.Fatalf("usage: template FROM TO")
	}
	content := os.Expand(ts.ReadFile(arguments[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(arguments[1]), []byte(content), 0o644))
}

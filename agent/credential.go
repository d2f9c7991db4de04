package agent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// mostCredential bounds a file with a credential, in bytes: what servers take as a header
// field is less.
const mostCredential = 64 << 10

// CredentialFileProblem is what is wrong with the file's path; empty where nothing is. The
// file itself is read when the agent starts.
func (c *Connection) CredentialFileProblem() string {
	switch {
	case c.CredentialFile == "":
	case c.CredentialEnv != "":
		return "stands beside credential_env; name one of them"
	case !filepath.IsAbs(c.CredentialFile):
		return "must be an absolute path: it is a file of the agent's machine"
	}
	return ""
}

// readCredential gives the bearer token that a connection names; empty where it names none.
// Errors name where it was looked for, and never what was there.
func readCredential(c Connection, getenv func(string) string) (string, error) {
	switch {
	case c.CredentialEnv != "":
		token := getenv(c.CredentialEnv)
		if token == "" {
			return "", fmt.Errorf("credential_env: the environment variable %s is not set", c.CredentialEnv)
		}
		if !isToken(token) {
			return "", fmt.Errorf("credential_env: the environment variable %s holds spaces at an end, or characters that a header cannot have", c.CredentialEnv)
		}
		return token, nil
	case c.CredentialFile != "":
		token, err := readSecret(c.CredentialFile)
		if err != nil {
			return "", fmt.Errorf("credential_file: %w", err)
		}
		return token, nil
	}
	return "", nil
}

// readSecret reads a file of one line.
func readSecret(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the file cannot be read: %w", err)
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(io.LimitReader(f, mostCredential+1))
	if err != nil {
		return "", errors.New("the file cannot be read to its end")
	}
	token := strings.TrimSpace(string(content))
	switch {
	case len(content) > mostCredential:
		return "", fmt.Errorf("the file is longer than %d bytes", mostCredential)
	case token == "":
		return "", errors.New("the file is empty")
	case !isToken(token):
		return "", errors.New("the file holds more than a token: characters that a header cannot have")
	}
	return token, nil
}

func isToken(text string) bool {
	return strings.TrimSpace(text) == text && httpguts.ValidHeaderFieldValue(text)
}

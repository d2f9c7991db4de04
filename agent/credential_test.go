package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestACredentialInAFile(t *testing.T) {
	for name, c := range map[string]struct {
		content, want, err string
	}{
		"token":       {secretToken, secretToken, ""},
		"with an end": {secretToken + "\r\n", secretToken, ""},
		"empty":       {"\n", "", "credential_file: the file is empty"},
		"two lines":   {secretToken + "\nmore", "", "credential_file: the file holds more than a token"},
		"too long":    {strings.Repeat("a", mostCredential+1), "", "credential_file: the file is longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := readCredential(Connection{CredentialFile: path}, nil)
			if got != c.want || (err != nil) != (c.err != "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%q, %v, want %q, %q", got, err, c.want, c.err)
			}
			if err != nil {
				secrets(t, err.Error())
			}
		})
	}
	if _, err := readCredential(Connection{CredentialFile: filepath.Join(t.TempDir(), "absent")}, nil); err == nil {
		t.Error("a file that is not there was read")
	}
	both := Connection{Name: "api", Environment: "staging", Protocol: "http", Address: "http://" + secretHost, Contract: "a", CredentialEnv: "A", CredentialFile: "b"}
	if all := both.Problems(); len(all) != 1 || all[0].Key != "credential_file" {
		t.Errorf("both at once: %+v", all)
	}
	both.CredentialEnv = ""
	if all := both.Problems(); len(all) != 1 || !strings.Contains(all[0].Message, "absolute") {
		t.Errorf("a path that is not absolute: %+v", all)
	}
}

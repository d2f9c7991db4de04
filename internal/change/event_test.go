package change_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/internal/change"
)

const repositoryJSON = `"repository": {"full_name": "o/r", "html_url": "https://github.com/o/r", "default_branch": "main"}`

func TestFromEvent(t *testing.T) {
	for _, test := range []struct {
		name, event, payload string
		want                 change.Ask
	}{
		{"pull request", "pull_request",
			`{` + repositoryJSON + `, "pull_request": {"number": 7, "user": {"login": "ann"},
				"base": {"ref": "main", "sha": "b1"}, "head": {"sha": "h1", "repo": {"full_name": "o/r"}}}}`,
			change.Ask{Origin: change.Origin{Repository: "github.com/o/r", PullRequest: 7, BaseRef: "main", Actor: "ann"}, Base: "b1", Head: "h1"}},
		{"pull request of a fork", "pull_request",
			`{` + repositoryJSON + `, "pull_request": {"number": 7, "user": {"login": "ann"},
				"base": {"ref": "main", "sha": "b1"}, "head": {"sha": "h1", "repo": {"full_name": "ann/r"}}}}`,
			change.Ask{Origin: change.Origin{Repository: "github.com/o/r", PullRequest: 7, BaseRef: "main", Actor: "ann", Fork: true}, Base: "b1", Head: "h1"}},
		{"pull request of a fork that is gone", "pull_request",
			`{` + repositoryJSON + `, "pull_request": {"number": 7, "base": {"ref": "main", "sha": "b1"}, "head": {"sha": "h1", "repo": null}}}`,
			change.Ask{Origin: change.Origin{Repository: "github.com/o/r", PullRequest: 7, BaseRef: "main", Fork: true}, Base: "b1", Head: "h1"}},
		{"merge group", "merge_group",
			`{` + repositoryJSON + `, "sender": {"login": "queue[bot]"}, "merge_group": {"head_sha": "h1", "base_sha": "b1",
				"head_ref": "refs/heads/gh-readonly-queue/main/pr-7", "base_ref": "refs/heads/main"}}`,
			change.Ask{Origin: change.Origin{Repository: "github.com/o/r", MergeGroup: "refs/heads/gh-readonly-queue/main/pr-7",
				BaseRef: "main", Actor: "queue[bot]"}, Base: "b1", Head: "h1"}},
		{"push to the default branch", "push",
			`{` + repositoryJSON + `, "ref": "refs/heads/main", "before": "b1", "after": "h1", "sender": {"login": "ann"}}`,
			change.Ask{Origin: change.Origin{Repository: "github.com/o/r", Ref: "main", BaseRef: "main", Actor: "ann"},
				Base: "b1", Head: "h1", SettingsFrom: "h1"}},
		{"push of a new branch", "push",
			`{` + repositoryJSON + `, "ref": "refs/heads/a/b", "before": "` + strings.Repeat("0", 40) + `", "after": "h1"}`,
			change.Ask{Origin: change.Origin{Repository: "github.com/o/r", Ref: "a/b", BaseRef: "a/b"},
				Base: "refs/remotes/origin/main", Head: "h1", SettingsFrom: "refs/remotes/origin/main"}},
		{"by hand", "workflow_dispatch",
			`{"repository": {"full_name": "o/r", "html_url": "https://ghe.example/o/r", "default_branch": "main"}, "ref": "refs/heads/a"}`,
			change.Ask{Origin: change.Origin{Repository: "ghe.example/o/r", Ref: "a", BaseRef: "main"},
				Base: "refs/remotes/origin/main", Head: "refs/heads/a", SettingsFrom: "refs/remotes/origin/main"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := change.FromEvent(test.event, []byte(test.payload))
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestFromEventRefuses(t *testing.T) {
	for _, test := range []struct{ event, payload, want string }{
		{"pull_request_target", `{}`, "start the workflow on pull_request instead"},
		{"issues", `{}`, `the event "issues" changes nothing that can be judged`},
		{"", `{}`, "GITHUB_EVENT_NAME is not set"},
		{"pull_request", `not json`, "the payload of the event pull_request cannot be read"},
		{"pull_request", `{}`, "has no pull_request."},
		{"pull_request", `{"pull_request": {"base": {"sha": "b"}}}`, "has no pull_request.head.sha"},
		{"merge_group", `{}`, "has no merge_group."},
		{"push", `{"ref": "refs/heads/a", "deleted": true}`, "the push deletes refs/heads/a"},
	} {
		_, err := change.FromEvent(test.event, []byte(test.payload))
		var user *change.UserError
		if !errors.As(err, &user) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: got %v", test.event, test.payload, err)
		}
	}
}

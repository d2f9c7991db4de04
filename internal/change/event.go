package change

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-github/v62/github"
)

// Ask is what a GitHub event asks to be judged. Revisions are as the event names
// them; they still have to be found in a clone.
type Ask struct {
	Origin
	Base string
	Head string
	// SettingsFrom is the revision whose settings hold; empty means Base.
	SettingsFrom string
}

// noCommit is how GitHub writes the missing side of a push.
const noCommit = "0000000000000000000000000000000000000000"

// FromEvent reads the event that started a workflow: its name and its payload.
// Only what identifies the change is taken from it.
func FromEvent(name string, payload []byte) (Ask, error) {
	switch name {
	case "pull_request":
		return fromPullRequest(payload)
	case "merge_group":
		return fromMergeGroup(payload)
	case "push":
		return fromPush(payload)
	case "workflow_dispatch":
		return fromDispatch(payload)
	case "pull_request_target":
		return Ask{}, userErrorf("the event pull_request_target runs with the base repository's secrets beside code of a stranger; start the workflow on pull_request instead")
	case "":
		return Ask{}, userErrorf("GITHUB_EVENT_NAME is not set: outside GitHub name the base revision instead")
	default:
		return Ask{}, userErrorf("the event %q changes nothing that can be judged; start the workflow on pull_request, merge_group, push or workflow_dispatch", name)
	}
}

func decode(name string, payload []byte, into any) error {
	if err := json.Unmarshal(payload, into); err != nil {
		return userErrorf("the payload of the event %s cannot be read (%v); GITHUB_EVENT_PATH must name the file that GitHub wrote", name, err)
	}
	return nil
}

func fromPullRequest(payload []byte) (Ask, error) {
	var event github.PullRequestEvent
	if err := decode("pull_request", payload, &event); err != nil {
		return Ask{}, err
	}
	pr := event.GetPullRequest()
	ask := Ask{
		Origin: Origin{
			Repository:  repositoryName(event.GetRepo().GetHTMLURL(), event.GetRepo().GetFullName()),
			PullRequest: pr.GetNumber(),
			BaseRef:     pr.GetBase().GetRef(),
			Actor:       pr.GetUser().GetLogin(),
			Fork:        pr.GetHead().GetRepo().GetFullName() != event.GetRepo().GetFullName(),
		},
		Base: pr.GetBase().GetSHA(), Head: pr.GetHead().GetSHA(),
	}
	return ask, ask.complete("pull_request", "pull_request.base.sha", "pull_request.head.sha")
}

func fromMergeGroup(payload []byte) (Ask, error) {
	var event github.MergeGroupEvent
	if err := decode("merge_group", payload, &event); err != nil {
		return Ask{}, err
	}
	group := event.GetMergeGroup()
	ask := Ask{
		Origin: Origin{
			Repository: repositoryName(event.GetRepo().GetHTMLURL(), event.GetRepo().GetFullName()),
			MergeGroup: group.GetHeadRef(),
			BaseRef:    branch(group.GetBaseRef()),
			Actor:      event.GetSender().GetLogin(),
		},
		Base: group.GetBaseSHA(), Head: group.GetHeadSHA(),
	}
	return ask, ask.complete("merge_group", "merge_group.base_sha", "merge_group.head_sha")
}

func fromPush(payload []byte) (Ask, error) {
	var event github.PushEvent
	if err := decode("push", payload, &event); err != nil {
		return Ask{}, err
	}
	repo := event.GetRepo()
	if event.GetDeleted() {
		return Ask{}, userErrorf("the push deletes %s: there is nothing to judge", event.GetRef())
	}
	ask := Ask{
		Origin: Origin{
			Repository: repositoryName(repo.GetHTMLURL(), repo.GetFullName()),
			Ref:        branch(event.GetRef()),
			BaseRef:    branch(event.GetRef()),
			Actor:      event.GetSender().GetLogin(),
		},
		Base: event.GetBefore(), Head: event.GetAfter(),
	}
	fromDefaultBranch(&ask, repo.GetDefaultBranch())
	return ask, ask.complete("push", "before", "after")
}

func fromDispatch(payload []byte) (Ask, error) {
	var event github.WorkflowDispatchEvent
	if err := decode("workflow_dispatch", payload, &event); err != nil {
		return Ask{}, err
	}
	repo := event.GetRepo()
	ask := Ask{
		Origin: Origin{
			Repository: repositoryName(repo.GetHTMLURL(), repo.GetFullName()),
			Ref:        branch(event.GetRef()),
			BaseRef:    repo.GetDefaultBranch(),
			Actor:      event.GetSender().GetLogin(),
		},
		Base: noCommit, Head: event.GetRef(),
	}
	fromDefaultBranch(&ask, repo.GetDefaultBranch())
	return ask, ask.complete("workflow_dispatch", "repository.default_branch", "ref")
}

// fromDefaultBranch takes the settings, and a base that the event does not tell,
// from the default branch as it was fetched; on the default branch itself, the
// commit that was pushed is its tip.
func fromDefaultBranch(ask *Ask, defaultBranch string) {
	tip := "refs/remotes/origin/" + defaultBranch
	if ask.Ref == defaultBranch {
		tip = ask.Head
	}
	ask.SettingsFrom = tip
	if ask.Base == noCommit {
		ask.Base = tip
	}
}

func (a Ask) complete(event, baseKey, headKey string) error {
	for key, value := range map[string]string{baseKey: a.Base, headKey: a.Head} {
		if value == "" {
			return userErrorf("the payload of the event %s has no %s; GITHUB_EVENT_PATH must name the file that GitHub wrote", event, key)
		}
	}
	return nil
}

func branch(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

// repositoryName is the host and the path of a repository, such as
// github.com/owner/name. GitHub's servers elsewhere have another host.
func repositoryName(page, fullName string) string {
	if _, rest, ok := strings.Cut(page, "://"); ok {
		return strings.TrimSuffix(rest, "/")
	}
	if fullName == "" {
		return ""
	}
	return fmt.Sprintf("github.com/%s", fullName)
}

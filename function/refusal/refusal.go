// Package refusal holds back writes that the API server refuses.
//
// A write that is refused for any other reason than an invalid object (a quota, rights, an admission policy) ends
// Crossplane's pass before the status is written: nobody would be told, again and again. So what was refused is left
// out for a while, the status says why, and the write is tried again after 10 s, 20 s, 40 s, then every minute.
package refusal

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// How Crossplane 2.3 tells of a refused write, in the condition Synced of the next pass.
const (
	// unsyncedPrefix begins the list of the objects that the API server found invalid. The pass went on, and the API
	// server's words are in an event only.
	unsyncedPrefix = "Unsynced resources: "
	// refusedPrefix precedes the quoted role and the API server's words for any other refusal. It need not come first:
	// Crossplane puts words of its own before it when its ServiceAccount lacks a verb.
	refusedPrefix = "cannot apply composed resource "
)

// grace in which the pass after a try is expected.
const grace = 10 * time.Second

// A Retry is what is known about a refused write. It is kept in the status of the XR.
type Retry struct {
	// Role of the object.
	Role string
	// Attempts refused so far.
	Attempts int32
	// Last is the time of the last refusal.
	Last time.Time
	// Refused is a hash of what was refused: other content is tried at once.
	Refused string
	// Message of the API server, where it is known.
	Message string
	// Tried in the pass before: when that is not told to be refused, it was written.
	Tried bool
}

// A Refusal is a write that was refused and has not succeeded since.
type Refusal struct {
	Retry

	// Wait before the next try. Zero: this pass tries.
	Wait time.Duration
}

// A Pass is what one pass knows.
type Pass struct {
	// Synced is the message of the XR's condition Synced while that is False, else empty.
	Synced string
	// Known from the status.
	Known []Retry
	// Content is a hash of what is wanted for a role. It is empty for a role that is not wanted.
	Content func(role string) string
	// Observed tells whether a role's object exists.
	Observed func(role string) bool
	// Now is the time of the pass.
	Now time.Time
}

// Refusals of this pass, sorted by role: those just learned of, and earlier ones that are not over.
func (p Pass) Refusals() []Refusal {
	known := make(map[string]Retry, len(p.Known))
	for _, retry := range p.Known {
		known[retry.Role] = retry
	}
	for role, words := range refused(p.Synced) {
		retry := known[role]
		content := p.Content(role)
		switch {
		case retry.Refused != content:
			// What was refused before was left out: it is the other content that was tried.
			retry = Retry{Role: role, Attempts: 1, Last: p.second(), Refused: content}
		case p.Now.Sub(retry.Last) >= Backoff(retry.Attempts):
			retry = Retry{Role: role, Attempts: retry.Attempts + 1, Last: p.second(), Refused: content, Message: retry.Message}
		}
		if words != "" {
			retry.Message = words
		}
		known[role] = retry
	}
	var out []Refusal
	for role, retry := range known {
		content := p.Content(role)
		wait := max(0, Backoff(retry.Attempts)-p.Now.Sub(retry.Last))
		// Other content is tried at once.
		if content == "" || retry.Refused != content {
			continue
		}
		if wait == 0 {
			// The mark is lost where the definition does not declare it: some time after the try it is over as well.
			over := p.Synced == "" && p.Now.Sub(retry.Last) > Backoff(retry.Attempts)+grace
			if p.Observed(role) && (retry.Tried || over) {
				continue
			}
			retry.Tried = true
		}
		out = append(out, Refusal{Retry: retry, Wait: wait})
	}
	slices.SortFunc(out, func(a, b Refusal) int { return cmp.Compare(a.Role, b.Role) })
	return out
}

// second of the pass: Kubernetes writes times in whole seconds.
func (p Pass) second() time.Time { return p.Now.UTC().Truncate(time.Second) }

// Aborted tells whether a refused write ended the previous pass before its status was written. A pass that follows one
// keeps what is there and writes nothing else: should a second write be refused, nobody would ever be told of the first.
func (p Pass) Aborted() bool { return strings.Contains(p.Synced, refusedPrefix) }

// refused roles of a message, with the API server's words where they are known.
func refused(synced string) map[string]string {
	if list, ok := strings.CutPrefix(synced, unsyncedPrefix); ok {
		out := map[string]string{}
		for role := range strings.SplitSeq(list, ", ") {
			// Crossplane names three at most: "a, b, and c" or "a, b, c, and 2 more".
			role = strings.TrimPrefix(role, "and ")
			if !strings.HasSuffix(role, " more") {
				out[role] = ""
			}
		}
		return out
	}
	_, rest, ok := strings.Cut(synced, refusedPrefix)
	if !ok {
		return nil
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return nil
	}
	role, err := strconv.Unquote(quoted)
	if err != nil {
		return nil
	}
	return map[string]string{role: strings.TrimPrefix(rest[len(quoted):], ": ")}
}

// Backoff before another try, after some that were refused.
func Backoff(attempts int32) time.Duration {
	if attempts > 3 {
		return time.Minute
	}
	return 10 * time.Second << max(0, attempts-1)
}

package image

import (
	"fmt"
	"slices"
	"strings"

	"github.com/function-chroma/function-chroma/function/reason"
)

// anyRepository is the entry of an allow-list that allows every repository.
const anyRepository = "*"

// HowToAllow says who can add a repository, and where.
const HowToAllow = "Who runs Crossplane adds others under images.allowed in the Input of the Composition's step."

// An AllowList of the repositories whose images may run. The zero AllowList allows none.
type AllowList struct {
	any          bool
	repositories []string // exact, normalised
	paths        []string // normalised, with a trailing slash
}

// DefaultRepositories are the entries of the allow-list where the settings name none: Chroma and VecturaDB, and the
// nine images that Chroma publishes for its distributed mode.
func DefaultRepositories() []string {
	return []string{
		"docker.io/chromadb/chroma",
		"ghcr.io/chroma-core/chroma",
		"ghcr.io/vecturadb/vecturadb",
		"docker.io/chromadb/compactor-service",
		"docker.io/chromadb/fn-consumer-service",
		"docker.io/chromadb/garbage-collector-service",
		"docker.io/chromadb/query-service",
		"docker.io/chromadb/rust-frontend-service-oss",
		"docker.io/chromadb/rust-log-service",
		"docker.io/chromadb/sysdb-migration",
		"docker.io/chromadb/sysdb-service",
		"docker.io/chromadb/work-queue-service",
	}
}

// ParseAllowList parses entries: a repository, <path>/* for every repository under a path, or * for any. Spaces around
// an entry do not count. The error names the first entry that is none of these, an empty one included.
func ParseAllowList(entries []string) (AllowList, error) {
	var list AllowList
	for _, entry := range entries {
		if err := list.add(strings.TrimSpace(entry)); err != nil {
			return AllowList{}, fmt.Errorf("cannot parse entry %q of the allowed images: %w", entry, err)
		}
	}
	return list, nil
}

func (l *AllowList) add(entry string) error {
	if entry == anyRepository {
		l.any = true
		return nil
	}
	if path, ok := strings.CutSuffix(entry, "/*"); ok {
		prefix, err := normalisePath(path)
		if err != nil {
			return err
		}
		l.paths = append(l.paths, prefix)
		return nil
	}
	if strings.Contains(entry, "*") {
		return fmt.Errorf("* stands alone, or at the end behind a slash")
	}
	if strings.Contains(entry, ".") && !strings.Contains(entry, "/") {
		return fmt.Errorf("a registry alone is no repository: write %s/* to allow all of it", entry)
	}
	repository, err := Parse(entry)
	if err != nil {
		return err
	}
	if repository.Tag != "" || repository.Digest != "" {
		return fmt.Errorf("a repository has no tag and no digest")
	}
	l.repositories = append(l.repositories, repository.Repository)
	return nil
}

// normalisePath completes a path with a repository, because only whole names can be normalised. A registry alone is a
// path too: it has to look like one (a dot, a port, or localhost), since otherwise it is a path on docker.io.
func normalisePath(path string) (string, error) {
	const leaf = "/x"
	repository, err := Parse(path + leaf)
	if err != nil {
		return "", err
	}
	if repository.Tag != "" || repository.Digest != "" {
		return "", fmt.Errorf("a path has no tag and no digest")
	}
	// docker.io/* is everything on docker.io: the library that official images are normalised into does not narrow it.
	if repository.Repository == "docker.io/library"+leaf && !strings.HasSuffix(path, "library") {
		return "docker.io/", nil
	}
	return strings.TrimSuffix(repository.Repository, leaf[1:]), nil
}

// Allows says whether images of the repository may run.
func (l AllowList) Allows(r Reference) bool {
	if l.any {
		return true
	}
	if slices.Contains(l.repositories, r.Repository) {
		return true
	}
	for _, path := range l.paths {
		if strings.HasPrefix(r.Repository, path) {
			return true
		}
	}
	return false
}

// Admit returns nil for an allowed image, else the refusal.
func (l AllowList) Admit(r Reference) *Refusal {
	if l.Allows(r) {
		return nil
	}
	return refuse(reason.ImageNotAllowed, "The repository %s is not one of the allowed repositories of this function. "+HowToAllow, r.Repository)
}

package distributed

import (
	"regexp"
	"strings"
	"sync"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/distributed/chart/v52ce844"
	"github.com/function-chroma/function-chroma/function/distributed/chart/v93652ec"
)

// Versions that can run, oldest first. Their config files are read once. Do not change what is returned.
//
//nolint:gochecknoglobals // It is a constant that Go cannot write as one.
var Versions = sync.OnceValue(func() []chart.Version {
	return []chart.Version{v93652ec.Version().WithRenderings(), v52ce844.Version().WithRenderings()}
})

// commitPattern is the first characters of a commit, or its whole hash.
var commitPattern = regexp.MustCompile(`^[0-9a-f]{7}([0-9a-f]{33})?$`)

// Version finds a known version by the first characters of its commit, or by its whole hash.
func Version(commit string) (chart.Version, bool) {
	if !commitPattern.MatchString(commit) {
		return chart.Version{}, false
	}
	for _, version := range Versions() {
		if commit[:chart.CommitLength] == version.Commit {
			return version, true
		}
	}
	return chart.Version{}, false
}

// age of a version among the known ones. Negative: it is not known.
func age(commit string) int {
	for i, version := range Versions() {
		if version.Commit == commit {
			return i
		}
	}
	return -1
}

// commits of the known versions, for people.
func commits() string {
	var list []string
	for _, version := range Versions() {
		list = append(list, version.Commit)
	}
	return strings.Join(list, ", ")
}

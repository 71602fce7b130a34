package live

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// pluginVersion as it was built.
func pluginVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}

// otherVersion notes that the cluster's function is another version than the plugin, and may decide otherwise. A
// development version cannot be compared.
func otherVersion(function *unstructured.Unstructured, plugin string) error {
	reference := Text(function, "spec", "package")
	reference, _, _ = strings.Cut(reference, "@")
	tag := reference[strings.LastIndex(reference, ":")+1:]
	theirs, ours := parsed(tag), parsed(plugin)
	if theirs == nil || ours == nil || ours.Prerelease() != "" || ours.Metadata() != "" || ours.Equal(theirs) {
		return nil
	}
	return fmt.Errorf("the cluster's function is %s and this plugin is %s: it may decide otherwise than the plugin says", tag, plugin)
}

// parsed version, nil where the text is none.
func parsed(text string) *semver.Version {
	version, err := semver.NewVersion(text)
	if err != nil {
		return nil
	}
	return version
}

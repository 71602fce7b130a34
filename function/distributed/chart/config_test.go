package chart_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

func TestConfigText(t *testing.T) {
	cases := map[string]struct {
		reason string
		file   string
		values chart.Values
		want   string
	}{
		"Tags": {
			reason: "every tag stands for its value, as a string",
			file:   "a:\n  b: !namespace\n  c: !bucket\n- d: !host sysdb\ne: !collector\n",
			values: chart.Values{Namespace: "vectors", S3: chart.S3{Bucket: "data"}},
			want:   "a:\n  b: \"vectors\"\n  c: \"data\"\n- d: \"sysdb.vectors\"\ne: \"http://otel-collector.vectors.svc.cluster.local:4317\"\n",
		},
		"StringsStayStrings": {
			reason: "a namespace of digits and a bucket called true would be a number and a boolean without quotes",
			file:   "a: !namespace\nb: !bucket\n",
			values: chart.Values{Namespace: "2026", S3: chart.S3{Bucket: "true"}},
			want:   "a: \"2026\"\nb: \"true\"\n",
		},
		"ValuesAreNoTags": {
			reason: "a value that looks like the file's own text is a value",
			file:   "worker: \"chroma\"\na: !bucket\n",
			values: chart.Values{Namespace: "worker", S3: chart.S3{Bucket: "chroma: !namespace"}},
			want:   "worker: \"chroma\"\na: \"chroma: !namespace\"\n",
		},
		"ExactIntegers": {
			reason: "the largest u64 is the largest u64, digit by digit",
			file:   "max: 18446744073709551615\n",
			want:   "max: 18446744073709551615\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			config, err := chart.ParseConfig(tc.file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, config.Text(tc.values)); diff != "" {
				t.Errorf("\n%s\nText(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestConfigRefused(t *testing.T) {
	cases := map[string]struct{ reason, file, want string }{
		"UnknownTag":   {"a tag that is not known would reach Chroma as it stands", "a:\n  b: !nmaespace\n", "tag !nmaespace is not known"},
		"HostUnnamed":  {"a host is that of a Service", "a: !host\n", "needs the name of a Service"},
		"NoSuchThing":  {"a bucket is one bucket", "a: !bucket other\n", "takes no argument"},
		"StartsInside": {"lines before the first key belong to no section", "  a: 1\n", "not with a key"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := chart.ParseConfig(tc.file)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nParseConfig(...): want an error with %q, got: %v", tc.reason, tc.want, err)
			}
		})
	}
}

func TestConfigExtended(t *testing.T) {
	config := chart.MustConfig("a:\n  b: 1\nc:\n  d: 2\n")
	extended := config.MustExtend("a", "e: !namespace\n")
	values := chart.Values{Namespace: "n"}
	if diff := cmp.Diff("a:\n  b: 1\n  e: \"n\"\nc:\n  d: 2\n", extended.Text(values)); diff != "" {
		t.Errorf("\nthe keys stand in their section\nText(...): -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff("a:\n  b: 1\nc:\n  d: 2\n", config.Text(values)); diff != "" {
		t.Errorf("\nthe file that is extended stays as it is, since an earlier version has it\nText(...): -want, +got:\n%s", diff)
	}
}

// TestConfigFiles reads the files of every version as Chroma does.
func TestConfigFiles(t *testing.T) {
	for _, version := range known() {
		for _, component := range version.Components {
			if component.Config == nil {
				continue
			}
			var content map[string]any
			text := component.Config.Content.Text(chart.Values{Namespace: "1234", S3: chart.S3{Bucket: "1e3"}})
			if err := yaml.Unmarshal([]byte(text), &content); err != nil {
				t.Errorf("%s %s: %v", version.Commit, component.Name, err)
			}
			if component.Name == chart.Frontend && !strings.Contains(text, "max: 18446744073709551615\n") {
				t.Errorf("%s: the frontend's largest collection size is not exact", version.Commit)
			}
		}
	}
}

func FuzzConfig(f *testing.F) {
	f.Add("a: !namespace\n", "vectors", "data")
	f.Add("a:\n  b: !host sysdb\n- c: !collector", "1", "\"\\")
	f.Fuzz(func(t *testing.T, file, namespace, bucket string) {
		config, err := chart.ParseConfig(file)
		if err != nil {
			return
		}
		text := config.Text(chart.Values{Namespace: namespace, S3: chart.S3{Bucket: bucket}})
		if !strings.Contains(file, " !") && text != file {
			t.Errorf("a file without tags is %q, but its text %q", file, text)
		}
	})
}

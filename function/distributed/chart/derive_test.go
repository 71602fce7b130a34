package chart_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/distributed/chart/v52ce844"
	"github.com/function-chroma/function-chroma/function/distributed/chart/v93652ec"
)

func quantities(cpu, memory string) corev1.ResourceList {
	list := corev1.ResourceList{}
	if cpu != "" {
		list[corev1.ResourceCPU] = resource.MustParse(cpu)
	}
	if memory != "" {
		list[corev1.ResourceMemory] = resource.MustParse(memory)
	}
	return list
}

func TestDeriveRefused(t *testing.T) {
	cases := map[string]struct {
		reason  string
		version chart.Version
		change  func(*v1alpha1.Distributed)
		want    chart.Refusal
	}{
		"FieldOfALaterVersion": {
			reason:  "a field that this version lacks is refused with the versions that have it",
			version: v93652ec.Version(),
			change: func(d *v1alpha1.Distributed) {
				d.FnConsumer = &v1alpha1.Component{NodeSelector: map[string]string{"pool": "a"}}
			},
			want: chart.Refusal{Field: "fnConsumer.nodeSelector", Cause: chart.FieldNotInVersion,
				Message: "spec.distributed.fnConsumer.nodeSelector is not a field of version 93652ec: the versions that have it are 52ce844"},
		},
		"FieldOfNoVersion": {
			reason:  "the API refuses it too, but a Chroma may be older than the API",
			version: v52ce844.Version(),
			change: func(d *v1alpha1.Distributed) {
				d.WorkQueue = &v1alpha1.Component{Replicas: new(int32(2))}
			},
			want: chart.Refusal{Field: "workQueue.replicas", Cause: chart.FieldNotInVersion,
				Message: "spec.distributed.workQueue.replicas is not a field of version 52ce844, nor of any other known version"},
		},
		"RequestAboveDefaultLimit": {
			reason:  "the merge is by leaf, so a request alone can pass the chart's limit, which the API server refuses",
			version: v52ce844.Version(),
			change: func(d *v1alpha1.Distributed) {
				d.QueryService = &v1alpha1.Component{Resources: &v1alpha1.Resources{Requests: quantities("2", "")}}
			},
			want: chart.Refusal{Field: "queryService.resources", Cause: chart.RequestAboveLimit,
				Message: "spec.distributed.queryService: the request of 2 of cpu is above the limit of 100m, which is the chart's default: set resources.limits.cpu as well"},
		},
		"LimitBelowDefaultRequest": {
			reason:  "a limit alone can fall below the chart's request",
			version: v52ce844.Version(),
			change: func(d *v1alpha1.Distributed) {
				d.SysDB = &v1alpha1.Component{Resources: &v1alpha1.Resources{Limits: quantities("", "64Mi")}}
			},
			want: chart.Refusal{Field: "sysdb.resources", Cause: chart.RequestAboveLimit,
				Message: "spec.distributed.sysdb: the request of 128Mi of memory is above the limit of 64Mi: the request is the chart's default, set resources.requests.memory as well"},
		},
		"RequestAboveOwnLimit": {
			reason:  "both are the user's",
			version: v52ce844.Version(),
			change: func(d *v1alpha1.Distributed) {
				d.SysDB = &v1alpha1.Component{Resources: &v1alpha1.Resources{Requests: quantities("2", ""), Limits: quantities("1", "")}}
			},
			want: chart.Refusal{Field: "sysdb.resources", Cause: chart.RequestAboveLimit,
				Message: "spec.distributed.sysdb: the request of 2 of cpu is above the limit of 1"},
		},
		"OtherResource": {
			reason:  "the chart's templates would lose it silently",
			version: v52ce844.Version(),
			change: func(d *v1alpha1.Distributed) {
				d.LogService = &v1alpha1.Component{Resources: &v1alpha1.Resources{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("1")}}}
			},
			want: chart.Refusal{Field: "logService.resources.limits.nvidia.com/gpu", Cause: chart.InvalidValue,
				Message: "spec.distributed.logService.resources.limits.nvidia.com/gpu cannot be set: the chart has cpu and memory only"},
		},
		"Shell": {
			reason:  "the host stands unquoted in a shell word of the sysdb",
			version: v52ce844.Version(),
			change:  func(d *v1alpha1.Distributed) { d.Postgres.Host = "a;reboot" },
			want: chart.Refusal{Field: "postgres.host", Cause: chart.InvalidValue,
				Message: `spec.distributed.postgres.host is "a;reboot", which does not match ` + chart.PatternHost},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := exampleSpec()
			tc.change(&spec)
			_, err := chart.Derive("demo", "vectors", spec, tc.version, known())
			var refusal *chart.Refusal
			if !errors.As(err, &refusal) {
				t.Fatalf("\n%s\nDerive(...): want a refusal, got: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, *refusal); diff != "" {
				t.Errorf("\n%s\nDerive(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDeriveInert gives every value that reaches the sysdb's shell or a URL any text. What is accepted is inert there.
func TestDeriveInert(t *testing.T) {
	version := v52ce844.Version()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z./:$;&|<>'"\\ ()*?\[\]{}!#~@%=-]{0,12}`))
		spec := exampleSpec()
		for _, field := range []*string{
			&spec.Postgres.Host, &spec.Postgres.Database, &spec.Postgres.SSLMode,
			&spec.ObjectStorage.S3.Endpoint, &spec.ObjectStorage.S3.Bucket, &spec.ObjectStorage.S3.Region,
		} {
			if rapid.Bool().Draw(t, "changed") {
				*field = text.Draw(t, "text")
			}
		}
		values, err := chart.Derive("demo", "vectors", spec, version, known())
		if err != nil {
			return
		}
		sysdb, _ := version.Component(chart.SysDB)
		flags := strings.TrimPrefix(sysdb.Command(values)[2], "coordinator coordinator ")
		inert := strings.NewReplacer("$(POSTGRES_USERNAME)", "", "$(POSTGRES_PASSWORD)", "").Replace(flags)
		if at := strings.IndexFunc(inert, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/= ", r)
		}); at >= 0 {
			t.Errorf("a shell would act on %q at %d", inert, at)
		}
		if words := len(strings.Fields(flags)); words != 16 {
			t.Errorf("%d flags instead of 16: %q", words, flags)
		}
	})
}

func TestForcePathStyle(t *testing.T) {
	cases := map[string]struct {
		reason, endpoint string
		want             bool
	}{
		"AWS":        {"AWS has the bucket in the host name", "", false},
		"IPv4":       {"an address cannot carry the bucket in front", "http://10.43.119.132:8333", true},
		"Name":       {"the services ask for bucket.name, and so must the sysdb", "http://minio.storage:9000", false},
		"NoAddress":  {"256.1.1.1 is a name to the SDK's endpoint rules", "http://256.1.1.1:9000", false},
		"NameOfIPv4": {"a name that begins with an address is a name", "https://10.0.0.1.nip.io", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := (chart.S3{Endpoint: tc.endpoint}).ForcePathStyle(); got != tc.want {
				t.Errorf("\n%s\nForcePathStyle(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestImages(t *testing.T) {
	want := []string{
		"mirror/chroma/rust-frontend-service-oss:93652ec",
		"mirror/chroma/sysdb-service:93652ec",
		"mirror/chroma/rust-log-service:93652ec",
		"mirror/chroma/query-service:93652ec",
		"mirror/chroma/compactor-service:93652ec",
		"mirror/chroma/garbage-collector-service:93652ec",
		"mirror/chroma/work-queue-service:93652ec",
		"mirror/chroma/fn-consumer-service:93652ec",
		"mirror/chroma/sysdb-migration:93652ec",
	}
	if diff := cmp.Diff(want, v93652ec.Version().Images("mirror/chroma")); diff != "" {
		t.Errorf("\nthe nine images as Chroma publishes them\nImages(...): -want, +got:\n%s", diff)
	}
}

func TestCredentialsChecksum(t *testing.T) {
	one := chart.CredentialsChecksum("salt", "ab", "c")
	for name, other := range map[string]string{
		"another salt":            chart.CredentialsChecksum("pepper", "ab", "c"),
		"another password":        chart.CredentialsChecksum("salt", "ab", "d"),
		"the same, cut elsewhere": chart.CredentialsChecksum("salt", "a", "bc"),
	} {
		if one == other {
			t.Errorf("%s gives the same checksum", name)
		}
	}
	if again := chart.CredentialsChecksum("salt", "ab", "c"); one != again {
		t.Errorf("the same credentials give %s and %s", one, again)
	}
}

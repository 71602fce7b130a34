package distributed

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/image"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// A situation is a world together with what its spec comes to.
type situation struct {
	w World

	// version and values that the spec wants. Only when derived.
	derived bool
	version chart.Version
	values  chart.Values
	// objects of the version for the values, and by role. Only when built.
	objects []chart.Object
	wanted  map[string]chart.Object

	// layout is the version by which the observed objects are read: the wanted one, else the newest known.
	layout chart.Version

	// refused says why the spec cannot be followed at all.
	refused finding

	postgres, bucket             credentials
	postgresResult, bucketResult Result
}

// assess the spec, without a look at what may be done about it now.
func assess(w World) situation {
	s := situation{w: w, layout: newest()}
	spec := w.Chroma.Spec.Distributed
	if spec == nil {
		s.refused = finding{reason.InvalidSpec, "spec.distributed is required with mode distributed."}
		return s
	}
	s.postgres = readCredentials(w.Required[askPostgresSecret], spec.Postgres.CredentialsSecret.Name, postgresKeys(), validPostgres)
	s.bucket = readCredentials(w.Required[askBucketSecret], spec.ObjectStorage.S3.CredentialsSecret.Name, bucketKeys(), validBucket)
	s.postgresResult = w.result(s.postgres, w.Checks.Postgres)
	s.bucketResult = w.result(s.bucket, w.Checks.ObjectStorage)
	s.refused = s.derive(*spec)
	return s
}

// build the objects of a spec that can be followed.
func (s *situation) build() {
	if !s.derived {
		return
	}
	s.values.Checksums = s.checksums()
	s.objects = s.version.Objects(s.values)
	s.wanted = make(map[string]chart.Object, len(s.objects))
	for _, object := range s.objects {
		s.wanted[object.Role] = object
	}
}

func newest() chart.Version {
	versions := Versions()
	return versions[len(versions)-1]
}

func (s *situation) derive(spec v1alpha1.Distributed) finding {
	version, known := Version(spec.Version)
	if !known {
		return finding{reason.VersionNotKnown, fmt.Sprintf("Version %s of Chroma is not known to this function. The known versions are %s.", spec.Version, commits())}
	}
	s.version, s.layout = version, version
	if s.w.XR.Kind == v1alpha1.KindXChroma && !s.w.XR.ClaimBacked {
		return finding{reason.ClaimRequired, "A cluster-scoped XChroma is made by a claim: create a Chroma in a namespace instead."}
	}
	values, err := chart.Derive(s.w.Chroma.GetName(), s.w.Chroma.GetNamespace(), spec, version, Versions())
	if err != nil {
		return refusedFor(err)
	}
	if refused := notAllowed(s.w.Settings.Images.Allowed, version.Images(values.Registry)); !refused.none() {
		return refused
	}
	s.derived, s.values = true, values
	return finding{}
}

func refusedFor(err error) finding {
	var refusal *chart.Refusal
	if !errors.As(err, &refusal) {
		return finding{reason.InvalidSpec, err.Error()}
	}
	switch refusal.Cause {
	case chart.FieldNotInVersion:
		return finding{reason.FieldNotInVersion, refusal.Message}
	case chart.RequestAboveLimit:
		return finding{reason.RequestAboveLimit, refusal.Message}
	case chart.InvalidValue:
	}
	return finding{reason.InvalidSpec, refusal.Message}
}

// notAllowed names the images of a version that may not run here.
func notAllowed(allowed image.AllowList, images []string) finding {
	var refused []string
	for _, text := range images {
		reference, err := image.Parse(text)
		if err != nil {
			return finding{reason.InvalidSpec, err.Error()}
		}
		if !allowed.Allows(reference) {
			refused = append(refused, reference.Repository)
		}
	}
	if len(refused) == 0 {
		return finding{}
	}
	return finding{reason.ImageNotAllowed, "These repositories are not among the allowed repositories of this function: " + strings.Join(refused, ", ") + ". " + image.HowToAllow}
}

// checksums of the credentials. Those that cannot be read now, or must not reach a Pod, count as unchanged: what runs
// goes on running.
func (s *situation) checksums() chart.Checksums {
	return chart.Checksums{
		Postgres: s.checksum(s.postgres, chart.AnnotationPostgresChecksum),
		S3:       s.checksum(s.bucket, chart.AnnotationS3Checksum),
	}
}

func (s *situation) checksum(found credentials, annotation string) string {
	if found.usable() {
		return chart.CredentialsChecksum(string(s.w.Chroma.GetUID()), found.values...)
	}
	if sysdb, ok := s.w.Workloads[chart.SysDB]; ok {
		return sysdb.Template.Annotations[annotation]
	}
	for _, role := range slices.Sorted(maps.Keys(s.w.Jobs)) {
		if before := s.w.Jobs[role].Spec.Template.Annotations[annotation]; before != "" {
			return before
		}
	}
	return ""
}

// allowsDowngrade tells whether a person has allowed an older version.
func (w World) allowsDowngrade() bool {
	return w.Chroma.GetAnnotations()[v1alpha1.AnnotationAllowDowngrade] == v1alpha1.AnnotationTrue
}

// failing says which check keeps the system from being created.
func (s situation) failing() finding {
	for _, check := range []struct {
		result Result
		kind   reason.ConditionType
	}{{s.postgresResult, reason.PostgresReady}, {s.bucketResult, reason.ObjectStorageReady}} {
		if !check.result.good() && !check.result.pending() {
			return finding{reason.WaitingForChecks, fmt.Sprintf("Nothing is created before %s is True: %s", check.kind, check.result.Message)}
		}
	}
	if !s.postgresResult.good() || !s.bucketResult.good() {
		return finding{reason.WaitingForChecks, "Nothing is created before Postgres and the bucket are checked."}
	}
	return finding{}
}

// storageThere says whether the bucket can be used, as far as it is known.
func (s situation) storageThere() (there, known bool) {
	there = s.bucketResult.good()
	return there, there || s.bucketResult.Status == pass.False
}

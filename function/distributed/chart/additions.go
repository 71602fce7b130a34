package chart

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"

	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// This file has all that our objects have beyond the chart's:
//
//   - the label of the Chroma on the metadata of every object, not on Pod templates;
//   - enableServiceLinks: false on Pod templates: a Service named chroma would otherwise set CHROMA_PORT, which
//     Chroma's services read as their port;
//   - annotations on Pod templates with checksums of the config file and of the credentials, since Chroma reads both
//     once, at its start;
//   - annotations on workloads and on the Job: a hash of what the user decides, and a fingerprint of how this release of
//     the function renders the version. Another release alone rolls nothing.
//
// Repairs add one more annotation to what they restart.

// Annotations of Pod templates.
const (
	AnnotationConfigChecksum   = v1alpha1.Group + "/config-checksum"
	AnnotationPostgresChecksum = v1alpha1.Group + "/postgres-credentials-checksum"
	AnnotationS3Checksum       = v1alpha1.Group + "/s3-credentials-checksum"
)

// Annotations of workloads, beside v1alpha1.AnnotationUserHash.
const (
	// AnnotationRendering has the fingerprint of the version's component as this release renders it.
	AnnotationRendering = v1alpha1.Group + "/rendering"
	// AnnotationRestartedAt has the time of a repair. It stands on the Pod template of a Deployment, which rolls it, and
	// on the metadata of a StatefulSet.
	AnnotationRestartedAt = v1alpha1.Group + "/restarted-at"
)

func labels(values Values) map[string]string {
	return map[string]string{v1alpha1.LabelChroma: values.Name}
}

// addTo the Pod template of a container that reads a config file, if any, and the credentials its environment names.
func addTo(template *applycorev1.PodTemplateSpecApplyConfiguration, environment []*applycorev1.EnvVarApplyConfiguration, values Values, configChecksum string) {
	template.Spec.WithEnableServiceLinks(false)
	if configChecksum != "" {
		template.WithAnnotations(map[string]string{AnnotationConfigChecksum: configChecksum})
	}
	if values.Checksums.Postgres != "" && readsSecret(environment, values.Postgres.Secret, postgresUsernameKey) {
		template.WithAnnotations(map[string]string{AnnotationPostgresChecksum: values.Checksums.Postgres})
	}
	if values.Checksums.S3 != "" && readsSecret(environment, values.S3.Secret, s3AccessKeyIDKey) {
		template.WithAnnotations(map[string]string{AnnotationS3Checksum: values.Checksums.S3})
	}
}

func readsSecret(environment []*applycorev1.EnvVarApplyConfiguration, secret, key string) bool {
	for _, variable := range environment {
		if variable.ValueFrom == nil || variable.ValueFrom.SecretKeyRef == nil {
			continue
		}
		reference := variable.ValueFrom.SecretKeyRef
		if *reference.Name == secret && *reference.Key == key {
			return true
		}
	}
	return false
}

func checksum(text string) string {
	digest := sha256.New()
	// Writing to a hash never fails.
	_, _ = io.WriteString(digest, text)
	return hex.EncodeToString(digest.Sum(nil))
}

// CredentialsChecksum tells one set of credentials from another. The salt is no secret: whoever may read workloads but no
// Secrets can rule guesses out by it, all but one in four thousand million. 32 bits do not tell which of those left is the
// one, so a random password is safe, and one from a list of common ones is not. It cannot be changed without a restart of
// all that reads credentials.
func CredentialsChecksum(salt string, credentials ...string) string {
	digest := sha256.New()
	for _, text := range append([]string{salt}, credentials...) {
		// The length keeps ("ab", "c") and ("a", "bc") apart. Writing to a hash never fails.
		_, _ = io.WriteString(digest, strconv.Itoa(len(text))+":"+text)
	}
	return hex.EncodeToString(digest.Sum(nil)[:4])
}

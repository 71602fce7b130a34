package objects

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	podsecurity "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/settings"
)

const testImage = "docker.io/chromadb/chroma:1.5.9"

func testSecurity() settings.Security {
	id := settings.DefaultID
	return settings.Security{RunAsUser: &id, RunAsGroup: &id, FSGroup: &id}
}

func testChroma(change func(*chroma.ChromaSpec)) *chroma.Chroma {
	size := resource.MustParse("10Gi")
	of := &chroma.Chroma{
		ObjectMeta: metav1.ObjectMeta{Name: "demo", Namespace: "vectors"},
		Spec: chroma.ChromaSpec{
			ImagePullPolicy: corev1.PullIfNotPresent,
			Storage:         &chroma.Storage{Size: &size},
			Resources: &chroma.Resources{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m"), corev1.ResourceMemory: resource.MustParse("2Gi")},
				Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("4Gi")},
			},
		},
	}
	if change != nil {
		change(&of.Spec)
	}
	return of
}

// asPod as the API server would read it.
func asPod(t *testing.T, of *chroma.Chroma, security settings.Security) *corev1.Pod {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(Pod(of, testImage, chroma.ProductChroma, security))
	if err != nil {
		t.Fatalf("cannot encode the Pod: %v", err)
	}
	pod := &corev1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, pod, true); err != nil {
		t.Fatalf("cannot read the Pod: %v", err)
	}
	return pod
}

func TestPodPassesPodSecurityRestricted(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatalf("cannot make the evaluator: %v", err)
	}
	cases := map[string]struct {
		reason   string
		security settings.Security
	}{
		"FunctionAssignsIDs": {reason: "A namespace that enforces restricted takes the Pod.", security: testSecurity()},
		"PlatformAssignsIDs": {reason: "OpenShift assigns the ids itself, and the Pod is still restricted.", security: settings.Security{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pod := asPod(t, testChroma(nil), tc.security)
			restricted := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
			result := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &pod.ObjectMeta, &pod.Spec))
			if !result.Allowed {
				t.Errorf("\n%s\nEvaluatePod(...): refused: %s", tc.reason, result.ForbiddenDetail())
			}
		})
	}
}

func TestPodHasWhatChromaNeeds(t *testing.T) {
	pod := asPod(t, testChroma(nil), testSecurity())
	container := pod.Spec.Containers[0]
	no := false
	cases := map[string]struct {
		reason    string
		got, want any
	}{
		"ServiceLinks": {reason: "A Service called chroma would set CHROMA_PORT, which the server dies of.", got: pod.Spec.EnableServiceLinks, want: &no},
		"Token":        {reason: "The server never talks to the API.", got: pod.Spec.AutomountServiceAccountToken, want: &no},
		"Command":      {reason: "The image's own entrypoint (dumb-init, chroma) passes SIGTERM on.", got: container.Command, want: []string(nil)},
		"Arguments":    {reason: "The image's own arguments, kept.", got: container.Args, want: []string{"run", "/config.yaml"}},
		"Environment":  {reason: "CHROMA_* variables override the configuration file.", got: container.Env, want: []corev1.EnvVar(nil)},
		"Probes": {reason: "The image has no curl: the probes are HTTP.",
			got:  []string{container.StartupProbe.HTTPGet.Path, container.ReadinessProbe.HTTPGet.Path, container.LivenessProbe.HTTPGet.Path},
			want: []string{"/api/v2/heartbeat", "/api/v2/heartbeat", "/api/v2/heartbeat"}},
		"Grace": {reason: "A server that finishes its requests needs at least 30 seconds.", got: *pod.Spec.TerminationGracePeriodSeconds >= 30, want: true},
		"Tmp": {reason: "Without a writable /tmp every write fails behind a good heartbeat.",
			got: []string{container.VolumeMounts[2].MountPath, pod.Spec.Volumes[2].Name}, want: []string{"/tmp", "tmp"}},
		"Claim": {reason: "Only the claim <name>-1 is ever used.", got: pod.Spec.Volumes[0].PersistentVolumeClaim.ClaimName, want: "demo-1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got); diff != "" {
				t.Errorf("\n%s\nPod(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUserHash(t *testing.T) {
	base := UserHash(&testChroma(nil).Spec, testImage)
	// A hash that changes with a version of the function would replace every Pod of every user.
	if want := "9710cf9f3ef55dba"; base != want {
		t.Errorf("UserHash(the documents' example): want %s for ever, got %s", want, base)
	}
	limit := int64(1)
	cases := map[string]struct {
		reason string
		change func(*chroma.ChromaSpec)
		image  string
		same   bool
	}{
		"Image":         {reason: "Another image is another Pod.", image: "docker.io/chromadb/chroma:1.5.8"},
		"Config":        {reason: "The server reads its configuration at the start.", change: func(s *chroma.ChromaSpec) { s.Config = &chroma.Config{MaxPayloadSizeBytes: &limit} }},
		"EmptyConfig":   {reason: "An empty config is none.", change: func(s *chroma.ChromaSpec) { s.Config = &chroma.Config{} }, same: true},
		"Limits":        {reason: "Other limits are another Pod.", change: func(s *chroma.ChromaSpec) { s.Resources.Limits = nil }},
		"SameQuantity":  {reason: "4096Mi is 4Gi.", change: func(s *chroma.ChromaSpec) { s.Resources.Limits[corev1.ResourceMemory] = resource.MustParse("4096Mi") }, same: true},
		"PullPolicy":    {reason: "Another pull policy is another Pod.", change: func(s *chroma.ChromaSpec) { s.ImagePullPolicy = corev1.PullAlways }},
		"NoPullPolicy":  {reason: "The default is the same as not set.", change: func(s *chroma.ChromaSpec) { s.ImagePullPolicy = "" }, same: true},
		"NodeSelector":  {reason: "Scheduling is part of the Pod.", change: func(s *chroma.ChromaSpec) { s.NodeSelector = map[string]string{"disk": "ssd"} }},
		"Tolerations":   {reason: "Scheduling is part of the Pod.", change: func(s *chroma.ChromaSpec) { s.Tolerations = []corev1.Toleration{{Key: "db"}} }},
		"PriorityClass": {reason: "Scheduling is part of the Pod.", change: func(s *chroma.ChromaSpec) { s.PriorityClassName = "high" }},
		"Service":       {reason: "The Service is not the Pod.", change: func(s *chroma.ChromaSpec) { s.Service = &chroma.Service{Type: corev1.ServiceTypeNodePort} }, same: true},
		"Policy":        {reason: "The claim's end is not the Pod.", change: func(s *chroma.ChromaSpec) { s.PVCDeletionPolicy = chroma.PVCDelete }, same: true},
		"Size":          {reason: "A claim grows under the running Pod.", change: func(s *chroma.ChromaSpec) { size := resource.MustParse("20Gi"); s.Storage.Size = &size }, same: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			image := testImage
			if tc.image != "" {
				image = tc.image
			}
			got := UserHash(&testChroma(tc.change).Spec, image)
			if (got == base) != tc.same {
				t.Errorf("\n%s\nUserHash(...): same as before: want %v, got %v", tc.reason, tc.same, got == base)
			}
		})
	}
}

func TestConfigFile(t *testing.T) {
	limit := int64(1 << 62)
	cases := map[string]struct {
		reason string
		config *chroma.Config
		want   string
	}{
		"Default": {reason: "Chroma's own defaults stay; only what a Pod needs is set.", want: "persist_path: /data\nport: 8000\nstdout_tracing: true\n"},
		"Exact": {reason: "A large number must not turn into 4.6e18, which the server refuses.", config: &chroma.Config{MaxPayloadSizeBytes: &limit},
			want: "max_payload_size_bytes: 4611686018427387904\npersist_path: /data\nport: 8000\nstdout_tracing: true\n"},
		"Origins": {reason: "An origin that looks like something else stays a string.", config: &chroma.Config{CORSAllowOrigins: []string{"*"}},
			want: "cors_allow_origins:\n- '*'\npersist_path: /data\nport: 8000\nstdout_tracing: true\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ConfigFile(tc.config)
			if err != nil {
				t.Fatalf("\n%s\nConfigFile(...): %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nConfigFile(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestObjectsHaveNoZeroValues(t *testing.T) {
	claim, err := ClaimObject(Claim{Name: "demo", Namespace: "vectors", Size: resource.MustParse("10Gi"), Mark: "u/t",
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}}, settings.ProviderConfig{Kind: "ClusterProviderConfig", Name: "default"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := yaml.Marshal(claim)
	if err != nil {
		t.Fatal(err)
	}
	want := `apiVersion: kubernetes.m.crossplane.io/v1alpha1
kind: Object
metadata:
  labels:
    app.kubernetes.io/component: server
    app.kubernetes.io/instance: demo
    app.kubernetes.io/managed-by: function-chroma
    app.kubernetes.io/name: chroma
    chroma.chromadotnet.org/chroma: demo
  name: demo-claim
  namespace: vectors
spec:
  forProvider:
    manifest:
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata:
        annotations:
          chroma.chromadotnet.org/created-for: u/t
        labels:
          app.kubernetes.io/component: server
          app.kubernetes.io/instance: demo
          app.kubernetes.io/managed-by: chroma-operator
          app.kubernetes.io/name: chroma
          chroma.chromadotnet.org/chroma: demo
        name: demo-1
        namespace: vectors
      spec:
        accessModes:
        - ReadWriteOnce
        resources:
          requests:
            storage: 10Gi
  managementPolicies:
  - Observe
  - Create
  - Update
  providerConfigRef:
    kind: ClusterProviderConfig
    name: default
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("ClaimObject(...): -want, +got:\n%s", diff)
	}
}

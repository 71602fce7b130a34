package singlenode

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
)

// TestAPodThatTheAPIWouldRefuseIsPredicted, before the one that runs is deleted for it.
func TestAPodThatTheAPIWouldRefuseIsPredicted(t *testing.T) {
	seconds := int64(5)
	amounts := func(name, amount string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceName(name): resource.MustParse(amount)}
	}
	tolerate := func(toleration corev1.Toleration) chroma.ChromaSpec {
		return chroma.ChromaSpec{Tolerations: []corev1.Toleration{toleration}}
	}
	cases := map[string]struct {
		reason string
		spec   chroma.ChromaSpec
		// want is the path of each problem, in its order.
		want []string
	}{
		"Nothing": {reason: "A spec without any of it is fine."},
		"Fine": {
			reason: "What Kubernetes takes, passes.",
			spec: chroma.ChromaSpec{
				NodeSelector: map[string]string{"disktype": "ssd", "example.org/zone": ""}, PriorityClassName: "system-node-critical",
				Tolerations: []corev1.Toleration{
					{Operator: corev1.TolerationOpExists}, {Key: "dedicated", Value: "chroma", Effect: corev1.TaintEffectNoSchedule},
					{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds},
				},
				Resources: &chroma.Resources{Requests: amounts("cpu", "500m"), Limits: amounts("nvidia.com/gpu", "1")},
			},
		},
		"NodeSelectorKey":        {"A label has a name.", chroma.ChromaSpec{NodeSelector: map[string]string{"disk type": "ssd"}}, []string{"spec.nodeSelector"}},
		"NodeSelectorValue":      {"A label's value has no blanks.", chroma.ChromaSpec{NodeSelector: map[string]string{"disktype": "very fast"}}, []string{"spec.nodeSelector[disktype]"}},
		"PriorityClassName":      {"A priority class has the name of an object.", chroma.ChromaSpec{PriorityClassName: "High Priority"}, []string{"spec.priorityClassName"}},
		"TolerationKey":          {"A taint's key is a label's.", tolerate(corev1.Toleration{Key: "a b"}), []string{"spec.tolerations[0].key"}},
		"TolerationWithoutKey":   {"Without a key all taints are meant, which only Exists can say.", tolerate(corev1.Toleration{Value: "a"}), []string{"spec.tolerations[0].operator"}},
		"TolerationOfAnyValue":   {"Exists compares no value.", tolerate(corev1.Toleration{Key: "a", Operator: corev1.TolerationOpExists, Value: "b"}), []string{"spec.tolerations[0].value"}},
		"TolerationOperator":     {"There are two operators.", tolerate(corev1.Toleration{Key: "a", Operator: "Is"}), []string{"spec.tolerations[0].operator"}},
		"TolerationEffect":       {"There are three effects.", tolerate(corev1.Toleration{Key: "a", Effect: "NoStart"}), []string{"spec.tolerations[0].effect"}},
		"TolerationSeconds":      {"Only NoExecute has a time.", tolerate(corev1.Toleration{Key: "a", Effect: corev1.TaintEffectNoSchedule, TolerationSeconds: &seconds}), []string{"spec.tolerations[0].effect"}},
		"ResourceName":           {"Kubernetes' own resources are three.", chroma.ChromaSpec{Resources: &chroma.Resources{Limits: amounts("mem", "1Gi")}}, []string{"spec.resources.limits[mem]"}},
		"ResourceDomain":         {"A name in Kubernetes' own domain passes, whatever the amount.", chroma.ChromaSpec{Resources: &chroma.Resources{Limits: amounts("kubernetes.io/gpu", "500m")}}, nil},
		"ResourceWithoutAName":   {"A domain has a name behind it.", chroma.ChromaSpec{Resources: &chroma.Resources{Limits: amounts("example.org/", "1")}}, []string{"spec.resources.limits[example.org/]", "spec.resources.limits[example.org/]"}},
		"NegativeAmount":         {"Nothing is less than none.", chroma.ChromaSpec{Resources: &chroma.Resources{Requests: amounts("cpu", "-1")}}, []string{"spec.resources.requests[cpu]"}},
		"RequestAboveLimit":      {"A request is at most its limit.", chroma.ChromaSpec{Resources: &chroma.Resources{Requests: amounts("memory", "2Gi"), Limits: amounts("memory", "1Gi")}}, []string{"spec.resources.requests[memory]"}},
		"PartOfADevice":          {"Devices are whole.", chroma.ChromaSpec{Resources: &chroma.Resources{Limits: amounts("nvidia.com/gpu", "500m")}}, []string{"spec.resources.limits[nvidia.com/gpu]"}},
		"DeviceWithoutALimit":    {"A LimitRange may add it.", chroma.ChromaSpec{Resources: &chroma.Resources{Requests: amounts("nvidia.com/gpu", "1")}}, nil},
		"DevicesOvercommitted":   {"Devices cannot be overcommitted.", chroma.ChromaSpec{Resources: &chroma.Resources{Requests: amounts("nvidia.com/gpu", "1"), Limits: amounts("nvidia.com/gpu", "2")}}, []string{"spec.resources.requests[nvidia.com/gpu]"}},
		"HugePagesOvercommitted": {"Nor can huge pages.", chroma.ChromaSpec{Resources: &chroma.Resources{Requests: amounts("hugepages-2Mi", "2Mi"), Limits: amounts("hugepages-2Mi", "4Mi")}}, []string{"spec.resources.requests[hugepages-2Mi]"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := make([]string, 0, len(tc.want))
			for _, problem := range validatePod(tc.spec) {
				got = append(got, problem.Field)
			}
			if strings.Join(got, " ") != strings.Join(tc.want, " ") {
				t.Errorf("\n%s\nvalidatePod(...): want problems of %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

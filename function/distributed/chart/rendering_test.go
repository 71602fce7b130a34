package chart_test

import (
	"testing"

	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/distributed/chart/v52ce844"
)

// TestRendering: a release that gives other Pods for some Chroma has another fingerprint, or its update would roll all tiers
// of that Chroma at once.
func TestRendering(t *testing.T) {
	cases := map[string]func(chart.Values, chart.Component) bool{
		"Always":    func(chart.Values, chart.Component) bool { return true },
		"Endpoint":  func(v chart.Values, _ chart.Component) bool { return v.S3.Endpoint != "" },
		"PathStyle": func(v chart.Values, _ chart.Component) bool { return v.S3.ForcePathStyle() },
		"Registry":  func(v chart.Values, _ chart.Component) bool { return v.Registry != chart.DefaultRegistry },
		"SSLMode":   func(v chart.Values, _ chart.Component) bool { return v.Postgres.SSLMode != chart.DefaultSSLMode },
		"Checksums": func(v chart.Values, _ chart.Component) bool {
			return v.Checksums.Postgres != "" && v.Checksums.S3 != ""
		},
		"Namespace":    func(v chart.Values, _ chart.Component) bool { return v.Namespace != "chroma" },
		"Replicas":     func(v chart.Values, c chart.Component) bool { return v.Components[c.Name].Replicas > c.Replicas },
		"NodeSelector": func(v chart.Values, c chart.Component) bool { return v.Components[c.Name].NodeSelector != nil },
		"Tolerations":  func(v chart.Values, c chart.Component) bool { return v.Components[c.Name].Tolerations != nil },
		"Affinity":     func(v chart.Values, c chart.Component) bool { return v.Components[c.Name].Affinity != nil },
		"Limits": func(v chart.Values, c chart.Component) bool {
			return v.Components[c.Name].Limits["cpu"] != c.Limits["cpu"]
		},
	}
	before, _ := v52ce844.Version().WithRenderings().Component(chart.QueryService)
	for name, where := range cases {
		t.Run(name, func(t *testing.T) {
			version := v52ce844.Version()
			for i, component := range version.Components {
				version.Components[i].Environment = func(values chart.Values) []*applycorev1.EnvVarApplyConfiguration {
					environment := component.Environment(values)
					if where(values, component) {
						environment = append(environment, applycorev1.EnvVar().WithName("NEW").WithValue("1"))
					}
					return environment
				}
			}
			if after, _ := version.WithRenderings().Component(chart.QueryService); after.Rendering == before.Rendering {
				t.Error("the fingerprint is that of before")
			}
		})
	}
}

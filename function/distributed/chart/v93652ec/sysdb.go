package v93652ec

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/function-chroma/function-chroma/function/distributed/chart"
)

// sysdb is the Go service. It takes flags instead of a config file.
func sysdb() chart.Component {
	return chart.Component{
		Name: chart.SysDB, Kind: chart.Deployment, Workload: "sysdb",
		Image: "sysdb-service", Tier: chart.TierSysDB,
		Fields:   chart.Fields{NodeSelector: true, Tolerations: true},
		Replicas: 1, Limits: resources("100m", "384Mi"), Requests: resources("100m", "128Mi"),
		ServiceAccount: "sysdb-serviceaccount",
		Command: func(values chart.Values) []string {
			return []string{"/bin/sh", "-c", "coordinator coordinator " + sysdbFlags(values)}
		},
		Environment: func(values chart.Values) []*applycorev1.EnvVarApplyConfiguration {
			return append(sysdbEnvironment(values),
				chart.VariableFromField("POD_NAME", "metadata.name"),
				chart.VariableFromField("POD_NAMESPACE", "metadata.namespace"))
		},
		Ports:     ports(applycorev1.ContainerPort().WithName("grpc").WithContainerPort(50051)),
		Readiness: everySecond().WithGRPC(applycorev1.GRPCAction().WithPort(50051)),
		Service: &chart.Service{Type: corev1.ServiceTypeClusterIP, Port: applycorev1.ServicePort().
			WithName("grpc").WithPort(50051).WithTargetPort(intstr.FromString("grpc"))},
	}
}

// migration has the whole environment of the sysdb, as in the chart.
func migration() chart.Migration {
	return chart.Migration{
		Image: "sysdb-migration",
		Args: func(values chart.Values) []string {
			postgres := values.Postgres
			// Kubernetes expands the credentials, which may therefore hold nothing that a URL would escape.
			return []string{"migrate", "apply", "--url", "postgres://$(POSTGRES_USERNAME):$(POSTGRES_PASSWORD)@" +
				postgres.Host + ":" + strconv.Itoa(int(postgres.Port)) + "/" + postgres.Database + "?sslmode=" + postgres.SSLMode}
		},
		Environment: sysdbEnvironment,
		Latest:      "20260810120000",
	}
}

func sysdbEnvironment(values chart.Values) []*applycorev1.EnvVarApplyConfiguration {
	return slices.Concat(
		[]*applycorev1.EnvVarApplyConfiguration{chart.Variable("OPTL_TRACING_ENDPOINT", values.Collector())},
		chart.PostgresCredentials(values),
		chart.S3Credentials(values),
	)
}

// sysdbFlags stand unquoted in a shell word: every value has a pattern that admits nothing a shell would act on.
//
// The bucket is never created: the sysdb fails to start with credentials that may not do so. With empty keys it takes
// them from its environment. The read address has a default of its own.
func sysdbFlags(values chart.Values) string {
	flags := []string{
		"bucket-name=" + values.S3.Bucket,
		"create-bucket-if-not-exists=false",
		"db-address=" + values.Postgres.Host,
		"db-name=" + values.Postgres.Database,
		"db-port=" + strconv.Itoa(int(values.Postgres.Port)),
		"kubernetes-namespace=" + values.Namespace,
		"password=$(POSTGRES_PASSWORD)",
		"read-db-address=" + values.Postgres.Host,
		"s3-access-key-id=",
		"s3-endpoint=" + values.S3.Endpoint,
		"s3-force-path-style=" + strconv.FormatBool(values.S3.ForcePathStyle()),
		"s3-region=" + values.S3.Region,
		"s3-secret-access-key=",
		"ssl-mode=" + values.Postgres.SSLMode,
		"username=$(POSTGRES_USERNAME)",
		"version-file-enabled=true",
	}
	return "--" + strings.Join(flags, " --")
}

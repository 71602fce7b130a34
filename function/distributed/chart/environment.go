package chart

import applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"

// Keys of the Secrets of a Chroma.
const (
	postgresUsernameKey = "username"
	postgresPasswordKey = "password"
	s3AccessKeyIDKey    = "accessKeyId"
	s3SecretKeyKey      = "secretAccessKey"
)

// Variable with a value.
func Variable(name, value string) *applycorev1.EnvVarApplyConfiguration {
	return applycorev1.EnvVar().WithName(name).WithValue(value)
}

// VariableFromField of the Pod.
func VariableFromField(name, path string) *applycorev1.EnvVarApplyConfiguration {
	return applycorev1.EnvVar().WithName(name).WithValueFrom(applycorev1.EnvVarSource().
		WithFieldRef(applycorev1.ObjectFieldSelector().WithFieldPath(path)))
}

func variableFromSecret(name, secret, key string) *applycorev1.EnvVarApplyConfiguration {
	return applycorev1.EnvVar().WithName(name).WithValueFrom(applycorev1.EnvVarSource().
		WithSecretKeyRef(applycorev1.SecretKeySelector().WithName(secret).WithKey(key)))
}

// ConfigPath is where every Rust service reads its config file.
func ConfigPath() *applycorev1.EnvVarApplyConfiguration {
	return Variable("CONFIG_PATH", configMountPath+configKey)
}

// PostgresCredentials are for the sysdb and the migration alone: no Rust service has a Postgres setting.
func PostgresCredentials(values Values) []*applycorev1.EnvVarApplyConfiguration {
	return []*applycorev1.EnvVarApplyConfiguration{
		variableFromSecret("POSTGRES_USERNAME", values.Postgres.Secret, postgresUsernameKey),
		variableFromSecret("POSTGRES_PASSWORD", values.Postgres.Secret, postgresPasswordKey),
	}
}

// S3Credentials are what both SDKs find in their environment chain.
func S3Credentials(values Values) []*applycorev1.EnvVarApplyConfiguration {
	return []*applycorev1.EnvVarApplyConfiguration{
		variableFromSecret("AWS_ACCESS_KEY_ID", values.S3.Secret, s3AccessKeyIDKey),
		variableFromSecret("AWS_SECRET_ACCESS_KEY", values.S3.Secret, s3SecretKeyKey),
	}
}

// S3Client is all that a Rust service needs to reach the bucket: with credentials "AWS" in its config file it takes
// everything but the bucket from the environment.
func S3Client(values Values) []*applycorev1.EnvVarApplyConfiguration {
	variables := append(S3Credentials(values), Variable("AWS_REGION", values.S3.Region))
	if values.S3.Endpoint != "" {
		variables = append(variables, Variable("AWS_ENDPOINT_URL", values.S3.Endpoint))
	}
	return variables
}

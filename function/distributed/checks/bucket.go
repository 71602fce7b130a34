package checks

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/reason"
)

// checkBucket lists it, as the sysdb does when it starts. Nothing is written.
func (c *Checker) checkBucket(ctx context.Context, through dialer, target distributed.BucketTarget) answer {
	store := target.Endpoint
	if store == "" {
		store = "AWS in " + target.Region
	}
	subject := fmt.Sprintf("The bucket %s at %s", target.Bucket, store)
	address, err := resolveBucket(ctx, target)
	if err != nil {
		return answer{result: failed(reason.Unreachable, subject+" cannot be asked for: the SDK for S3 makes no address of bucket, region and endpoint.")}
	}
	through.written = address.endpoint
	client, done := c.bucketClient(through, target)
	defer done()
	listed, err := client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &target.Bucket, MaxKeys: aws.Int32(1)})
	switch {
	case err != nil:
		return answer{result: bucketFailure(ctx, subject, through, target, address, err)}
	case aws.ToString(listed.Name) == "":
		return answer{result: failed(reason.Unreachable, subject+" cannot be used: what answers does not behave like S3.")}
	}
	return answer{result: passed(subject + " can be listed with the credentials.")}
}

// bucketAddress is where the SDK for S3 looks for a bucket: the host that it asks, and the host of the endpoint alone.
type bucketAddress struct{ host, endpoint string }

// resolveBucket with the rules of the SDK, which puts the bucket in front of the host wherever that makes a name.
func resolveBucket(ctx context.Context, target distributed.BucketTarget) (bucketAddress, error) {
	resolver := s3.NewDefaultEndpointResolverV2()
	parameters := s3.EndpointParameters{Region: &target.Region, Bucket: &target.Bucket}
	if target.Endpoint != "" {
		parameters.Endpoint = &target.Endpoint
	}
	withBucket, err := resolver.ResolveEndpoint(ctx, parameters)
	if err != nil {
		return bucketAddress{}, fmt.Errorf("cannot resolve the endpoint of the bucket: %w", err)
	}
	if target.Endpoint != "" {
		endpoint, err := url.Parse(target.Endpoint)
		if err != nil {
			return bucketAddress{}, fmt.Errorf("cannot read the endpoint: %w", err)
		}
		return bucketAddress{host: withBucket.URI.Hostname(), endpoint: endpoint.Hostname()}, nil
	}
	parameters.Bucket = nil
	alone, err := resolver.ResolveEndpoint(ctx, parameters)
	if err != nil {
		return bucketAddress{}, fmt.Errorf("cannot resolve the endpoint of the region: %w", err)
	}
	return bucketAddress{host: withBucket.URI.Hostname(), endpoint: alone.URI.Hostname()}, nil
}

// bucketClient takes nothing from the environment of this process, neither credentials nor a proxy. It follows no
// redirect, since that would lead it wherever the other side likes. Call done after use.
func (c *Checker) bucketClient(through dialer, target distributed.BucketTarget) (client *s3.Client, done func()) {
	transport := &http.Transport{
		DialContext:            through.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: c.environment.Roots, MinVersion: tls.VersionTLS12},
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxAnswer,
	}
	options := s3.Options{
		Region:      target.Region,
		Credentials: credentials.NewStaticCredentialsProvider(target.AccessKeyID, target.SecretAccessKey, ""),
		Retryer:     aws.NopRetryer{},
		HTTPClient: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	if target.Endpoint != "" {
		options.BaseEndpoint = &target.Endpoint
	}
	return s3.New(options), transport.CloseIdleConnections
}

// bucketFailure classifies the error of a listing.
func bucketFailure(
	ctx context.Context, subject string, through dialer, target distributed.BucketTarget, address bucketAddress, err error,
) distributed.Result {
	if notFound(err) && address.host != address.endpoint && through.found(ctx, address.endpoint) {
		return failed(reason.VirtualHostNotResolvable, fmt.Sprintf(
			"%s cannot be reached: Chroma asks for %s, and that name does not resolve. An IP address as the endpoint keeps the bucket in the path.",
			subject, address.host))
	}
	if result, ok := storeRefusal(subject, target, err); ok {
		return result
	}
	if result, ok := connectionFailure(subject, err); ok {
		return result
	}
	var network *net.OpError
	if errors.As(err, &network) && network.Op == "dial" {
		return failed(reason.Unreachable, subject+" cannot be reached: nothing accepts the connection.")
	}
	return failed(reason.Unreachable, subject+" cannot be used: what answers does not behave like S3.")
}

// storeRefusal by the store itself. The error codes are those of S3, which the others took over.
func storeRefusal(subject string, target distributed.BucketTarget, err error) (distributed.Result, bool) {
	if refusal, ok := errors.AsType[smithy.APIError](err); ok {
		switch refusal.ErrorCode() {
		case "NoSuchBucket":
			return failed(reason.BucketNotFound, subject+" does not exist."), true
		case "PermanentRedirect", "IllegalLocationConstraintException":
			return failed(reason.BucketNotFound, fmt.Sprintf("%s is not in the region %s.", subject, target.Region)), true
		case "AuthorizationHeaderMalformed":
			return failed(reason.AuthenticationFailed, fmt.Sprintf("%s refuses the signature: the region %s is not its own, perhaps.", subject, target.Region)), true
		case "RequestTimeTooSkewed":
			return failed(reason.AuthenticationFailed, subject+" refuses the signature: the clocks of the function and of the store differ."), true
		case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "InvalidSecurity":
			return failed(reason.AuthenticationFailed, subject+" refuses the access key or the secret key."), true
		case "AccessDenied", "AllAccessDisabled", "AccountProblem":
			return failed(reason.AccessDenied, subject+" may not be listed with the credentials."), true
		}
	}
	var response *smithyhttp.ResponseError
	if !errors.As(err, &response) {
		return distributed.Result{}, false
	}
	switch status := response.HTTPStatusCode(); {
	case status == http.StatusUnauthorized:
		return failed(reason.AuthenticationFailed, subject+" refuses the credentials."), true
	case status == http.StatusForbidden:
		return failed(reason.AccessDenied, subject+" may not be listed with the credentials."), true
	case status >= http.StatusMultipleChoices && status < http.StatusBadRequest:
		return failed(reason.Unreachable, subject+" cannot be used: the endpoint leads to another one. Name that."), true
	case status == http.StatusTooManyRequests || status >= http.StatusInternalServerError:
		return failed(reason.Unreachable, subject+" cannot be used now: the store says that it is not well."), true
	}
	return distributed.Result{}, false
}

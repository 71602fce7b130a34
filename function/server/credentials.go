package server

import (
	"errors"
	"fmt"

	function "github.com/crossplane/function-sdk-go"
	"google.golang.org/grpc/credentials"
)

// Credentials of the server, made the way of the SDK: from the folder's tls.crt and tls.key, asking clients for a
// certificate of ca.crt, or none at all when insecure. Serving without TLS must be asked for.
func Credentials(folder string, insecure bool) (credentials.TransportCredentials, error) {
	if folder == "" && !insecure {
		return nil, errors.New("cannot serve without certificates: give --tls-certs-dir, or --insecure to develop")
	}

	option := function.MTLSCertificates(folder)
	if insecure {
		option = function.Insecure(true)
	}

	o := &function.ServeOptions{}
	if err := option(o); err != nil {
		return nil, fmt.Errorf("cannot load the certificates in %q: %w", folder, err)
	}

	return o.Credentials, nil
}

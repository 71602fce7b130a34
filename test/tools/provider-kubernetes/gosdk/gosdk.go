// Package gosdk stands in for the SDK of a cloud whose credentials the tests do not use. It has what provider-kubernetes
// refers to, and every use of it fails.
package gosdk

import (
	"context"
	"errors"

	"github.com/nebius/gosdk/auth"
)

// ErrUnavailable is the answer to every use.
var ErrUnavailable = errors.New("this provider-kubernetes was built without the Nebius SDK")

// An SDK that cannot be made.
type SDK struct{}

// An Option of New.
type Option struct{}

// Credentials that are never read.
type Credentials struct{}

// New fails.
func New(context.Context, ...Option) (*SDK, error) { return nil, ErrUnavailable }

// WithCredentials is an Option.
func WithCredentials(Credentials) Option { return Option{} }

// ServiceAccountReader gives credentials.
func ServiceAccountReader(auth.PrivateKeyParser) Credentials { return Credentials{} }

// BearerToken fails.
func (*SDK) BearerToken(context.Context) (auth.BearerToken, error) {
	return auth.BearerToken{}, ErrUnavailable
}

package upgrade

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/function-chroma/function-chroma/plugin/exit"
)

// registryPatience with a registry that is asked for a tag.
const registryPatience = 5 * time.Second

// lookUp the tag. What the registry does not have would stop the server and start no other. A registry that cannot be
// asked from here can still be one that the node can pull from.
func (o *ApplyOptions) lookUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, registryPatience)
	defer cancel()
	reference, err := name.ParseReference(o.image)
	if err == nil {
		_, err = remote.Head(reference, remote.WithContext(ctx))
	}
	var answer *transport.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound:
		return exit.Errorf(exit.Refused, "the registry does not have %s, so nothing was changed; --check-registry=false leaves the look out", o.image)
	}
	_, err = fmt.Fprintf(o.Streams.ErrOut, "warning: the image could not be looked up in its registry from here: %v\n", err)
	return err
}

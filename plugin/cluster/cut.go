package cluster

import (
	"context"
	"fmt"
	"net/http"
)

// cut tells at once of a connection that broke. client-go would try again for longer than a person waits, and then say
// nothing but that the time is up.
type cut struct{ next http.RoundTripper }

func (c cut) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(request)
	if err != nil && context.Cause(request.Context()) == nil {
		// Another type and text than those that client-go takes for worth another try.
		return nil, broken{cause: err}
	}
	return response, err //nolint:wrapcheck // A RoundTripper between two others passes errors on.
}

type broken struct{ cause error }

func (b broken) Error() string { return fmt.Sprintf("the connection broke: %v", b.cause) }

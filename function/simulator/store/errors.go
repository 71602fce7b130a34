package store

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// conflictText is what the API server says to a stale resourceVersion.
const conflictText = "the object has been modified; please apply your changes to the latest version and try again"

// invalid is the API server's 422, in its words.
func invalid(key Key, format string, args ...any) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusUnprocessableEntity,
		Reason:  metav1.StatusReasonInvalid,
		Message: kindName(key) + ` "` + key.Name + `" is invalid: ` + fmt.Sprintf(format, args...),
	}}
}

// kindName is Kind, with the group for kinds that have one, as in "Srv.proto.example.org".
func kindName(key Key) string {
	if key.GVK.Group == "" {
		return key.GVK.Kind
	}
	return key.GVK.Kind + "." + key.GVK.Group
}

// NewInvalid is a 422 of the API server about an object.
func NewInvalid(key Key, message string) *apierrors.StatusError {
	return invalid(key, "%s", message)
}

// NewForbidden is a 403 of the API server about an object.
func NewForbidden(key Key, message string) *apierrors.StatusError {
	return apierrors.NewForbidden(key.resource(), key.Name, errors.New(message))
}

// NewConflict is the API server's 409 for a stale object.
func NewConflict(key Key) *apierrors.StatusError {
	return apierrors.NewConflict(key.resource(), key.Name, errors.New(conflictText))
}

// NewNotFound is the API server's 404.
func NewNotFound(key Key) *apierrors.StatusError {
	return apierrors.NewNotFound(key.resource(), key.Name)
}

func conflict(key Key, format string, args ...any) *apierrors.StatusError {
	return apierrors.NewConflict(key.resource(), key.Name, fmt.Errorf(format, args...))
}

// exists is the answer to a create beside an object, which may be on its way out.
func exists(key Key, ending bool) *apierrors.StatusError {
	err := apierrors.NewAlreadyExists(key.resource(), key.Name)
	if ending {
		err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
	}
	return err
}

func badRequest(message string) *apierrors.StatusError { return apierrors.NewBadRequest(message) }

package checks

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/checks/hosts"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

func passed(message string) distributed.Result {
	return distributed.Result{Status: pass.True, Reason: reason.CheckPassed, Message: message}
}

// failed results have messages of our own making, in which nothing stands that the other side has sent: whoever may
// write a Chroma would otherwise read what answers in the network of the function.
func failed(why reason.Reason, message string) distributed.Result {
	return distributed.Result{Status: pass.False, Reason: why, Message: message}
}

// connectionFailure classifies what keeps any client from talking to the other side, called subject in the message.
func connectionFailure(subject string, err error) (distributed.Result, bool) {
	var refusal *hosts.Refusal
	switch {
	case errors.As(err, &refusal):
		return failed(reason.HostNotAllowed, subject+" is not connected to: "+refusal.Error()+"."), true
	case isTimeout(err):
		return failed(reason.Timeout, subject+" does not answer in time."), true
	case notFound(err):
		return failed(reason.Unreachable, subject+" cannot be reached: its name does not resolve."), true
	case isTLS(err):
		return failed(reason.TLSFailed, subject+" does not speak TLS as it should: "+explainTLS(err)+"."), true
	}
	return distributed.Result{}, false
}

func isTimeout(err error) bool {
	var network net.Error
	return errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &network) && network.Timeout())
}

func isTLS(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		header       tls.RecordHeaderError
		alert        tls.AlertError
	)
	return errors.As(err, &verification) || errors.As(err, &header) || errors.As(err, &alert) ||
		errors.Is(err, http.ErrSchemeMismatch) || isCertificate(err)
}

func isCertificate(err error) bool {
	var (
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		hostname  x509.HostnameError
	)
	return errors.As(err, &authority) || errors.As(err, &invalid) || errors.As(err, &hostname)
}

// explainTLS without a word of the certificate.
func explainTLS(err error) string {
	var (
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		hostname  x509.HostnameError
	)
	switch {
	case errors.As(err, &authority):
		return "its certificate is signed by an authority that is not trusted"
	case errors.As(err, &hostname):
		return "its certificate is for another name"
	case errors.As(err, &invalid):
		return "its certificate is not valid, expired perhaps"
	}
	return "there is no secure connection"
}

package checks

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/reason"
)

// The migration tool's own record. Atlas, run without a schema in its URL, keeps the table in a schema of the same name,
// with one row of its own whose version begins with a dot. Chroma's versions are times of 14 digits.
const (
	// hasRevisions asks first, since a query of an absent table would leave an error in the log of Postgres each time.
	hasRevisions = `SELECT 1 WHERE to_regclass('atlas_schema_revisions.atlas_schema_revisions') IS NOT NULL`

	latestRevision = `SELECT version FROM atlas_schema_revisions.atlas_schema_revisions ` +
		`WHERE version ~ '^[0-9]{14}$' ORDER BY version COLLATE "C" DESC LIMIT 1`
)

// SQLSTATEs of Postgres that tell something about the credentials or the database.
const (
	stateInvalidAuthorization  = "28000"
	stateInvalidPassword       = "28P01"
	stateInvalidCatalog        = "3D000"
	stateInsufficientPrivilege = "42501"
	stateTooManyConnections    = "53300"
	stateCannotConnectNow      = "57P03"
)

// checkPostgres as the sysdb and its migration use it, and read the latest revision.
func (c *Checker) checkPostgres(ctx context.Context, through dialer, target distributed.PostgresTarget) answer {
	subject := fmt.Sprintf("Postgres at %s", net.JoinHostPort(target.Host, strconv.Itoa(int(target.Port))))
	attempt := &attempt{subject: subject, target: target}
	config, err := c.postgresConfig(attempt, through)
	if err != nil {
		return answer{result: failed(reason.Unreachable, subject+" cannot be asked with these settings.")}
	}
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return answer{result: attempt.failure(err)}
	}
	defer conn.Close(ctx)
	revision, err := readRevision(ctx, conn)
	if err != nil {
		return answer{result: attempt.failure(err)}
	}
	return answer{result: passed(fmt.Sprintf("%s accepts the credentials for the database %s.", subject, target.Database)), revision: revision}
}

// An attempt to connect, and how far it came.
type attempt struct {
	subject string
	target  distributed.PostgresTarget
	// connected is written from a goroutine of pgx's own too, when it cancels what runs out of time.
	connected, secure atomic.Bool
}

// postgresConfig takes nothing from the environment of this process: what libpq's variables and files say is
// overwritten.
func (c *Checker) postgresConfig(attempt *attempt, through dialer) (*pgconn.Config, error) {
	target := attempt.target
	config, err := pgconn.ParseConfig("sslmode=disable target_session_attrs=any")
	if err != nil {
		return nil, fmt.Errorf("cannot make the settings of a connection: %w", err)
	}
	config.Host, config.Port, config.Database = target.Host, uint16(target.Port), target.Database //nolint:gosec // The API has ports only.
	config.User, config.Password = target.Username, target.Password
	config.TLSConfig, config.Fallbacks = c.postgresTLS(target), nil
	config.ConnectTimeout = 0 // The context has the time.
	config.RuntimeParams = map[string]string{"application_name": "function-chroma"}
	config.SSLNegotiation, config.SSLCertMode = "postgres", "disable"
	config.ChannelBinding, config.RequireAuth = "prefer", ""
	config.MinProtocolVersion, config.MaxProtocolVersion = "3.0", "3.0"
	config.KerberosSrvName, config.KerberosSpn = "", ""
	config.OAuthTokenProvider, config.ValidateConnect, config.AfterConnect = nil, nil, nil
	config.MaxProtocolMessageBodyLen = maxAnswer
	// The dialer resolves, since it looks at what a name resolves to.
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := through.DialContext(ctx, network, address)
		if err == nil {
			attempt.connected.Store(true)
		}
		return conn, err
	}
	config.AfterNetConnect = func(ctx context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		if secured, ok := conn.(*tls.Conn); ok {
			if err := secured.HandshakeContext(ctx); err != nil {
				return conn, fmt.Errorf("cannot secure the connection: %w", err)
			}
		}
		attempt.secure.Store(true)
		return conn, nil
	}
	return config, nil
}

// postgresTLS by sslMode, as the clients of the sysdb and of its migration understand it.
func (c *Checker) postgresTLS(target distributed.PostgresTarget) *tls.Config {
	config := &tls.Config{RootCAs: c.environment.Roots, ServerName: target.Host, MinVersion: tls.VersionTLS12}
	switch target.SSLMode {
	case "disable":
		return nil
	case "verify-full":
		return config
	case "verify-ca":
		config.InsecureSkipVerify = true // The chain is verified below, and this mode has no look at the name.
		config.VerifyConnection = func(state tls.ConnectionState) error {
			return verifyChain(state.PeerCertificates, c.environment.Roots)
		}
		return config
	default: // require: whoever sits on the line can answer, as this mode means it.
		config.InsecureSkipVerify = true
		return config
	}
}

func verifyChain(certificates []*x509.Certificate, roots *x509.CertPool) error {
	if len(certificates) == 0 {
		return errors.New("no certificate")
	}
	options := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
	for _, intermediate := range certificates[1:] {
		options.Intermediates.AddCert(intermediate)
	}
	_, err := certificates[0].Verify(options)
	return err //nolint:wrapcheck // It is told apart by its type.
}

// readRevision is empty where nothing was migrated yet.
func readRevision(ctx context.Context, conn *pgconn.PgConn) (string, error) {
	there, err := rows(ctx, conn, hasRevisions)
	if err != nil || len(there) == 0 {
		return "", err
	}
	latest, err := rows(ctx, conn, latestRevision)
	if err != nil || len(latest) == 0 {
		return "", err
	}
	// The revision gets into a condition, and this may be anybody's server.
	if len(latest[0]) != 1 || !isRevision(string(latest[0][0])) {
		return "", errors.New("cannot read the revisions: not a revision")
	}
	return string(latest[0][0]), nil
}

// rows of one statement.
func rows(ctx context.Context, conn *pgconn.PgConn, statement string) ([][][]byte, error) {
	results, err := conn.Exec(ctx, statement).ReadAll()
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read the revisions: %w", err)
	case len(results) != 1:
		return nil, errors.New("cannot read the revisions: not one result")
	}
	return results[0].Rows, nil
}

func isRevision(text string) bool {
	const digits = 14
	return len(text) == digits && !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

func sqlState(err error) string {
	if postgres, ok := errors.AsType[*pgconn.PgError](err); ok {
		return postgres.Code
	}
	return ""
}

// failure of an attempt.
func (a *attempt) failure(err error) distributed.Result {
	if result, ok := a.refusal(sqlState(err)); ok {
		return result
	}
	if result, ok := connectionFailure(a.subject, err); ok {
		return result
	}
	switch {
	case sqlState(err) != "":
		return failed(reason.Unreachable, a.subject+" cannot be used: it answers with an error that says nothing of the credentials. Its log has more.")
	case !a.connected.Load():
		return failed(reason.Unreachable, a.subject+" cannot be reached: nothing accepts the connection.")
	case !a.secure.Load():
		return failed(reason.TLSFailed, fmt.Sprintf("%s does not speak TLS, which sslMode %s asks for.", a.subject, a.target.SSLMode))
	}
	return failed(reason.Unreachable, a.subject+" cannot be used: what answers does not behave like Postgres.")
}

// refusal by Postgres itself.
func (a *attempt) refusal(state string) (distributed.Result, bool) {
	switch state {
	case stateInvalidPassword:
		return failed(reason.AuthenticationFailed, a.subject+" refuses the user name or the password."), true
	case stateInvalidAuthorization:
		return failed(reason.AuthenticationFailed, fmt.Sprintf(
			"%s does not let the user in from here with sslMode %s, whatever the password.", a.subject, a.target.SSLMode)), true
	case stateInvalidCatalog:
		return failed(reason.DatabaseNotFound, fmt.Sprintf("%s has no database %s.", a.subject, a.target.Database)), true
	case stateInsufficientPrivilege:
		return failed(reason.AccessDenied, fmt.Sprintf(
			"%s does not let the user use the database %s, or read the table of its migrations.", a.subject, a.target.Database)), true
	case stateTooManyConnections:
		return failed(reason.Unreachable, a.subject+" takes no more connections."), true
	case stateCannotConnectNow:
		return failed(reason.Unreachable, a.subject+" is starting or stopping."), true
	}
	return distributed.Result{}, false
}

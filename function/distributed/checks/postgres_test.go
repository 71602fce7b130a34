package checks_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/function-chroma/function-chroma/function/distributed"
	"github.com/function-chroma/function-chroma/function/distributed/checks"
	"github.com/function-chroma/function-chroma/function/pass"
	"github.com/function-chroma/function-chroma/function/reason"
)

// migrations is the table that Atlas makes, with its own row and two revisions of Chroma.
const migrations = `
CREATE SCHEMA atlas_schema_revisions;
CREATE TABLE atlas_schema_revisions.atlas_schema_revisions (
  version character varying NOT NULL PRIMARY KEY, description character varying NOT NULL, type bigint NOT NULL DEFAULT 2,
  applied bigint NOT NULL DEFAULT 0, total bigint NOT NULL DEFAULT 0, executed_at timestamptz NOT NULL,
  execution_time bigint NOT NULL, error text, error_stmt text, hash character varying NOT NULL, partial_hashes jsonb,
  operator_version character varying NOT NULL);
INSERT INTO atlas_schema_revisions.atlas_schema_revisions (version, description, executed_at, execution_time, hash, operator_version) VALUES
  ('.atlas_cloud_identifier', 'an id', now(), 0, '', 'Atlas'),
  ('20240313233558', '', now(), 1, 'h', 'Atlas'), ('20260810120000', '', now(), 1, 'h', 'Atlas'), ('20251209143000', '', now(), 1, 'h', 'Atlas');
`

func TestPostgres(t *testing.T) {
	trusted, other := newAuthority(t), newAuthority(t)
	server := startPostgres(t, trusted)
	server.exec(t, "migrated", migrations+"GRANT USAGE ON SCHEMA atlas_schema_revisions TO chroma; GRANT SELECT ON ALL TABLES IN SCHEMA atlas_schema_revisions TO chroma;")
	server.exec(t, "unreadable", migrations)
	server.exec(t, "strange", "CREATE SCHEMA atlas_schema_revisions AUTHORIZATION chroma;"+
		"CREATE TABLE atlas_schema_revisions.atlas_schema_revisions (other text);")

	cases := map[string]struct {
		reason    string
		change    func(*distributed.PostgresTarget)
		untrusted bool
		want      reason.Reason
		revision  string
	}{
		"Fresh":         {reason: "an empty database was migrated by nothing", want: reason.CheckPassed},
		"Migrated":      {reason: "the highest revision counts, and not Atlas's own row", change: func(p *distributed.PostgresTarget) { p.Database = "migrated" }, want: reason.CheckPassed, revision: "20260810120000"},
		"WrongPassword": {reason: "the password is not that of the user", change: func(p *distributed.PostgresTarget) { p.Password = wrongPassword }, want: reason.AuthenticationFailed},
		"WrongUser":     {reason: "Postgres tells no difference, nor do we", change: func(p *distributed.PostgresTarget) { p.Username = "nobody" }, want: reason.AuthenticationFailed},
		"NoDatabase":    {reason: "Chroma does not create it", change: func(p *distributed.PostgresTarget) { p.Database = "absent" }, want: reason.DatabaseNotFound},
		"NoRight":       {reason: "the user may not connect to the database", change: func(p *distributed.PostgresTarget) { p.Database = "closed" }, want: reason.AccessDenied},
		"NoRightToRead": {reason: "the migration could not read its table either", change: func(p *distributed.PostgresTarget) { p.Database = "unreadable" }, want: reason.AccessDenied},
		"StrangeTable":  {reason: "a table that is not Atlas's stops the migration", change: func(p *distributed.PostgresTarget) { p.Database = "strange" }, want: reason.Unreachable},
		"ClosedPort":    {reason: "nothing listens", change: func(p *distributed.PostgresTarget) { p.Host, p.Port = closedPort(t) }, want: reason.Unreachable},
		"NoName":        {reason: "the name does not exist", change: func(p *distributed.PostgresTarget) { p.Host = "absent.test" }, want: reason.Unreachable},
		"Name":          {reason: "a full name", change: func(p *distributed.PostgresTarget) { p.Host = "db.example.test" }, want: reason.CheckPassed},
		"Service":       {reason: "the Service of the Chroma's namespace, and not that of the function's", change: func(p *distributed.PostgresTarget) { p.Host = "postgres" }, want: reason.CheckPassed},
		"OtherService":  {reason: "a Service of another namespace", change: func(p *distributed.PostgresTarget) { p.Host = "postgres.databases" }, want: reason.CheckPassed},
		"NotOurService": {reason: "one of the function's namespace is not found", change: func(p *distributed.PostgresTarget) { p.Host = "private" }, want: reason.Unreachable},
		"TLS":           {reason: "require has no look at the certificate", change: func(p *distributed.PostgresTarget) { p.SSLMode = "require" }, untrusted: true, want: reason.CheckPassed},
		"VerifyCA":      {reason: "the authority is trusted, and the name does not count", change: func(p *distributed.PostgresTarget) { p.SSLMode, p.Host = "verify-ca", "db.example.test" }, want: reason.CheckPassed},
		"VerifyFull":    {reason: "the authority is trusted, and the name is right", change: func(p *distributed.PostgresTarget) { p.SSLMode = "verify-full" }, want: reason.CheckPassed},
		"WrongName":     {reason: "the certificate is for another name", change: func(p *distributed.PostgresTarget) { p.SSLMode, p.Host = "verify-full", "db.example.test" }, want: reason.TLSFailed},
		"UntrustedCA":   {reason: "the authority is not trusted", change: func(p *distributed.PostgresTarget) { p.SSLMode = "verify-ca" }, untrusted: true, want: reason.TLSFailed},
		"UntrustedFull": {reason: "the authority is not trusted", change: func(p *distributed.PostgresTarget) { p.SSLMode = "verify-full" }, untrusted: true, want: reason.TLSFailed},
		"TLSWanted":     {reason: "Postgres lets nobody in without TLS", change: func(p *distributed.PostgresTarget) { p.Database = "secured" }, want: reason.AuthenticationFailed},
		"TLSGiven":      {reason: "and everybody with it", change: func(p *distributed.PostgresTarget) { p.Database, p.SSLMode = "secured", "require" }, want: reason.CheckPassed},
		"NotPostgres":   {reason: "a server that speaks something else", change: func(p *distributed.PostgresTarget) { p.Host, p.Port = listen(t, talk) }, want: reason.Unreachable},
		"NotPostgresTLS": {reason: "nor does it speak TLS", change: func(p *distributed.PostgresTarget) {
			p.Host, p.Port = listen(t, talk)
			p.SSLMode = "verify-full"
		}, want: reason.TLSFailed},
		"Banner":  {reason: "what a server says of itself is not told", change: func(p *distributed.PostgresTarget) { p.Host, p.Port = listen(t, refuse("XX000")) }, want: reason.Unreachable},
		"Refusal": {reason: "nor what it says of its refusal", change: func(p *distributed.PostgresTarget) { p.Host, p.Port = listen(t, refuse("28P01")) }, want: reason.AuthenticationFailed},
		"Endless": {reason: "a message of 2 GiB is not waited for", change: func(p *distributed.PostgresTarget) { p.Host, p.Port = listen(t, endless) }, want: reason.Unreachable},
	}
	zone := map[string]string{
		"db.example.test":                                "127.0.0.1",
		"postgres.tenant.svc.cluster.test":               "127.0.0.1",
		"postgres.crossplane-system.svc.cluster.test":    "127.0.0.2",
		"private.crossplane-system.svc.cluster.test":     "127.0.0.1",
		"postgres.databases.svc.cluster.test":            "127.0.0.1",
		"postgres.databases.tenant.svc.cluster.test.bad": "127.0.0.2",
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			checker := newChecker(t, zone, func(environment *checks.Environment, _ *checks.Limits) {
				environment.Roots = trusted.pool()
				if tc.untrusted {
					environment.Roots = other.pool()
				}
			})
			target := distributed.PostgresTarget{Host: "127.0.0.1", Port: server.port, Database: "sysdb", SSLMode: "disable", Username: username, Password: password}
			if tc.change != nil {
				tc.change(&target)
			}
			got := ask(t, checker, checks.Question{Namespace: "tenant", Targets: distributed.Targets{Postgres: &target}, Settings: loopback()})
			if got.Postgres.Reason != tc.want || got.Revision != tc.revision {
				t.Errorf("\n%s\nCheck(...): want %s and revision %q, got %+v", tc.reason, tc.want, tc.revision, got)
			}
			if (got.Postgres.Status == pass.True) != (tc.want == reason.CheckPassed) {
				t.Errorf("\n%s\nCheck(...): the status does not fit the reason: %+v", tc.reason, got)
			}
			if got.ObjectStorage.Status != "" {
				t.Errorf("\n%s\nCheck(...): nobody asked for the bucket: %+v", tc.reason, got)
			}
		})
	}

	t.Run("Environment", func(t *testing.T) {
		for name, value := range map[string]string{"PGHOST": "127.0.0.9", "PGUSER": "nobody", "PGPASSWORD": wrongPassword, "PGSSLMODE": "verify-full", "PGDATABASE": "absent", "PGOPTIONS": "-c nonsense=1"} {
			t.Setenv(name, value)
		}
		target := distributed.PostgresTarget{Host: "127.0.0.1", Port: server.port, Database: "sysdb", SSLMode: "disable", Username: username, Password: password}
		got := ask(t, newChecker(t, zone, nil), checks.Question{Targets: distributed.Targets{Postgres: &target}, Settings: loopback()})
		if got.Postgres.Reason != reason.CheckPassed {
			t.Errorf("the variables of libpq change nothing, got %+v", got.Postgres)
		}
	})
	t.Run("NoTLS", func(t *testing.T) {
		server.exec(t, "postgres", "ALTER SYSTEM SET ssl = off")
		server.exec(t, "postgres", "SELECT pg_reload_conf()")
		for deadline := time.Now().Add(30 * time.Second); string(server.exec(t, "postgres", "SHOW ssl")[0].Rows[0][0]) != "off"; {
			if time.Now().After(deadline) {
				t.Fatal("PostgreSQL does not read its settings")
			}
			time.Sleep(20 * time.Millisecond)
		}
		target := distributed.PostgresTarget{Host: "127.0.0.1", Port: server.port, Database: "sysdb", SSLMode: "require", Username: username, Password: password}
		got := ask(t, newChecker(t, zone, nil), checks.Question{Targets: distributed.Targets{Postgres: &target}, Settings: loopback()})
		if got.Postgres.Reason != reason.TLSFailed {
			t.Errorf("this Postgres has no TLS, got %+v", got.Postgres)
		}
	})
}

// TestPostgresSilent: a port that accepts and says nothing holds up no call. The answer comes with a later one.
func TestPostgresSilent(t *testing.T) {
	checker := newChecker(t, nil, func(_ *checks.Environment, limits *checks.Limits) {
		limits.Patience, limits.Bound = 50*time.Millisecond, 500*time.Millisecond
	})
	for name, sslMode := range map[string]string{"Plain": "disable", "TLS": "require"} {
		t.Run(name, func(t *testing.T) {
			host, port := listen(t, silent(t))
			question := checks.Question{Settings: loopback(), Targets: distributed.Targets{Postgres: &distributed.PostgresTarget{
				Host: host, Port: port, Database: "sysdb", SSLMode: sslMode, Username: username, Password: password,
			}}}
			if got := ask(t, checker, question); got.Postgres.Status != "" {
				t.Errorf("the first call has no answer, got %+v", got.Postgres)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			got := ask(t, checker, question)
			for got.Postgres.Status == "" && ctx.Err() == nil {
				got = ask(t, checker, question)
			}
			if got.Postgres.Reason != reason.Timeout {
				t.Errorf("a later one has it, got %+v", got.Postgres)
			}
		})
	}
}

// TestRefusedHosts: what must not be connected to is not connected to, whatever the name is.
func TestRefusedHosts(t *testing.T) {
	var connections atomic.Int32
	_, port := listen(t, func(conn net.Conn) {
		connections.Add(1)
		_ = conn.Close()
	})
	zone := map[string]string{"loop.example.test": "127.0.0.1", "metadata.google.internal": "169.254.169.254", "db.tenant.svc.cluster.test": "127.0.0.1"}
	cases := map[string]struct {
		reason          string
		host            string
		allowed, denied []string
		want            reason.Reason
	}{
		"Loopback":        {reason: "refused by default", host: "127.0.0.1", want: reason.HostNotAllowed},
		"Localhost":       {reason: "the hosts file of this process is not that of Chroma's Pods", host: "localhost", want: reason.Unreachable},
		"Name":            {reason: "and after DNS", host: "loop.example.test", want: reason.HostNotAllowed},
		"Service":         {reason: "and after the search domains", host: "db", want: reason.HostNotAllowed},
		"Metadata":        {reason: "by address", host: "169.254.169.254", want: reason.HostNotAllowed},
		"MetadataName":    {reason: "by name", host: "metadata.google.internal", want: reason.HostNotAllowed},
		"OtherAllowed":    {reason: "an entry opens what it names, and no more", host: "loop.example.test", allowed: []string{"db.example.test", "169.254.0.0/16"}, want: reason.HostNotAllowed},
		"Denied":          {reason: "what is denied stays so", host: "127.0.0.1", allowed: []string{"127.0.0.1"}, denied: []string{"127.0.0.0/8"}, want: reason.HostNotAllowed},
		"DeniedName":      {reason: "by name too", host: "loop.example.test", allowed: []string{"127.0.0.1"}, denied: []string{"*.example.test"}, want: reason.HostNotAllowed},
		"DeniedCandidate": {reason: "by its full name too", host: "db", allowed: []string{"127.0.0.1"}, denied: []string{"*.tenant.svc.cluster.test"}, want: reason.HostNotAllowed},
		"BadEntry":        {reason: "while it is not known what is denied, nothing is connected to", host: "127.0.0.1", allowed: []string{"127.0.0.1"}, denied: []string{"10.0.0.0/99"}, want: reason.HostNotAllowed},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			target := distributed.PostgresTarget{Host: tc.host, Port: port, Database: "sysdb", SSLMode: "disable", Username: username, Password: password}
			question := checks.Question{Namespace: "tenant", Targets: distributed.Targets{Postgres: &target}}
			question.Settings.HostsAllowed, question.Settings.HostsDenied = tc.allowed, tc.denied
			if got := ask(t, newChecker(t, zone, nil), question); got.Postgres.Reason != tc.want {
				t.Errorf("\n%s\nCheck(...): want %s, got %+v", tc.reason, tc.want, got.Postgres)
			}
		})
	}
	if got := connections.Load(); got != 0 {
		t.Errorf("there were %d connections", got)
	}
	allowed := distributed.PostgresTarget{Host: "loop.example.test", Port: port, Database: "sysdb", SSLMode: "disable", Username: username, Password: password}
	question := checks.Question{Namespace: "tenant", Targets: distributed.Targets{Postgres: &allowed}}
	question.Settings.HostsAllowed = []string{"*.example.test"}
	if got := ask(t, newChecker(t, zone, nil), question); got.Postgres.Reason != reason.Unreachable || connections.Load() != 1 {
		t.Errorf("an entry opens it, got %+v and %d connections", got.Postgres, connections.Load())
	}
}

// talk as another protocol would, and end.
func talk(conn net.Conn) {
	_, _ = io.WriteString(conn, "220 "+banner+" ESMTP "+password+"\r\n")
	_ = conn.Close()
}

// refuse every connection as Postgres would, with a text.
func refuse(state string) func(net.Conn) {
	return func(conn net.Conn) {
		readStartup(conn)
		fields := "SFATAL\x00VFATAL\x00C" + state + "\x00M" + banner + " " + password + "\x00\x00"
		_, _ = conn.Write(message('E', len(fields), fields))
		_ = conn.Close()
	}
}

// endless announces a message as large as can be, and goes on sending.
func endless(conn net.Conn) {
	readStartup(conn)
	_, _ = conn.Write(message('E', 1<<31-10, ""))
	part := make([]byte, 1<<16)
	for {
		if _, err := conn.Write(part); err != nil {
			return
		}
	}
}

func message(kind byte, size int, body string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(size+4)), body...)
}

// readStartup message of a client.
func readStartup(conn net.Conn) {
	header := make([]byte, 4)
	if _, err := io.ReadFull(conn, header); err != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(header)-4))
}

package checks_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A postgresServer is a real one, that this process has started.
type postgresServer struct {
	port int32
}

const administrator = "postgres"

// startPostgres with TLS, databases and users.
func startPostgres(t *testing.T, authority authority) postgresServer {
	t.Helper()
	binaries := postgresBinaries(t)
	account := unprivileged(t)
	folder := account.folder(t)
	data := filepath.Join(folder, "data")

	account.write(t, filepath.Join(folder, "password"), password)
	account.run(t, filepath.Join(binaries, "initdb"), "--pgdata="+data, "--username="+administrator, "--auth=scram-sha-256",
		"--pwfile="+filepath.Join(folder, "password"), "--encoding=UTF8", "--locale=C", "--no-sync")
	certificate, key := authority.issue(t, "127.0.0.1")
	account.write(t, filepath.Join(data, "server.crt"), certificate)
	account.write(t, filepath.Join(data, "server.key"), key)
	// The database secured is there for who comes by TLS only.
	account.write(t, filepath.Join(data, "pg_hba.conf"), "hostnossl secured chroma 0.0.0.0/0 reject\nhost all chroma,postgres,nobody 0.0.0.0/0 scram-sha-256\n")

	account.write(t, filepath.Join(data, "postgresql.auto.conf"), "ssl = on\n")

	server := postgresServer{port: freePort(t)}
	account.start(t, filepath.Join(binaries, "postgres"), "-D", data, "-c", "listen_addresses=127.0.0.1",
		"-c", "port="+strconv.Itoa(int(server.port)), "-c", "unix_socket_directories=", "-c", "fsync=off")
	server.wait(t)
	for _, statement := range []string{
		"CREATE ROLE chroma LOGIN PASSWORD '" + password + "'",
		"CREATE DATABASE sysdb OWNER chroma", "CREATE DATABASE secured OWNER chroma", "CREATE DATABASE migrated OWNER chroma",
		"CREATE DATABASE closed", "REVOKE CONNECT ON DATABASE closed FROM PUBLIC",
		"CREATE DATABASE strange OWNER chroma", "CREATE DATABASE unreadable",
	} {
		server.exec(t, "postgres", statement)
	}
	return server
}

func postgresBinaries(t *testing.T) string {
	t.Helper()
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) > 0 {
		return filepath.Dir(found[len(found)-1])
	}
	found, err := exec.LookPath("initdb")
	if err != nil {
		missing(t, "There is no PostgreSQL here: install Debian's package postgresql.")
	}
	return filepath.Dir(found)
}

func (s postgresServer) connect(ctx context.Context, database string) (*pgconn.PgConn, error) {
	return pgconn.Connect(ctx, "postgres://"+administrator+":"+password+"@127.0.0.1:"+strconv.Itoa(int(s.port))+"/"+database+"?sslmode=disable")
}

// wait until it takes connections.
func (s postgresServer) wait(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		conn, err := s.connect(ctx, "postgres")
		if err == nil {
			_ = conn.Close(ctx)
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("PostgreSQL does not start: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (s postgresServer) exec(t *testing.T, database, statements string) []*pgconn.Result {
	t.Helper()
	conn, err := s.connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	results, err := conn.Exec(t.Context(), statements).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// An account that servers run under. PostgreSQL refuses to run as root.
type account struct {
	credential *syscall.Credential
}

func unprivileged(t *testing.T) account {
	t.Helper()
	if os.Getuid() != 0 {
		return account{}
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(found.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(found.Gid, 10, 32)
		if err := errors.Join(errUID, errGID); err != nil {
			t.Fatal(err)
		}
		return account{credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	missing(t, "There is no user besides root, as whom PostgreSQL does not run.")
	return account{}
}

// folder that is the account's own.
func (a account) folder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if a.credential == nil {
		return folder
	}
	if err := os.Chmod(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	a.own(t, folder)
	return folder
}

func (a account) own(t *testing.T, path string) {
	t.Helper()
	if a.credential == nil {
		return
	}
	if err := os.Chown(path, int(a.credential.Uid), int(a.credential.Gid)); err != nil {
		t.Fatal(err)
	}
}

func (a account) write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	a.own(t, path)
}

func (a account) command(ctx context.Context, name string, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, name, arguments...)
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential}
	return command
}

func (a account) run(t *testing.T, name string, arguments ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if output, err := a.command(ctx, name, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("cannot run %s: %v\n%s", filepath.Base(name), err, output)
	}
}

// start a server, which ends with the test, and after five minutes whatever happens.
func (a account) start(t *testing.T, name string, arguments ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	command := a.command(ctx, name, arguments...)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout, command.Stderr = log, log
	// PostgreSQL takes it as: end now, and let no child live on.
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGINT) }
	command.WaitDelay = 10 * time.Second
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = command.Wait()
		if content, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s wrote:\n%s", filepath.Base(name), content)
		}
		_ = log.Close()
	})
}

// closedPort of this machine.
func closedPort(t *testing.T) (string, int32) {
	t.Helper()
	return "127.0.0.1", freePort(t)
}

// address of a host and port.
func address(host string, port int32) string { return net.JoinHostPort(host, strconv.Itoa(int(port))) }

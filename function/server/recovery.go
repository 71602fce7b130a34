package server

import (
	"context"
	"runtime/debug"

	"github.com/crossplane/function-sdk-go/logging"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/recovery"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// recoverPanics fails the one call that panicked. The process serves every Chroma of the cluster, and a failed call
// changes nothing: Crossplane tries it again.
func recoverPanics(log logging.Logger) grpc.UnaryServerInterceptor {
	return recovery.UnaryServerInterceptor(recovery.WithRecoveryHandlerContext(
		func(_ context.Context, cause any) error {
			log.Info("A call panicked", "panic", cause, "stack", string(debug.Stack()))

			return status.Errorf(codes.Internal, "the function panicked: %v", cause)
		},
	))
}

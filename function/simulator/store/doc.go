// Package store is the API server of the simulator: objects with resource versions, generations, finalizers and owner
// references, and the server-side apply of Kubernetes itself (k8s.io/apimachinery's managedfields).
//
// It is deterministic: identifiers are counted, and time comes from the caller. It is fast where a settled cluster
// spends its time: an apply that repeats what the same manager applied to the same resource version is answered
// without a merge, as the real server answers it without a write.
//
// Objects it returns are shared and must not be changed; copy them first.
package store

// Package simulator is a model of a cluster around a composition function: Crossplane's pass, provider-kubernetes, the
// garbage collector, binder, scheduler and kubelet, over a store with real server-side apply. Time is simulated and
// every choice comes from a seed, so that a run can be repeated exactly.
//
// It models Crossplane 2.3.4, provider-kubernetes 1.3.1 and Kubernetes 1.35 as far as a composition function can tell
// the difference: what was measured on a real cluster has a test here that names it.
//
// A Cluster moves by Step (one task of one controller), Advance (simulated time), Settle or Until. Users are its
// methods Apply, Edit, SetImage, Annotate, Label, Scale and Delete; faults are SetFunctionDown, SetProviderDown,
// SetCrossplaneDown, CrashCrossplane, HoldNextPass, InterruptWrites, FreezeCaches, Refuse, DenyRead, SetImageWebhook,
// Admit, SetImageFault, SetUnschedulable, SetNodeLost, CrashPod, EvictPod, SetStuck, SetSilent, LoseLeader, Snapshot with
// Restore, and Heal ends them. Config.Changed hears of every single write, Config.Passed of every pass.
//
// With Config.Pods, Deployments, StatefulSets and Jobs make Pods as their controllers do, and Chroma's sysdb lists the ready
// ones in the MemberLists.
//
// What it leaves out: ReplicaSets, the time between a write and the informer caches unless they are frozen,
// defaults and rules of custom kinds, and the network.
package simulator

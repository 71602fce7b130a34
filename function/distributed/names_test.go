package distributed_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/distributed/chart"
	"github.com/function-chroma/function-chroma/function/reason"
)

func ownedBy(kind, name, uid string) []metav1.OwnerReference {
	controller := true
	apiVersion := v1alpha1.GroupVersion().String()
	if kind == "ReplicaSet" {
		apiVersion = "apps/v1"
	}
	return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(uid), Controller: &controller}}
}

func TestNamespace(t *testing.T) {
	cases := map[string]struct {
		reason string
		owners []metav1.OwnerReference
		labels map[string]string
		going  bool
		want   reason.Reason
		takes  bool
	}{
		"Taken":       {reason: "one distributed Chroma per namespace", owners: ownedBy("Chroma", "other", "2"), want: reason.DistributedNamespaceTaken},
		"TakenBehind": {reason: "the other one stands behind a claim", owners: ownedBy("XChroma", "other-x7", "2"), want: reason.DistributedNamespaceTaken},
		"Stranger":    {reason: "an account of somebody else is not taken over", want: reason.NameConflict},
		"Controlled":  {reason: "nor is one of another controller", owners: ownedBy("ReplicaSet", "a", "2"), want: reason.NameConflict},
		"Predecessor": {reason: "a Chroma of this name that is gone leaves its account to the garbage collector", owners: ownedBy("Chroma", "demo", "2"), want: reason.WaitingForPredecessor},
		"Going":       {reason: "an account that is being deleted is waited for", labels: map[string]string{v1alpha1.LabelChroma: "demo"}, going: true, want: reason.WaitingForPredecessor},
		"Orphan":      {reason: "what kubectl delete --cascade=orphan left behind is ours again", labels: map[string]string{v1alpha1.LabelChroma: "demo"}, want: reason.FoundationPending, takes: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, "52ce844")
			account := c.add("v1", "ServiceAccount", "sysdb-serviceaccount", nil)
			account.SetOwnerReferences(tc.owners)
			account.SetLabels(tc.labels)
			if tc.going {
				now := metav1.NewTime(c.now)
				account.SetDeletionTimestamp(&now)
			}
			c.pass()
			if got := c.condition(reason.ServerReady); got.Reason != tc.want {
				t.Errorf("\n%s\nServerReady: want %s, got %+v", tc.reason, tc.want, got)
			}
			if (len(c.observed) > 0) != tc.takes {
				t.Errorf("\n%s\ncomposed: %v", tc.reason, roles(c))
			}
		})
	}
}

func TestNameConflict(t *testing.T) {
	cases := map[string]struct{ reason, apiVersion, kind, name string }{
		"Service":    {"a Service of somebody else would be taken over by server-side apply", "v1", "Service", "sysdb"},
		"Deployment": {"a name is asked for before its tier is reached", "apps/v1", "Deployment", "rust-frontend-service"},
		"Object":     {"the Object of a MemberList has a name too", "kubernetes.m.crossplane.io/v1alpha1", "Object", "query-service-memberlist"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, "52ce844")
			c.add(tc.apiVersion, tc.kind, tc.name, nil)
			for range 4 {
				c.pass()
				c.settle()
			}
			got := c.condition(reason.ServerReady)
			if got.Reason != reason.NameConflict || !strings.Contains(got.Message, tc.kind+" "+tc.name) {
				t.Errorf("\n%s\nServerReady: got %+v", tc.reason, got)
			}
			if diff := cmp.Diff([]string{"serviceaccount-sysdb-serviceaccount"}, roles(c)); diff != "" {
				t.Errorf("\n%s\nnothing more is created: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNameConflictOfARunningSystem: an update that needs a name of somebody else changes nothing.
func TestNameConflictOfARunningSystem(t *testing.T) {
	c := running(t, "93652ec")
	c.add("rbac.authorization.k8s.io/v1", "Role", "fn-consumer-memberlist-reader", nil)
	before := generationsOf(c)
	c.spec()["version"] = "52ce844"
	c.pass()
	c.pass()
	if diff := cmp.Diff(before, generationsOf(c)); diff != "" {
		t.Errorf("-before, +after:\n%s", diff)
	}
	if got := c.condition(reason.UpgradeBlocked); got.Reason != reason.NameConflict || !c.last.Ready {
		t.Errorf("it is told, and the system is ready: ready %t, %+v", c.last.Ready, got)
	}
}

// TestMemberListOfSomebody: MemberLists carry no owner, so an existing one is no conflict, and is not emptied.
func TestMemberListOfSomebody(t *testing.T) {
	c := newCluster(t, "52ce844")
	members := []any{map[string]any{"member_id": "query-service-0"}}
	c.add("chroma.cluster/v1", "MemberList", "query-service-memberlist", map[string]any{"spec": map[string]any{"members": members}})
	for range 4 { // ServiceAccount, Roles, RoleBindings, Job.
		c.pass()
	}
	if !c.has(job) {
		t.Errorf("the system is created, got %v", c.condition(reason.ServerReady))
	}
	object := c.observed["memberlist-query-service-memberlist"]
	if diff := cmp.Diff([]any{"Observe", "Create", "Delete"}, object.Object["spec"].(map[string]any)["managementPolicies"]); diff != "" {
		t.Errorf("with Update the provider would empty the list: -want, +got:\n%s", diff)
	}
}

// TestDeletedByHand: what is being deleted is left out, and is made again when it is gone.
func TestDeletedByHand(t *testing.T) {
	for _, role := range []string{workloadRole(chart.QueryService), "service-sysdb", "memberlist-query-service-memberlist", "serviceaccount-sysdb-serviceaccount"} {
		t.Run(role, func(t *testing.T) {
			c := running(t, "52ce844")
			now := metav1.NewTime(c.now)
			c.observed[role].SetDeletionTimestamp(&now)
			c.pass()
			if c.has(role) {
				t.Error("an intent that is kept would make it again the moment it is gone")
			}
			if len(c.observed) != 65 {
				t.Errorf("everything else stays, got %d objects", len(c.observed))
			}
			for range 4 {
				c.pass()
				c.settle()
			}
			if !c.has(role) || len(c.observed) != 66 || !c.last.Ready {
				t.Errorf("it comes again: %d objects, ready %t, %+v", len(c.observed), c.last.Ready, c.condition(reason.ServerReady))
			}
		})
	}
}

// TestMissingMemberList: an Object looks at its list every ten minutes only, unless it is changed.
func TestMissingMemberList(t *testing.T) {
	c := running(t, "52ce844")
	role := "memberlist-query-service-memberlist"
	c.observed[role].Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Synced", "status": "True"}}}
	delete(c.others, "MemberList/query-service-memberlist")
	again := func() string {
		c.pass()
		delete(c.others, "MemberList/query-service-memberlist")
		return c.observed[role].GetAnnotations()["chroma.chromadotnet.org/look-again"]
	}
	first := again()
	if first == "" {
		t.Fatal("the Object of a missing list is changed")
	}
	if second := again(); second != first {
		t.Errorf("but not in every pass, which would never end: %s, then %s", first, second)
	}
	c.now = c.now.Add(11e9)
	if third := again(); third == first {
		t.Errorf("again after ten seconds")
	}
	if got := c.condition(reason.ServerReady); got.Reason != reason.MemberListPending {
		t.Errorf("ServerReady: got %+v", got)
	}
}

// TestAccountOfANeighbourDeletedByHand: the neighbour, whose spec is refused perhaps, does not make it again. The namespace is
// its own all the same.
func TestAccountOfANeighbourDeletedByHand(t *testing.T) {
	c := newCluster(t, "52ce844")
	c.add("v1", "ServiceAccount", "query-service-serviceaccount", nil).SetOwnerReferences(ownedBy("Chroma", "other", "2"))
	for range 3 {
		c.pass()
	}
	got := c.condition(reason.ServerReady)
	if got.Reason != reason.DistributedNamespaceTaken || !strings.Contains(got.Message, "Chroma other") || len(c.observed) > 0 {
		t.Errorf("it is waited for, got %v, %+v", roles(c), got)
	}
	delete(c.others, "ServiceAccount/query-service-serviceaccount")
	c.pass()
	if !c.has("serviceaccount-sysdb-serviceaccount") {
		t.Errorf("the namespace is free, got %+v", c.condition(reason.ServerReady))
	}
}

package status

import (
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
)

// A row is what the table reads of an object. Whatever a status lacks, or says in a form that we do not know, is a line
// all the same.
type row struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Namespace   string            `json:"namespace"`
		Name        string            `json:"name"`
		Created     time.Time         `json:"creationTimestamp"`
		Deleted     *time.Time        `json:"deletionTimestamp"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Mode text `json:"mode"`
		machinery
		Crossplane machinery `json:"crossplane"`
	} `json:"spec"`
	Status struct {
		Phase      text       `json:"phase"`
		Image      text       `json:"image"`
		Version    text       `json:"version"`
		Product    text       `json:"dataProduct"`
		Data       text       `json:"dataVersion"`
		Incident   text       `json:"dataVersionUnknownIncident"`
		Endpoint   text       `json:"endpoint"`
		Conditions conditions `json:"conditions"`
	} `json:"status"`
}

// machinery is what of Crossplane works on the object: in a claim it stands directly below the spec.
type machinery struct {
	Composition reference `json:"compositionRef"`
	Revision    reference `json:"compositionRevisionRef"`
}

type reference struct {
	Name text `json:"name"`
}

// UnmarshalJSON never fails.
func (r *reference) UnmarshalJSON(raw []byte) error {
	fields := struct {
		Name text `json:"name"`
	}{}
	if json.Unmarshal(raw, &fields) == nil {
		r.Name = fields.Name
	}
	return nil
}

// text is empty where there is something else than a text.
type text string

// UnmarshalJSON never fails.
func (t *text) UnmarshalJSON(raw []byte) error {
	value := ""
	if json.Unmarshal(raw, &value) == nil {
		*t = text(value)
	}
	return nil
}

// conditions by type; those that are none are left out.
type conditions map[string]v1.Condition

// UnmarshalJSON never fails.
func (c *conditions) UnmarshalJSON(raw []byte) error {
	var list []json.RawMessage
	_ = json.Unmarshal(raw, &list)
	*c = make(conditions, len(list))
	for _, one := range list {
		condition := v1.Condition{}
		if json.Unmarshal(one, &condition) == nil {
			(*c)[condition.Type] = condition
		}
	}
	return nil
}

// composition that works on the object: its revision, where it has one.
func (r row) composition() (kind schema.GroupVersionKind, name string) {
	for _, of := range []machinery{r.Spec.Crossplane, r.Spec.machinery} {
		if of.Revision.Name != "" {
			return cluster.CompositionRevision(), string(of.Revision.Name)
		}
	}
	for _, of := range []machinery{r.Spec.Crossplane, r.Spec.machinery} {
		if of.Composition.Name != "" {
			return cluster.Composition(), string(of.Composition.Name)
		}
	}
	return kind, ""
}

// summary of the row. trouble is that of its Function.
func (r row) summary(trouble string) v1.Summary {
	out := v1.Summary{
		Of: r.Kind, Namespace: r.Metadata.Namespace, Name: r.Metadata.Name, Mode: string(r.Spec.Mode),
		Phase: string(r.Status.Phase), Image: string(r.Status.Image), Product: string(r.Status.Product), Data: string(r.Status.Data),
		Endpoint: string(r.Status.Endpoint), Created: timeText(r.Metadata.Created), Incident: string(r.Status.Incident), Attention: r.attention(trouble),
	}
	if out.Image == "" {
		out.Image = string(r.Status.Version)
	}
	return out
}

// Words beside the reasons of conditions.
const (
	attentionDeleting        = "Deleting"
	attentionPaused          = "Paused"
	attentionNotSynced       = "NotSynced"
	attentionFunctionMissing = "FunctionMissing"
	attentionFunctionDown    = "FunctionDown"
)

// attention is the one reason that a person should know of. Where nobody works on the object, all else can be old; and
// that a server does not serve counts more than that a change is held back.
func (r row) attention(trouble string) string {
	of := r.Status.Conditions
	server, blocked := of[string(reason.ServerReady)], of[string(reason.UpgradeBlocked)]
	switch {
	case r.Metadata.Deleted != nil:
		return attentionDeleting
	case r.Metadata.Annotations[annotationPaused] == "true":
		return attentionPaused
	case trouble != "":
		return trouble
	case of["Synced"].Status == statusFalse:
		return attentionNotSynced
	case server.Status == statusFalse:
		return server.Reason
	case r.Status.Incident != "":
		return string(reason.DataVersionUnknown)
	case blocked.Status == statusTrue:
		return blocked.Reason
	}
	for _, phase := range valdPhases() {
		if condition := of[string(phase)]; condition.Status != "" && condition.Status != statusTrue {
			return condition.Reason
		}
	}
	return ""
}

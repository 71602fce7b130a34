package status

import (
	"encoding/json"
	"time"

	"github.com/function-chroma/function-chroma/function/reason"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
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
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	*c = make(conditions, len(list))
	for _, one := range list {
		condition := v1.Condition{}
		if json.Unmarshal(one, &condition) == nil {
			(*c)[condition.Type] = condition
		}
	}
	return nil
}

// summary of the row.
func (r row) summary() v1.Summary {
	out := v1.Summary{
		Of: r.Kind, Namespace: r.Metadata.Namespace, Name: r.Metadata.Name, Mode: string(r.Spec.Mode),
		Phase: string(r.Status.Phase), Image: string(r.Status.Image), Product: string(r.Status.Product), Data: string(r.Status.Data),
		Endpoint: string(r.Status.Endpoint), Created: timeText(r.Metadata.Created), Attention: r.attention(),
	}
	if out.Image == "" {
		out.Image = string(r.Status.Version)
	}
	return out
}

// attention is the one reason that a person should know of.
func (r row) attention() string {
	blocked, synced, server := r.Status.Conditions[string(reason.UpgradeBlocked)], r.Status.Conditions["Synced"], r.Status.Conditions[string(reason.ServerReady)]
	switch {
	case r.Metadata.Deleted != nil:
		return "Deleting"
	case r.Metadata.Annotations[annotationPaused] == "true":
		return "Paused"
	case r.Status.Incident != "":
		return "Incident " + string(r.Status.Incident)
	case blocked.Status == statusTrue:
		return blocked.Reason
	case synced.Status == statusFalse:
		return "NotSynced"
	case server.Status == statusFalse:
		return server.Reason
	}
	return ""
}

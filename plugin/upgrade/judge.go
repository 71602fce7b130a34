package upgrade

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	chroma "github.com/function-chroma/function-chroma/apis/chroma/v1alpha1"
	"github.com/function-chroma/function-chroma/function/compatibility"
	"github.com/function-chroma/function-chroma/function/image"
	"github.com/function-chroma/function-chroma/function/ledger"
	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/settings"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// judge an image for a Chroma. Whether it may run is the function's own answer to the same objects with what is asked
// about; the formats and the way back are what the function's tables say.
func judge(ctx context.Context, client *cluster.Client, v *live.View, q question) (v1.UpgradeCheck, error) {
	out := v1.UpgradeCheck{
		Namespace: v.Namespace(), Name: v.Name(), From: v.Chroma.Status.Image, To: q.image, Notes: slices.Clone(v.Notes),
	}
	if v.Distributed() {
		return out, exit.Errorf(exit.Usage, "it is distributed, and has a version instead of an image: spec.distributed.version\n"+
			"With another version in FILE, kubectl chroma lint -f FILE says whether it is known and fits the spec, and render -f FILE what it gives. Applied, one "+
			"that is older than what has migrated the database is refused (%s), and nothing is changed; a newer one migrates the database.", reason.Downgrade)
	}
	answer, err := v.Ask(ctx, client, q.change)
	if err != nil {
		return out, err
	}
	with, err := settings.Parse(inputOf(v), settings.Environment{})
	if err != nil {
		out.Notes = append(out.Notes, err.Error())
	}
	if out.To == "" {
		out.To = wantedOf(v, answer, with)
	}
	blocked := answer.Condition(string(reason.UpgradeBlocked))
	out.Allowed, out.Reason, out.Message = blocked.Status != "True", blocked.Reason, blocked.Message
	if server := answer.Condition(string(reason.ServerReady)); answer.Status["phase"] == string(chroma.PhaseFailed) {
		out.Notes = append(out.Notes, "whatever the image, the server cannot be started or replaced now: "+server.Reason)
	}
	explain(v, with, &out)
	if q.file == nil {
		out.NextSteps = next(out)
	}
	return out, nil
}

// next step after a check of what is in the cluster.
func next(of v1.UpgradeCheck) []v1.NextStep {
	one := func(why, command, rest string) []v1.NextStep {
		return []v1.NextStep{{Why: why, Command: fmt.Sprintf("kubectl chroma %s -n %s %s%s", command, of.Namespace, of.Name, rest)}}
	}
	with := " --image " + of.To
	switch because := reason.Reason(of.Reason); {
	case of.Allowed && of.From != of.To:
		return one("Change the image.", "upgrade apply", with+" --wait")
	case of.Allowed:
		return nil
	case because == reason.Downgrade:
		return one("Go back to the older version on this data, if that is meant.", "allow downgrade", with)
	case because == reason.DowngradeChangesFormat:
		return one("Go back over the border of the data format, if that is meant, after reading what it does.", "allow format-downgrade", with)
	case because == reason.ProductChange:
		return one("Go back to Chroma, if that is meant, after reading what it cannot do with this data.", "allow product-change", with)
	case because == reason.DataVersionUnknown:
		return one("Find out what ran on the data, and declare it.", "incident show", "")
	}
	return nil
}

// wantedOf a Chroma that is not asked about with another image: what its spec says, or the default that it keeps.
func wantedOf(v *live.View, answer *live.Answer, with settings.Settings) string {
	kept, _ := answer.Status["defaultImage"].(string)
	return cmp.Or(v.Chroma.Spec.Image, kept, v.Chroma.Status.DefaultImage, with.Images.Default)
}

// explain the step with what the tables say.
func explain(v *live.View, with settings.Settings, out *v1.UpgradeCheck) {
	record := ledger.FromStatus(v.Chroma.Status)
	if record == nil {
		return
	}
	release, refusal := image.Resolve(out.To, v.Chroma.Spec.Product, with.Images.Allowed)
	if refusal != nil {
		return
	}
	data := record.Data()
	verdict := compatibility.Judge(compatibility.Question{
		Data: data, Wanted: release.Version, Overrides: compatibility.OverridesOf(v.Chroma.GetAnnotations()),
	})
	highest, known := data.Versions[data.Last]
	if known {
		out.FormatBefore = compatibility.FormatOf(highest)
	}
	out.FormatAfter = compatibility.FormatOf(release.Version)
	for _, needed := range verdict.Needed {
		out.Annotations = append(out.Annotations, needed.Key+"="+needed.Value)
	}
	for _, crossing := range verdict.Crossings {
		if tried := trialOf(crossing); tried != "" {
			out.Trial = tried
		}
	}
	if known && out.Allowed {
		out.WayBack = wayBack(*record, release.Version, highest)
	}
	if verdict.Explanation != "" && out.Message == "" {
		out.Message = verdict.Explanation
	}
}

// trialOf a step between two versions: what came of it, or that nobody has run the two on the same data.
func trialOf(crossing compatibility.Crossing) string {
	switch {
	case crossing.From.Equal(crossing.To):
		return ""
	case crossing.Trial == nil:
		return "not tried"
	case !crossing.Tried:
		return "not tried with these versions; of others: " + crossing.Trial.Outcome
	}
	return crossing.Trial.Outcome
}

// wayBack from a version to the one on the data now, once the version has run.
func wayBack(record ledger.Record, wanted, present compatibility.Version) string {
	if wanted.Equal(present) {
		return ""
	}
	back := compatibility.Judge(compatibility.Question{Data: record.Raise(wanted).Data(), Wanted: present})
	if back.Allowed {
		return "Possible without more ado."
	}
	return back.Message
}

func inputOf(v *live.View) map[string]any {
	if v.Machinery.Step == nil {
		return nil
	}
	return v.Machinery.Step.Input
}

package render

import (
	"fmt"
	"io"

	"github.com/function-chroma/function-chroma/function/reason"
	"github.com/function-chroma/function-chroma/function/simulator"
	v1 "github.com/function-chroma/function-chroma/plugin/api/v1"
	"github.com/function-chroma/function-chroma/plugin/exit"
	"github.com/function-chroma/function-chroma/plugin/manifest"
)

// Files to lint.
type Files struct {
	Composites, Compositions []string
	Recursive, Claims        bool
	Namespace                string
}

// Lint files: what the API server would refuse, then what the function would, one object at a time. It tells how many
// objects it looked at.
func Lint(stdin io.Reader, files Files) ([]v1.Finding, int, error) {
	all := scene{}
	var err error
	if all.composites, err = manifest.Read(stdin, files.Recursive, files.Composites...); err != nil {
		return nil, 0, err
	}
	if len(files.Compositions) > 0 {
		if all.compositions, err = manifest.Read(stdin, files.Recursive, files.Compositions...); err != nil {
			return nil, 0, err
		}
	}
	all.complete(files.Namespace, files.Claims)
	if len(all.composites) == 0 {
		return nil, 0, exit.Errorf(exit.Usage, "there is nothing to lint: the files have no Chroma and no ValdOperatorRelease")
	}
	findings := []v1.Finding{}
	for _, object := range all.composites {
		one := scene{composites: []manifest.Object{object}, compositions: all.compositions, required: all.required, claims: all.claims}
		problems, err := one.problems()
		if err != nil {
			return nil, 0, err
		}
		if len(problems) == 0 {
			if problems, err = one.decided(); err != nil {
				return nil, 0, err
			}
		}
		findings = append(findings, problems...)
	}
	return findings, len(all.composites), nil
}

// decided is what the function says to an object in an empty cluster. That a server waits for something outside is no
// finding: only what the spec itself is refused for is.
func (s *scene) decided() ([]v1.Finding, error) {
	run, err := s.simulate()
	if err != nil {
		return nil, err
	}
	object := s.composites[0]
	live := run.Get(object.GroupVersionKind(), object.GetNamespace(), object.GetName())
	finding := func(because, message string) []v1.Finding {
		return []v1.Finding{{Source: object.Source, Object: name(object), Reason: because, Message: message, Level: v1.LevelError}}
	}
	if status, because, message := simulator.Condition(live, string(reason.UpgradeBlocked)); status == "True" {
		return finding(because, message), nil
	}
	if status, because, message := simulator.Condition(live, "Synced"); status == "False" {
		return finding(because, message), nil
	}
	for _, kind := range []reason.ConditionType{reason.ServerReady, reason.WaitingClusterCreate, reason.WaitingCreateVrs} {
		status, because, message := simulator.Condition(live, string(kind))
		if status == "False" && (because == string(reason.InvalidSpec) || because == string(reason.Failed) || because == string(reason.ClaimRequired)) {
			return finding(because, message), nil
		}
	}
	return nil, nil
}

func name(object manifest.Object) string {
	return fmt.Sprintf("%s %s/%s", object.GetKind(), object.GetNamespace(), object.GetName())
}

package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/function-chroma/function-chroma/test/server/client"
)

// A Snapshot is what a server answers about its data: by collection and question, the answer as text.
type Snapshot map[string]map[string]string

// refused begins the answer to a question that a server has refused.
const refused = "refused: "

// take asks a server about all its data. A refused question is part of the snapshot, a server that cannot be reached is
// an error.
func take(ctx context.Context, chroma *client.Client) (Snapshot, error) {
	snapshot := Snapshot{}
	list, err := chroma.Collections(ctx)
	if err != nil {
		return nil, err
	}
	for _, collection := range list {
		answers := map[string]string{}
		for question, ask := range questions(chroma, collection) {
			answer, err := ask(ctx)
			if refusal := (*client.Error)(nil); errors.As(err, &refusal) {
				answer, err = refused+refusal.Error(), nil
			}
			if err != nil {
				return nil, err
			}
			text, err := json.Marshal(answer)
			if err != nil {
				return nil, fmt.Errorf("cannot keep the answer to %q: %w", question, err)
			}
			answers[question] = string(text)
		}
		snapshot[collection.Name] = answers
	}
	return snapshot, nil
}

// questions returns what is asked about each collection.
func questions(chroma *client.Client, collection client.Collection) map[string]func(context.Context) (any, error) {
	everything := []string{"documents", "metadatas", "embeddings"}
	get := func(selection client.Selection) func(context.Context) (any, error) {
		return func(ctx context.Context) (any, error) {
			found, err := chroma.Get(ctx, collection.ID, selection)
			return sorted(found), err
		}
	}
	query := func(where, whereDocument map[string]any) func(context.Context) (any, error) {
		return func(ctx context.Context) (any, error) {
			found, err := chroma.Query(ctx, collection.ID, client.Query{
				Embeddings: [][]float32{vector(1, "query"), vector(2, "query"), vector(3, "query"), vector(4, "query"), vector(5, "query")},
				Results:    10, Where: where, WhereDocument: whereDocument, Include: []string{"distances"},
			})
			return rounded(found), err
		}
	}
	number := map[string]any{"number": map[string]any{"$lt": 60}}
	share := map[string]any{"share": map[string]any{"$gt": 10.5}}
	word := map[string]any{"words": map[string]any{"$contains": "word-1"}}
	return map[string]func(context.Context) (any, error){
		"configuration": func(context.Context) (any, error) { return collection.Stored, nil },
		"metadata":      func(context.Context) (any, error) { return collection.Metadata, nil },
		"dimension":     func(context.Context) (any, error) { return collection.Dimension, nil },
		"count":         func(ctx context.Context) (any, error) { return chroma.Count(ctx, collection.ID) },
		"records":       get(client.Selection{Include: everything}),
		"records by a number and text": get(client.Selection{Where: map[string]any{"$and": []any{
			number, map[string]any{"note": "added"},
		}}}),
		"records by a share or a flag": get(client.Selection{Where: map[string]any{"$or": []any{
			share, map[string]any{"even": true},
		}}}),
		"records by a word":          get(client.Selection{WhereDocument: map[string]any{"$contains": "subject3"}}),
		"records without a word":     get(client.Selection{WhereDocument: map[string]any{"$not_contains": "subject3"}}),
		"nearest":                    query(nil, nil),
		"nearest by a number":        query(number, nil),
		"nearest by a word":          query(nil, map[string]any{"$contains": "subject3"}),
		"records by an array's word": arrayQuestion(collection.Name, get(client.Selection{Where: word})),
	}
}

// arrayQuestion asks a collection with arrays alone: older servers do not know the filter.
func arrayQuestion(name string, ask func(context.Context) (any, error)) func(context.Context) (any, error) {
	if name == arrays || name == laterArrays {
		return ask
	}
	return func(context.Context) (any, error) { return nil, nil }
}

// sorted orders records by their IDs: a server may give them in any order.
func sorted(found client.Records) []map[string]any {
	list := make([]map[string]any, len(found.IDs))
	for i, id := range found.IDs {
		list[i] = map[string]any{"id": id}
		if found.Documents != nil {
			list[i]["document"] = found.Documents[i]
		}
		if found.Metadatas != nil {
			list[i]["metadata"] = found.Metadatas[i]
		}
		if found.Embeddings != nil {
			list[i]["embedding"] = found.Embeddings[i]
		}
	}
	slices.SortFunc(list, func(a, b map[string]any) int { return strings.Compare(a["id"].(string), b["id"].(string)) })
	return list
}

// rounded keeps five digits of each distance: releases may add in another order.
func rounded(found client.Neighbours) client.Neighbours {
	for _, row := range found.Distances {
		for _, distance := range row {
			if distance != nil {
				*distance = float32(math.Round(float64(*distance)*1e5) / 1e5)
			}
		}
	}
	return found
}

// refusals is an error when a server has refused a question.
func (s Snapshot) refusals() error {
	for name, answers := range s {
		for question, answer := range answers {
			if strings.HasPrefix(answer, `"`+refused) {
				return fmt.Errorf("cannot ask collection %s for its %s: %s", name, question, answer)
			}
		}
	}
	return nil
}

// differences tells in a line for each collection what another snapshot has otherwise.
func (s Snapshot) differences(other Snapshot) []string {
	lines := []string{}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if _, found := other[name]; !found {
			lines = append(lines, fmt.Sprintf("collection %s is gone", name))
			continue
		}
		differ := slices.DeleteFunc(slices.Sorted(maps.Keys(s[name])), func(question string) bool {
			return s[name][question] == other[name][question]
		})
		if len(differ) > 0 {
			lines = append(lines, fmt.Sprintf("collection %s answers otherwise to %d of %d questions, first its %s: %s",
				name, len(differ), len(s[name]), differ[0], contrast(s[name][differ[0]], other[name][differ[0]])))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(other)) {
		if _, found := s[name]; !found {
			lines = append(lines, fmt.Sprintf("collection %s was not there", name))
		}
	}
	return lines
}

// contrast shows where two texts begin to differ.
func contrast(was, is string) string {
	const before, after = 20, 100
	start := 0
	for start < min(len(was), len(is)) && was[start] == is[start] {
		start++
	}
	cut := func(text string) string {
		return text[max(0, start-before):min(len(text), start+after)]
	}
	return fmt.Sprintf("%s became %s", cut(was), cut(is))
}

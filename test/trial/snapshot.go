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

// A Snapshot is what a server answers about its data, by collection and question.
type Snapshot map[string]map[string]Answer

// An Answer of a server.
type Answer struct {
	// Text is all that must be the same, as JSON.
	Text string
	// Distances of neighbours, in the order of their IDs in Text.
	Distances []float32
}

// equal tells whether two answers are the same. Releases compute distances in another order of additions, so these may
// differ in the sixth digit.
func (a Answer) equal(b Answer) bool {
	const tolerance = 1e-4
	return a.Text == b.Text && slices.EqualFunc(a.Distances, b.Distances, func(a, b float32) bool {
		return math.Abs(float64(a)-float64(b)) < tolerance
	})
}

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
		answers := map[string]Answer{}
		for question, ask := range questions(chroma, collection) {
			said, err := ask(ctx)
			if refusal := (*client.Error)(nil); errors.As(err, &refusal) {
				said, err = refused+refusal.Error(), nil
			}
			if err != nil {
				return nil, err
			}
			answer := Answer{}
			if neighbours, ok := said.(client.Neighbours); ok {
				said, answer.Distances = neighbours.IDs, flat(neighbours.Distances)
			}
			text, err := json.Marshal(said)
			if err != nil {
				return nil, fmt.Errorf("cannot keep the answer to %q: %w", question, err)
			}
			answer.Text = string(text)
			answers[question] = answer
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
			return chroma.Query(ctx, collection.ID, client.Query{
				Embeddings: [][]float32{vector(1, "query"), vector(2, "query"), vector(3, "query"), vector(4, "query"), vector(5, "query")},
				Results:    10, Where: where, WhereDocument: whereDocument, Include: []string{"distances"},
			})
		}
	}
	const contains, subject = "$contains", "subject3"
	below := where(keyNumber, "$lt", 60)
	with, without := map[string]any{contains: subject}, map[string]any{"$not_contains": subject}
	added, even := map[string]any{keyNote: "added"}, map[string]any{keyEven: true}
	all := map[string]func(context.Context) (any, error){
		"configuration": func(context.Context) (any, error) { return collection.Stored, nil },
		"metadata":      func(context.Context) (any, error) { return collection.Metadata, nil },
		"dimension":     func(context.Context) (any, error) { return collection.Dimension, nil },
		"count":         func(ctx context.Context) (any, error) { return chroma.Count(ctx, collection.ID) },
		"records":       get(client.Selection{Include: everything}),
		"records by a number and text": get(client.Selection{
			Where: map[string]any{"$and": []any{below, added}}}),
		"records by a share or a flag": get(client.Selection{
			Where: map[string]any{"$or": []any{where(keyShare, "$gt", 10.5), even}}}),
		"records by a word":      get(client.Selection{WhereDocument: with}),
		"records without a word": get(client.Selection{WhereDocument: without}),
		"nearest":                query(nil, nil),
		"nearest by a number":    query(below, nil),
		"nearest by a word":      query(nil, with),
	}
	// Servers before 1.5.0 do not know the filter.
	if collection.Name == arrays || collection.Name == laterArrays {
		all["records by a word of an array"] = get(client.Selection{Where: where(keyWords, contains, "word-1")})
	}
	return all
}

// sorted orders records by their IDs, since a server may give them in any order.
func sorted(found client.Records) map[string]map[string]any {
	byID := make(map[string]map[string]any, len(found.IDs)) // json.Marshal sorts keys.
	for i, id := range found.IDs {
		record := map[string]any{}
		if found.Documents != nil {
			record["document"] = found.Documents[i]
		}
		if found.Metadatas != nil {
			record["metadata"] = found.Metadatas[i]
		}
		if found.Embeddings != nil {
			record["embedding"] = found.Embeddings[i]
		}
		byID[id] = record
	}
	return byID
}

// flat returns the distances of all rows.
func flat(rows [][]*float32) []float32 {
	distances := []float32{}
	for _, row := range rows {
		for _, distance := range row {
			if distance != nil {
				distances = append(distances, *distance)
			}
		}
	}
	return distances
}

// refusals is an error when a server has refused a question.
func (s Snapshot) refusals() error {
	for name, answers := range s {
		for question, answer := range answers {
			if strings.HasPrefix(answer.Text, `"`+refused) {
				return fmt.Errorf("cannot ask collection %s for its %s: %s", name, question, answer.Text)
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
			return s[name][question].equal(other[name][question])
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

// contrast shows where two answers begin to differ.
func contrast(before, after Answer) string {
	was, is := before.Text, after.Text
	if was == is {
		was, is = fmt.Sprint(before.Distances), fmt.Sprint(after.Distances)
	}
	const ahead, behind = 20, 100
	start := 0
	for start < min(len(was), len(is)) && was[start] == is[start] {
		start++
	}
	cut := func(text string) string {
		return text[max(0, start-ahead):min(len(text), start+behind)]
	}
	return fmt.Sprintf("%s became %s", cut(was), cut(is))
}

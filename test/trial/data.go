package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"

	"github.com/function-chroma/function-chroma/test/server/client"
)

// The collections of a trial.
const (
	// records is past the flush of the vector index at 1,000 records, and has deletes, upserts and updates.
	records = "records"
	// cosine has settings of its own. A server that does not find them searches it by another distance.
	cosine = "cosine"
	// named has metadata and names an embedding function.
	named = "named"
	// arrays has arrays in its metadata, where the server takes them.
	arrays = "arrays"
	// later and laterArrays are made by the second server.
	later       = "later"
	laterArrays = "later-arrays"
)

// The keys of the metadata.
const (
	keyNote   = "note"
	keyNumber = "number"
	keyShare  = "share"
	keyEven   = "even"
	keyWords  = "words"
)

const (
	dimension = 8
	// batch is below the largest batch that servers take, 5,461 records.
	batch = 1000
)

// write makes the data of a trial with the first server.
func write(ctx context.Context, chroma *client.Client) error {
	collection, err := create(ctx, chroma, records, "", nil)
	if err != nil {
		return err
	}
	if err := fill(ctx, chroma, collection, 0, 1500); err != nil {
		return err
	}
	if err := change(ctx, chroma, collection, 100); err != nil {
		return err
	}
	collection, err = create(ctx, chroma, cosine,
		`{"hnsw": {"space": "cosine", "ef_construction": 150, "max_neighbors": 24, "ef_search": 120}}`, nil)
	if err != nil {
		return err
	}
	if err := fill(ctx, chroma, collection, 0, 300); err != nil {
		return err
	}
	collection, err = create(ctx, chroma, named, `{"embedding_function": {"type": "known", "name": "default", "config": {}}}`,
		map[string]any{"owner": "trial", "year": 2026, keyShare: 0.5, "public": true})
	if err != nil {
		return err
	}
	if err := fill(ctx, chroma, collection, 0, 20); err != nil {
		return err
	}
	return createArrays(ctx, chroma, arrays)
}

// writeLater writes with the second server: changes to what the first wrote, and collections of its own.
func writeLater(ctx context.Context, chroma *client.Client) error {
	collection, err := chroma.Collection(ctx, records)
	if err != nil {
		return err
	}
	if err := fill(ctx, chroma, collection.ID, 5000, 30); err != nil {
		return err
	}
	if err := change(ctx, chroma, collection.ID, 400); err != nil {
		return err
	}
	created, err := create(ctx, chroma, later, "", nil)
	if err != nil {
		return err
	}
	if err := fill(ctx, chroma, created, 0, 30); err != nil {
		return err
	}
	return createArrays(ctx, chroma, laterArrays)
}

// change deletes by ID and by filter, replaces, adds and updates records from a number on.
func change(ctx context.Context, chroma *client.Client, collection string, first int) error {
	deleted := make([]string, 0, 50)
	for i := range 50 {
		deleted = append(deleted, id(first+i))
	}
	if err := chroma.Delete(ctx, collection, client.Selection{IDs: deleted}); err != nil {
		return err
	}
	filter := map[string]any{"$and": []any{where(keyNumber, "$gte", first+50), where(keyNumber, "$lt", first+60)}}
	if err := chroma.Delete(ctx, collection, client.Selection{Where: filter}); err != nil {
		return err
	}
	// Some of these were deleted, the others are there.
	if err := chroma.Upsert(ctx, collection, numbered(first+25, 100, "replaced")); err != nil {
		return err
	}
	return chroma.Update(ctx, collection, client.Records{
		IDs: []string{id(first + 200)}, Metadatas: []map[string]any{{keyNumber: nil, "updated": true}},
	})
}

// create makes a collection and returns its ID.
func create(ctx context.Context, chroma *client.Client, name, configuration string, metadata map[string]any) (string, error) {
	wanted := client.Collection{Name: name, Metadata: metadata}
	if configuration != "" {
		wanted.Configuration = json.RawMessage(configuration)
	}
	created, err := chroma.CreateCollection(ctx, wanted)
	return created.ID, err
}

// createArrays makes a collection with arrays in its metadata, none on a server that refuses them. Chroma takes them
// from 1.5.0 on.
func createArrays(ctx context.Context, chroma *client.Client, name string) error {
	collection, err := create(ctx, chroma, name, "", nil)
	if err != nil {
		return err
	}
	content := numbered(0, 20, "with arrays")
	for i := range content.Metadatas {
		content.Metadatas[i][keyWords] = []string{"every", fmt.Sprintf("word-%d", i%3)}
		content.Metadatas[i]["numbers"] = []int{i, i + 1}
		content.Metadatas[i]["shares"] = []float64{0.5, float64(i) + 0.25}
		content.Metadatas[i]["flags"] = []bool{true, i%2 == 0}
	}
	err = chroma.Add(ctx, collection, content)
	refusal := (*client.Error)(nil)
	if errors.As(err, &refusal) && refusal.Status/100 == http.StatusBadRequest/100 {
		return chroma.DeleteCollection(ctx, name)
	}
	return err
}

// fill adds records numbered from first on.
func fill(ctx context.Context, chroma *client.Client, collection string, first, count int) error {
	for count > 0 {
		size := min(count, batch)
		if err := chroma.Add(ctx, collection, numbered(first, size, "added")); err != nil {
			return err
		}
		first, count = first+size, count-size
	}
	return nil
}

// numbered returns records numbered from first on. The same number and note give the same record.
func numbered(first, count int, note string) client.Records {
	made := client.Records{}
	for number := first; number < first+count; number++ {
		document := fmt.Sprintf("document %d, %s, of subject%d", number, note, number%7)
		made.IDs = append(made.IDs, id(number))
		made.Embeddings = append(made.Embeddings, vector(number, note))
		made.Documents = append(made.Documents, &document)
		made.Metadatas = append(made.Metadatas, map[string]any{
			keyNote: note, keyNumber: number, keyShare: float64(number) + 0.25, keyEven: number%2 == 0,
		})
	}
	return made
}

// where is a filter of metadata.
func where(key, operator string, value any) map[string]any {
	return map[string]any{key: map[string]any{operator: value}}
}

func id(number int) string { return fmt.Sprintf("record-%05d", number) }

// vector returns an embedding that is the same in every run.
func vector(number int, note string) []float32 {
	random := rand.New(rand.NewPCG(uint64(number), uint64(len(note))))
	made := make([]float32, dimension)
	for i := range made {
		made[i] = random.Float32()*2 - 1
	}
	return made
}

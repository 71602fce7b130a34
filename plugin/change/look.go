package change

import (
	"context"
	"fmt"
	"time"

	"github.com/function-chroma/function-chroma/plugin/cluster"
	"github.com/function-chroma/function-chroma/plugin/live"
)

// Confirmed is the view of a Chroma that is to be changed, as it is once that is confirmed. A check is held against what
// was seen, and again after a person was asked: until the answer things can change.
func (o *Options) Confirmed(ctx context.Context, client *cluster.Client, v *live.View, now func() time.Time, question string, check func(*live.View) error) (*live.View, error) {
	if err := holds(v, check); err != nil {
		return nil, err
	}
	asked := o.Asks()
	if err := o.Confirm(question); err != nil || !asked {
		return v, err
	}
	v, err := v.Again(ctx, client, now())
	if err != nil {
		return nil, err
	}
	return v, holds(v, check)
}

// holds tells whether a check does. Behind a claim it is the composite whose status and whose policy count, and what
// people write has a copy that can be behind: no check holds when the composite cannot be read.
func holds(v *live.View, check func(*live.View) error) error {
	if err := v.CompositeError(); err != nil {
		return fmt.Errorf("it is not known how %s/%s is, so nothing was changed: %w", v.Namespace(), v.Name(), err)
	}
	return check(v)
}

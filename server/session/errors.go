package session

import (
	"context"
	"errors"

	"ambit/server/api"
	"ambit/vectors/store"
)

// kinds are the errors of the store that a client tells apart.
var kinds = map[error]error{
	store.ErrCorrupt:    api.ErrDamaged,
	store.ErrFull:       api.ErrFull,
	store.ErrUnwritable: api.ErrUnwritable,
}

// explain makes an error of the store one of package api. The error of a call whose
// context is done is the cause of that.
func explain(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	for from, to := range kinds {
		if errors.Is(err, from) {
			return api.WithKind(err, to)
		}
	}
	return err
}

package session

import (
	"context"
	"errors"

	"ambit/server/api"
	"ambit/vectors/store"
)

// kinds maps errors of the store to the errors of package api.
var kinds = map[error]error{
	store.ErrCorrupt:    api.ErrDamaged,
	store.ErrFull:       api.ErrFull,
	store.ErrUnwritable: api.ErrUnwritable,
}

// explain turns an error of the store into an error of package api. When ctx is done,
// it returns the cause.
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

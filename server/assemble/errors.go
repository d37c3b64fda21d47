package assemble

import "ambit/server/api"

// ErrBudget means that [Request].Budget is below 1; the caller reports it. It is a
// *[api.FieldError], so that every door and an attached process know the field.
var ErrBudget error = &api.FieldError{Field: "budget", Reason: "use a number of tokens, 1 or more, or leave it out for the default"}

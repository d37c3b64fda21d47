package assemble

import "errors"

// ErrBudget means that [Request].Budget is below 1; the caller reports it.
var ErrBudget = errors.New("the budget is a number of tokens, 1 or more; leave it out for the default")

package session

import "fmt"

// ground is what an answer stands on: the views, and the store below them, which is read
// as it is by then.
type ground struct {
	stored  uint64 // batches that the store has
	applied uint64 // and that the views have
	damaged bool
}

func (s *shared) ground() ground {
	g := ground{stored: s.db.Generation(), applied: s.applied.Load()}
	select {
	case <-s.db.Damaged():
		g.damaged = true
	default:
	}
	return g
}

// sound asks, and asks again when the ground has moved meanwhile, or is about to, and the
// views have led to what the store does not hold any more. When the index has turned out to be damaged,
// the answer is [ErrDamaged], whatever was made of the rest. Any other panic is a bug, and
// goes on.
func sound[T any](s *shared, ask func() (T, error)) (answer T, err error) {
	for range maxRefreshes {
		var again bool
		if answer, again, err = soundly(s, ask); !again {
			return answer, err
		}
	}
	return ask()
}

func soundly[T any](s *shared, ask func() (T, error)) (answer T, again bool, err error) {
	before, done := s.ground(), false
	defer func() {
		now := s.ground()
		switch {
		case now.damaged && !(done && before.damaged):
			if !done {
				_ = recover()
			}
			if err == nil {
				err = fmt.Errorf("read the index: %w", ErrDamaged)
			}
		case !done && (now != before || now.stored != s.opened+now.applied):
			_ = recover()
			again = true
		}
	}()
	answer, err = ask()
	done = true
	return answer, false, err
}

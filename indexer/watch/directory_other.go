//go:build !unix

package watch

// stamp returns that of an entry, which the listing of the directory has brought.
func (d directory) stamp(e *listed) (stamp, error) {
	fi, err := e.entry.Info()
	if err != nil {
		return stamp{}, err
	}
	return stampOf(fi), nil
}

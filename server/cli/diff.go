package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"ambit/server/api"
)

// diffFlag is --diff, whose value is optional: --diff=FILE, or --diff FILE, which kong reads
// as the place.
type diffFlag struct {
	given bool
	file  string
}

var _ kong.BoolMapperValue = (*diffFlag)(nil)

// IsBool implements [kong.BoolMapperValue]: the flag needs no value.
func (d *diffFlag) IsBool() bool { return true }

// Decode implements [kong.MapperValue].
func (d *diffFlag) Decode(ctx *kong.DecodeContext) error {
	d.given = true
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		d.file = fmt.Sprint(ctx.Scan.Pop().Value)
	}
	return nil
}

// maxDiffBytes is the largest diff that a question may have.
const maxDiffBytes = 4 << 20

// read sets the diff of a question: that of a file, "-" for standard input, "" for the
// working tree.
func (d *diffFlag) read(a *app, file string, q *api.Question) error {
	var in io.Reader = a.in
	switch file {
	case "":
		q.WorkingTree = true
		return nil
	case "-":
	default:
		f, err := os.Open(file)
		if errors.Is(err, fs.ErrNotExist) {
			return usagef("no diff %s; give a file, - for standard input, or nothing for the working tree", file)
		} else if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxDiffBytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("read the diff: %w", err)
	case len(text) > maxDiffBytes:
		return usagef("the diff has more than 4 MB; pass the part that matters")
	case len(strings.TrimSpace(string(text))) == 0:
		return usagef("the diff is empty: nothing is changed")
	}
	q.Diff = strings.ToValidUTF8(string(text), "\ufffd")
	return nil
}

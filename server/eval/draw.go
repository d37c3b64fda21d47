package eval

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"ambit/indexer/githist"
	"ambit/indexer/languages"
	"ambit/server/api"
	"ambit/vectors/record"
)

// DrawOptions says which commits are asked about. The zero value is ready for use.
type DrawOptions struct {
	Commits  int       // how many; 0 means as many as take about two minutes, at most DefaultCommits
	Since    time.Time // no earlier ones
	MaxFiles int       // of a commit that counts; 0 means DefaultMaxFiles
	Seed     uint64
}

const (
	// DefaultCommits gives an interval of about ±.1 at Acc@5.
	DefaultCommits = 100
	// DefaultMaxFiles leaves out sweeping commits, whose messages name no place.
	DefaultMaxFiles = 10

	maxRead     = 3000 // commits of the history that are looked at
	fewest      = 5    // questions, below which the figures would say nothing
	fewDefault  = 30   // questions that are asked whatever they take
	minWords    = 3    // of a subject
	maxQuestion = 8000 // bytes of a message that are asked
)

// The reasons why a commit is not asked about, in the order in which they are looked for.
const (
	leftMerge    = "merges"
	leftRevert   = "reverts"
	leftBump     = "version and dependency bumps"
	leftMute     = "subject of fewer than three words"
	leftSame     = "subject of a later commit"
	leftMany     = "too many files"
	leftNoSource = "documents, tests or data only"
	leftNew      = "new source files only"
	leftUnknown  = "source files that are not indexed"
)

// ErrFew is returned by [Draw] when too few commits can be asked about.
var ErrFew = errors.New("too little history")

// Draw is the commits that are asked about.
type Draw struct {
	repo    *githist.Repository
	o       DrawOptions
	commits []githist.Commit // the earliest first
	out     api.EvaluatedCommits
	size    int64 // bytes of code in the earliest tree
}

// NewDraw reads the history of the repository around root and draws commits from it.
// It returns the errors of [githist.Open], and one that wraps [ErrFew].
func NewDraw(ctx context.Context, root string, o DrawOptions) (*Draw, error) {
	repo, err := githist.Open(ctx, root)
	if err != nil {
		return nil, err
	}
	if o.MaxFiles <= 0 {
		o.MaxFiles = DefaultMaxFiles
	}
	d := &Draw{repo: repo, o: o}
	all, err := repo.Commits(ctx, o.Since, maxRead)
	if err != nil {
		return nil, err
	}
	apt := d.apt(all)
	if len(apt) < fewest {
		return nil, fmt.Errorf("%w: of %d commits, %d can be asked about and %d are needed%s", ErrFew, len(all), len(apt), fewest, d.leftOut())
	}
	d.out.Read, d.out.Apt = len(all), len(apt)
	if err := d.measure(ctx, apt); err != nil {
		return nil, err
	}
	d.draw(apt)
	return d, nil
}

// apt returns the commits that may be asked about, the latest first, and counts the others.
func (d *Draw) apt(all []githist.Commit) (apt []githist.Commit) {
	left, subjects := map[string]int{}, map[string]bool{}
	for i := range all {
		c := &all[i]
		reason := d.reason(c)
		if subject := firstLine(messageQuestion(c.Message)); reason == "" {
			if subjects[subject] {
				reason = leftSame
			}
			subjects[subject] = true
		}
		if reason != "" {
			left[reason]++
			continue
		}
		apt = append(apt, *c)
	}
	for _, reason := range []string{leftMerge, leftRevert, leftBump, leftMute, leftSame, leftMany, leftNoSource, leftNew} {
		if n := left[reason]; n > 0 {
			d.out.LeftOut = append(d.out.LeftOut, api.CommitsLeft{Reason: reason, Commits: n})
		}
	}
	return apt
}

// leftOut returns the counts of the commits that are not asked about, "" for none.
func (d *Draw) leftOut() string {
	var parts []string
	for _, l := range d.out.LeftOut {
		parts = append(parts, fmt.Sprintf("%s (%d)", l.Reason, l.Commits))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; left out: " + strings.Join(parts, ", ")
}

// reason returns why a commit is not asked about, or "".
func (d *Draw) reason(c *githist.Commit) string {
	subject := firstLine(c.Message)
	switch {
	case len(c.Parents) > 1:
		return leftMerge
	case revertSubject.MatchString(subject) || strings.Contains(c.Message, "This reverts commit"):
		return leftRevert
	case bumpSubject.MatchString(subject):
		return leftBump
	case len(strings.Fields(firstLine(messageQuestion(c.Message)))) < minWords:
		return leftMute
	case len(c.Changes) > d.o.MaxFiles:
		return leftMany
	}
	source, old := 0, 0
	for _, ch := range c.Changes {
		if ch.Path != "" && isSource(record.Path(ch.Path)) {
			source++
		}
		if _, ok := expects(ch); ok {
			old++
		}
	}
	switch {
	case source == 0 && old == 0:
		return leftNoSource
	case old == 0 || len(c.Parents) == 0:
		return leftNew
	}
	return ""
}

var (
	revertSubject = regexp.MustCompile(`(?i)^revert\b`)
	bumpSubject   = regexp.MustCompile(`(?i)^(\w+(\([^)]*\))?!?: *)?(bump|release|prepare(d|s)? (for )?(the )?(next )?release|version bump|cut release|(up)?date (the )?dep(endenc|s)|` +
		`v?\d+\.\d+(\.\d+)?([-.]?\w+)?$|\[pre-commit|start version|back to dev)|^(build|chore|fix)\(deps|^(build|chore)\(release`)
)

// isSource reports whether a file is one of those that a question is about: code, and no test.
func isSource(path record.Path) bool {
	o := languages.Parse(path, nil)
	return !o.Test && !languages.IsProse(o.Language) && !languages.IsData(o.Language)
}

// expects returns the file that a change expects to be found: a source file of the tree before.
func expects(ch githist.Change) (record.Path, bool) {
	if ch.Status == 'A' || ch.Status == 'C' || ch.Same || ch.From == "" || !isSource(record.Path(ch.From)) {
		return "", false
	}
	return record.Path(ch.From), true
}

// trailer is a line at the end of a message for programs.
var (
	trailer     = regexp.MustCompile(`^([A-Z][A-Za-z]*(-[A-Za-z]+)+: |git-svn-id: |\(cherry picked from )`)
	pullRequest = regexp.MustCompile(`\s*\(#\d+\)$`)
)

// messageQuestion returns the question of a message: its subject and body, without the lines
// for programs and the number of the pull request.
func messageQuestion(message string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(message), "\n") {
		line = strings.TrimRight(line, " \t\r")
		if !trailer.MatchString(line) {
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		lines[0] = pullRequest.ReplaceAllString(lines[0], "")
	}
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	if len(text) > maxQuestion {
		text = strings.ToValidUTF8(text[:maxQuestion], "")
	}
	return text
}

// measure reads the size of the tree before the earliest commit.
func (d *Draw) measure(ctx context.Context, apt []githist.Commit) error {
	files, err := d.repo.Files(ctx, apt[0].Parents[0]) // the latest: the largest as a rule
	if err != nil {
		return err
	}
	for _, f := range files {
		if isCode(record.Path(f.Path)) {
			d.size += f.Size
		}
	}
	return nil
}

// The time that an evaluation takes, as measured on two cores: for a MB of code that is
// indexed and cut in five ways, for each question, and for each question and MB.
const (
	perMB         = 4 * time.Second
	perQuestion   = 200 * time.Millisecond
	perQuestionMB = 100 * time.Millisecond
	enough        = 2 * time.Minute
)

// Estimate returns about how long the evaluation takes.
func (d *Draw) Estimate() time.Duration { return d.estimate(len(d.commits)) }

func (d *Draw) estimate(n int) time.Duration {
	mb := float64(d.size) / 1e6
	return time.Duration(mb*float64(perMB) + float64(n)*(float64(perQuestion)+mb*float64(perQuestionMB)))
}

// draw chooses the commits by the seed and sorts them, the earliest first.
func (d *Draw) draw(apt []githist.Commit) {
	n := d.o.Commits
	if n <= 0 {
		for n = DefaultCommits; n > fewDefault && d.estimate(n) > enough; n -= 5 {
		}
	}
	order := rand.New(rand.NewPCG(d.o.Seed, 0)).Perm(len(apt))
	chosen := order[:min(n, len(order))]
	slices.Sort(chosen) // the log has the latest first
	for _, i := range slices.Backward(chosen) {
		d.commits = append(d.commits, apt[i])
	}
	d.out.Asked = len(d.commits)
	const day = "2006-01-02"
	d.out.First, d.out.Last = d.commits[0].When.Format(day), d.commits[len(d.commits)-1].When.Format(day)
}

// Commits returns how many commits are drawn, and from how many.
func (d *Draw) Commits() (drawn, apt int) { return d.out.Asked, d.out.Apt }

// NextStep adds to an error of the history what the user can do.
func NextStep(err error) error {
	steps := map[error]string{
		githist.ErrNoGit:        "install git, or ask with --questions FILE",
		githist.ErrNoRepository: "go to one, name it with --root DIR, or ask with --questions FILE",
		githist.ErrNoCommit:     "commit something, or ask with --questions FILE",
		githist.ErrShallow:      "git fetch --unshallow brings them, or ask with --questions FILE",
		githist.ErrPartial:      "use a full clone, or ask with --questions FILE",
		ErrFew:                  "leave --since out, raise --max-files, or ask with --questions FILE",
	}
	for known, step := range steps {
		if errors.Is(err, known) {
			return fmt.Errorf("%w; %s", err, step)
		}
	}
	return err
}

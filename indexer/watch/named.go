package watch

import "strings"

// NamedOut returns why a file of that path is never indexed, judged by its name
// alone, whether it exists or not; "" for the others. It tells of a document that is
// open and not saved what [Scan] would tell of the file.
func (f *Filter) NamedOut(path string) string {
	segments := strings.Split(path, "/")
	private := false
	for _, s := range segments[:len(segments)-1] {
		private = private || privateDirs[s]
	}
	return leftOutByName(segments[len(segments)-1], private)
}

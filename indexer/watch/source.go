package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// source delivers the events of directories. notifications satisfies it.
type source interface {
	// Add watches a directory, not the directories below it. Adding it again is no error.
	Add(dir string) error
	Remove(dir string) error
	// Events delivers events in the order of the changes, where the system keeps it.
	Events() <-chan fsnotify.Event
	Close() error
}

// notifications are those of the operating system: inotify, kqueue,
// ReadDirectoryChangesW.
type notifications struct {
	*fsnotify.Watcher
	events chan fsnotify.Event
}

// openNotifications opens the operating system's notifications. It calls failed with each
// error, above all [fsnotify.ErrEventOverflow], before it delivers an event that came after
// it. The channel of events has no buffer: events wait in the kernel, which bounds them.
// Errors do not wait, because fsnotify may hold its lock until an error is received.
func openNotifications(failed func(error)) (source, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	n := notifications{w, make(chan fsnotify.Event)}
	go n.deliver(failed)
	return n, nil
}

// deliver receives events and errors in their order, until Close ends both.
func (n notifications) deliver(failed func(error)) {
	defer close(n.events)
	var waiting fsnotify.Event
	var from, to chan fsnotify.Event = n.Watcher.Events, nil // one of the two is nil
	for {
		select {
		case err, ok := <-n.Errors:
			if !ok {
				return
			}
			failed(err)
		case ev, ok := <-from:
			if !ok {
				return
			}
			waiting, from, to = ev, nil, n.events
		case to <- waiting:
			from, to = n.Watcher.Events, nil
		}
	}
}

func (n notifications) Events() <-chan fsnotify.Event { return n.events }

// isVanished reports whether err says that a directory is gone or closed to the user. The
// watcher skips such a directory and watches the others.
func isVanished(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// unavailableMessage returns one line with the reason why the watcher watches nothing and
// the remedy.
//
// Source: inotify(7), "/proc interfaces", and the errors of inotify_init1(2) and
// inotify_add_watch(2).
func unavailableMessage(err error) string {
	const so = "so ambit looks for changes every few seconds instead"
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "all file watches of this user are in use, " + so + "; raise the limit: sudo sysctl fs.inotify.max_user_watches=1048576"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "no file watcher can be opened, " + so + "; raise the limit: sudo sysctl fs.inotify.max_user_instances=1024 (or ulimit -n)"
	}
	return fmt.Sprintf("the file system reports no changes (%v), %s; reload the window when an answer is missing a file", plain(err), so)
}

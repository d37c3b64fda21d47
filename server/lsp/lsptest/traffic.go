package lsptest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

// Tee runs a server as a child with the standard streams and the signals of this
// process, and writes the traffic to a new file in dir, for [ReadTraffic]. The name of
// the file ends in ".part" until the server has ended, then in ".jsonl". Tee returns the
// exit code of the server. An editor starts a program that calls Tee in place of the
// server.
func Tee(dir, server string, args ...string) int {
	err := tee(dir, exec.Command(server, args...))
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func tee(dir string, server *exec.Cmd) error {
	name := filepath.Join(dir, strconv.Itoa(os.Getpid()))
	log, err := os.Create(name + ".part")
	if err != nil {
		return err
	}
	in, err := server.StdinPipe()
	if err != nil {
		return err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		return err
	}
	var mu sync.Mutex // guards log
	keep := func(fromServer bool) func([]byte) error {
		return func(data []byte) error {
			mu.Lock()
			defer mu.Unlock()
			return json.NewEncoder(log).Encode(Message{FromServer: fromServer, Data: data})
		}
	}
	go func() { // ends with the process
		_ = forward(in, os.Stdin, keep(false)) // the server sees the end of its input
		in.Close()
	}()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() { // ends with the process
		for s := range signals {
			_ = server.Process.Signal(s) // unless it has ended
		}
	}()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // which would end this process
	_ = forward(os.Stdout, out, keep(true))
	_, _ = io.Copy(io.Discard, out) // after the editor has stopped reading
	err = server.Wait()
	return errors.Join(err, log.Close(), os.Rename(name+".part", name+".jsonl"))
}

// forward copies messages. It passes each to show before it writes it.
func forward(to io.Writer, from io.Reader, show func([]byte) error) error {
	r := bufio.NewReader(from)
	for {
		_, data, err := readFrame(r)
		if err != nil {
			return err
		}
		if err := show(data); err != nil {
			return err
		}
		if err := writeFrame(to, data); err != nil {
			return err
		}
	}
}

// readFrame reads a message with its header.
func readFrame(r *bufio.Reader) (header textproto.MIMEHeader, data []byte, err error) {
	header, err = textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return header, nil, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || n < 0 {
		return header, nil, fmt.Errorf("Content-Length %q", header.Get("Content-Length"))
	}
	data = make([]byte, n)
	_, err = io.ReadFull(r, data)
	return header, data, err
}

// writeFrame writes a message with its header, at once.
func writeFrame(w io.Writer, data []byte) error {
	_, err := fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%s", len(data), data)
	return err
}

// ReadTraffic reads a session that [Tee] has recorded.
func ReadTraffic(path string) ([]Message, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var session []Message
	for d := json.NewDecoder(file); ; {
		var m Message
		switch err := d.Decode(&m); {
		case errors.Is(err, io.EOF):
			return session, nil
		case err != nil:
			return nil, fmt.Errorf("read traffic %s: %w", path, err)
		}
		session = append(session, m)
	}
}

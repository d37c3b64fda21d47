// Package upgrade asks which release of ambit is the latest. It is used when the user asks
// for it, and by no other command. It sends nothing but the request for one file, and changes
// nothing on the machine.
package upgrade

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// Address is where the files of the latest release are. It is empty until the repository has
// an address, which docs/releasing.md says.
const Address = ""

// timeout limits the request. maxBytes limits the answer; a release has a dozen files.
const (
	timeout  = 30 * time.Second
	maxBytes = 1 << 20
)

// archive is the name of an archive of a release in the lines of SHA256SUMS.
var archive = regexp.MustCompile(`^[0-9a-f]{64} [ *]ambit-(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)-[a-z0-9]+-[a-z0-9]+\.(?:tar\.gz|zip)$`)

// Latest returns the version of the release whose files are at an address: 1.2.3. The names in
// its SHA256SUMS say it, so any host of files will do. An error names the next step.
func Latest(ctx context.Context, address string) (string, error) {
	if err := check(address); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	file := strings.TrimRight(address, "/") + "/SHA256SUMS"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, file, nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{CheckRedirect: func(to *http.Request, via []*http.Request) error {
		if len(via) > 10 {
			return errors.New("it is redirected more than ten times")
		}
		return check(to.URL.String())
	}}
	answer, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("ask for the latest release: %w; check the network and the address", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("ask for the latest release: %s answers %s; check the address", file, answer.Status)
	}
	version, err := versionIn(io.LimitReader(answer.Body, maxBytes))
	if err != nil {
		return "", fmt.Errorf("read %s: %w; check the address", file, err)
	}
	return version, nil
}

// check refuses an address whose answer others on the network could forge.
func check(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return err
	case u.Scheme == "https" && u.Host != "", u.Scheme == "http" && u.Hostname() == "127.0.0.1":
		return nil
	}
	return fmt.Errorf("%s is no address of a release; it must begin with https://", address)
}

// versionIn returns the version in the names of the archives of a SHA256SUMS.
func versionIn(sums io.Reader) (string, error) {
	lines := bufio.NewScanner(sums)
	for lines.Scan() {
		if found := archive.FindStringSubmatch(lines.Text()); found != nil {
			return found[1], nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", err
	}
	return "", errors.New("it names no archive of ambit")
}

// Newer reports whether a release is newer than a version of semver.org. A version that is
// none, such as that of a build of a checkout, is not compared.
func Newer(release, version string) bool {
	return semver.IsValid("v"+version) && semver.Compare("v"+release, "v"+version) > 0
}

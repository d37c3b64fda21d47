package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block returns the nth block of a language in a page, below a heading.
func block(t *testing.T, page, heading, language string, nth int) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), heading+"\n")
	blocks := regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```").FindAllStringSubmatch(rest, nth+1)
	if !found || len(blocks) <= nth {
		t.Fatalf("%s has no %d. block of %s below %q", page, nth+1, language, heading)
	}
	return blocks[nth][1]
}

// write writes a file of the home.
func (m *machine) write(name, text string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(m.path(name), []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// The README's section on Neovim, followed literally on a fresh machine, ends with an
// open context window. The machine has Go's caches, so as not to compile for minutes.
func TestTheReadmeEndsWithAContextWindow(t *testing.T) {
	nvim := editor(t, "nvim12")
	m := freshMachine(t, false)
	files, err := exec.Command("git", "-C", "../../..", "ls-files", "-co", "--exclude-standard").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for _, name := range strings.Fields(string(files)) {
		text, err := os.ReadFile(filepath.Join("../../..", name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // a deletion that is not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		m.write("checkout/"+name, string(text))
	}
	m.run("checkout", "git", "init", "-q")
	caches, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN").Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	c := strings.Fields(string(caches))
	m.write("follow.sh", fmt.Sprintf("export GOCACHE=%s GOMODCACHE=%s GOTOOLCHAIN=%s\n", c[0], c[1], c[2])+
		"set -e\n"+block(t, "../../../README.md", "### Neovim", "sh", 0))
	if err := os.Mkdir(m.path("bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(nvim, m.path("bin/nvim")); err != nil {
		t.Fatal(err)
	}
	s := newScreen(m, 110, 40)
	s.start("checkout", "sh", "-c", "PATH="+m.path("bin")+":$PATH; . ../follow.sh || sleep 9")
	s.awaits("of 8000 tokens")
	s.awaits("## `Split` (function)")
	s.keys(":help ambit.context()", "Enter")
	s.awaits("ambit.txt")
	s.keys(":quitall!", "Enter")
	s.ends()
}

// packadd, setup and the Lua API do what docs/neovim.md says.
func TestPackaddServesEveryFile(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			nvim := editor(t, version)
			m := freshMachine(t, false)
			copyTree(t, "..", m.path(".local/share/nvim/site/pack/ambit/opt/ambit"))
			m.write(".config/nvim/init.lua", block(t, "../../../docs/neovim.md", "## Install", "lua", 2))
			m.write("ask.lua", block(t, "../../../docs/neovim.md", "## Lua API", "lua", 0)+"io.stdout:write(err or result.text)")
			out := m.run("shop", nvim, "-n", "--headless", "cart.go",
				"-c", "lua assert(vim.wait(120000, function() return vim.lsp.get_clients({ name = 'ambit', bufnr = 0 })[1] ~= nil end))",
				"-c", "luafile ../ask.lua", "-c", "quitall!")
			if !strings.Contains(out, "<codebase_context query=") {
				t.Errorf("the API answers %s", out)
			}
			m.checkTraffic()
		})
	}
}

// lazy.nvim's config and vim.pack's init.lua install a checkout: `:Ambit` works, with the
// command of the checkout when the PATH has none.
func TestPluginManagersInstallACheckout(t *testing.T) {
	for nth, manager := range []string{"lazy.nvim", "vim.pack"} {
		t.Run(manager, func(t *testing.T) {
			t.Parallel()
			nvim := editor(t, "nvim12")
			m := freshMachine(t, false)
			copyTree(t, "..", m.path("origin/editors/neovim"))
			ambit, err := exec.LookPath("ambit")
			if err != nil {
				t.Fatal(err)
			}
			m.write("origin/ambit.sh", "#!/bin/sh\nPATH="+filepath.Dir(ambit)+":$PATH exec ambit \"$@\"\n")
			m.write("origin/Makefile", "build:\n\tinstall -D ambit.sh bin/ambit\n")
			m.run("origin", "git", "init", "-q", "-b", "main")
			m.run("origin", "git", "add", ".")
			m.run("origin", "git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all")
			text := strings.ReplaceAll(block(t, "../../../docs/neovim.md", "## Install", "lua", nth), "URL of this repository", "file://"+m.path("origin"))
			if manager == "vim.pack" {
				text = "local add = vim.pack.add\nvim.pack.add = function(specs) add(specs, { confirm = false }) end\n" + text
			} else { // what lazy.nvim does with a spec
				text = "local spec = " + text + `
local dir = vim.env.HOME .. '/plugin'
vim.system({ 'git', 'clone', '-q', spec.url, dir }):wait()
vim.system(vim.split(spec.build, ' '), { cwd = dir }):wait()
spec.config({ dir = dir })`
			}
			m.write(".config/nvim/init.lua", text+"\nvim.env.PATH = '/usr/bin:/bin'\nassert(vim.fn.executable('ambit') == 0)\n")
			out := m.run("shop", nvim, "-n", "--headless", "+/) Total", "+Ambit", "cart.go",
				"-c", "lua assert(vim.wait(120000, function() return vim.api.nvim_buf_get_name(0):find('^ambit://') end), 'no window')",
				"-c", "lua io.stdout:write(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n'))", "-c", "quitall!")
			if !strings.Contains(out, "## `Cart.Total` (method)") {
				t.Errorf(":Ambit shows %s", out)
			}
			m.checkTraffic()
		})
	}
}

// What make neovim-plugin lays out needs nothing but its URL.
func TestThePluginAloneIsInstalledByItsURL(t *testing.T) {
	nvim := editor(t, "nvim12")
	if out, err := exec.Command("make", "-s", "-C", "../../..", "neovim-plugin").CombinedOutput(); err != nil {
		t.Fatalf("make neovim-plugin: %v\n%s", err, out)
	}
	m := freshMachine(t, false)
	copyTree(t, "../../../bin/neovim-plugin", m.path("origin"))
	m.run("origin", "git", "init", "-q", "-b", "main")
	m.run("origin", "git", "add", ".")
	m.run("origin", "git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all")
	m.write(".config/nvim/init.lua", "vim.pack.add({ 'file://"+m.path("origin")+"' }, { confirm = false })\n")
	out := m.run("shop", nvim, "-n", "--headless", "-c", "lua io.stdout:write('exists: ' .. vim.fn.exists(':Ambit'))", "-c", "quitall!")
	if !strings.Contains(out, "exists: 2") {
		t.Errorf("there is no :Ambit: %s", out)
	}
}

// LuaRocks makes a rock of what make neovim-plugin lays out, and Neovim takes its directories
// and modules, as rocks.nvim has it.
func TestThePluginIsARock(t *testing.T) {
	nvim := editor(t, "nvim12")
	if err := exec.Command("luarocks", "--version").Run(); err != nil {
		missing(t, "LuaRocks")
	}
	if out, err := exec.Command("make", "-s", "-C", "../../..", "neovim-plugin").CombinedOutput(); err != nil {
		t.Fatalf("make neovim-plugin: %v\n%s", err, out)
	}
	m := freshMachine(t, false)
	copyTree(t, "../../../bin/neovim-plugin", m.path("plugin"))
	m.run("plugin", "luarocks", "--lua-version", "5.1", "--tree", m.path("rocks"), "make")
	m.write(".config/nvim/init.lua", `
local rocks = vim.env.HOME .. '/rocks'
package.path = rocks .. '/share/lua/5.1/?.lua;' .. rocks .. '/share/lua/5.1/?/init.lua;' .. package.path
vim.opt.runtimepath:append(rocks .. '/lib/luarocks/rocks-5.1/ambit.nvim/scm-1')
`)
	out := m.run("shop", nvim, "-n", "--headless", "+/) Total", "+Ambit", "cart.go",
		"-c", "lua assert(vim.wait(120000, function() return vim.api.nvim_buf_get_name(0):find('^ambit://') end), 'no window')",
		"-c", "lua io.stdout:write(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n'))", "-c", "quitall!")
	if !strings.Contains(out, "## `Cart.Total` (method)") {
		t.Errorf(":Ambit shows %s", out)
	}
	m.checkTraffic()
}

// Helix takes the page's languages.toml, and Space k shows the card.
func TestTheHelixPage(t *testing.T) {
	hx := editor(t, "hx")
	m := freshMachine(t, false)
	m.write(".config/helix/config.toml", strings.ReplaceAll(block(t, "../../helix.md", "# Helix", "toml", 1), "/tmp/", m.path("")+"/"))
	m.write(".config/helix/languages.toml", strings.ReplaceAll(block(t, "../../helix.md", "# Helix", "toml", 0), `"gopls", `, ""))
	s := newScreen(m, 100, 40)
	s.start("shop", hx, "cart.go:7:20")
	s.awaits("func (c *Cart) Total")
	_, ok := eventually(t, func() string {
		s.keys("Space", "k") // until the index is there
		return s.text()
	}, func(text string) bool { return strings.Contains(text, "uses Cart, priceOf") })
	if !ok {
		t.Fatalf("Space k shows no card:\n%s", s.text())
	}
	_, ok = eventually(t, func() string {
		s.keys("Escape") // again, as the answer to an earlier Space k may come late
		return s.text()
	}, func(text string) bool { return !strings.Contains(text, "uses Cart, priceOf") })
	if !ok {
		t.Fatalf("Escape leaves the card:\n%s", s.text())
	}
	s.keys(":lsp-workspace-command ambit.reindex", "Enter", "Space", "m")
	s.awaits("# Codebase context: `Cart.Total`")
	s.keys(":quit-all!", "Enter")
	s.ends()
	m.checkMessages("*") // Helix kills whom it has told to exit, and so the tee
}

// Emacs takes the page's init file. ambit.el shows and copies the context, and eglot keeps
// the servers of the languages.
func TestTheEmacsPage(t *testing.T) {
	if err := exec.Command("emacs", "-Q", "--batch", "--eval", "(require 'eglot)").Run(); err != nil {
		const need = "Emacs 29 or later is missing; on Debian 12: apt-get install -t bookworm-backports emacs-nox"
		if os.Getenv("AMBIT_CI") != "" {
			t.Fatal(need)
		}
		t.Skip(need)
	}
	m := freshMachine(t, false)
	copyTree(t, "../../emacs", m.path(".emacs.d/lisp"))
	m.write("init.el", block(t, "../../emacs.md", "# Emacs", "elisp", 0)+block(t, "../../emacs.md", "## eglot", "elisp", 0))
	m.write("try.el", `
(require 'eglot)
(require 'cl-lib)
(load "~/init.el")
(setq eglot-sync-connect 120 eglot-connect-timeout 120 jrpc-default-request-timeout 120) ; the machine may be busy
(find-file "cart.go")
(search-forward ") Tot")
(call-interactively #'ambit-context)
(princ (format "shown in %s: %s\n" (buffer-name) (buffer-string)))
(cl-assert buffer-read-only)
(switch-to-buffer "cart.go")
(call-interactively #'ambit-copy)
(princ (format "copied: %s\n" (current-kill 0)))
(cl-letf (((symbol-function 'read-string) (lambda (&rest _) "how are prices summed up?")))
  (let ((current-prefix-arg '(4))) (call-interactively #'ambit-copy)))
(princ (format "answered: %s\n" (current-kill 0)))
(princ (format "refused: %s\n" (condition-case err (ambit--ask '("never.go:1")) (user-error (error-message-string err)))))
(cl-assert (member "gopls" (flatten-list (eglot--lookup-mode 'go-mode))))
(define-derived-mode shop-mode prog-mode "Shop")
(shop-mode)
(apply #'eglot (eglot--guess-contact))
(cl-assert (eglot-server-capable :hoverProvider))
(eglot-shutdown (eglot-current-server) nil 120)
`)
	out := m.run("shop", "emacs", "-Q", "--batch", "-l", m.path("try.el"))
	for _, want := range []string{"shown in *ambit*: # Codebase context: `Cart.Total`", "copied: # Codebase context: `Cart.Total`", "answered: # Codebase context", "refused: ambit"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if n := strings.Count(out, "## `Cart.Total` (method)"); n < 2 {
		t.Errorf("the context of the symbol is there %d times:\n%s", n, out)
	}
	m.checkTraffic()
}

// lsp-mode takes the page's client, and runs it beside the server of the language.
func TestTheEmacsPageForLspMode(t *testing.T) {
	if err := exec.Command("emacs", "--batch", "--eval", "(progn (package-initialize) (require 'lsp-mode))").Run(); err != nil {
		const need = "lsp-mode for Emacs is missing; on Debian 12: apt-get install -t bookworm-backports emacs-nox elpa-lsp-mode"
		if os.Getenv("AMBIT_CI") != "" {
			t.Fatal(need)
		}
		t.Skip(need)
	}
	m := freshMachine(t, false)
	m.write("init.el", block(t, "../../emacs.md", "## lsp-mode", "elisp", 0))
	m.write("try.el", `
(package-initialize)
(load "~/init.el")
(require 'lsp-mode)
(setq lsp-auto-guess-root t lsp-enable-snippet nil lsp-response-timeout 120)
(define-derived-mode shop-mode prog-mode "Shop")
(add-to-list 'lsp-language-id-configuration '(shop-mode . "go"))
(lsp-register-client
 (make-lsp-client :new-connection (lsp-stdio-connection '("ambit" "lsp")) :major-modes '(shop-mode) :server-id 'language))
(find-file "cart.go")
(shop-mode)
(search-forward ") Tot")
(lsp)
(let (hovers)
  (while (< (length hovers) 2) ; one of each server, once it has read the folder
    (accept-process-output nil 0.1)
    (setq hovers (delq nil (mapcar (lambda (w) (with-lsp-workspace w (ignore-errors (lsp-request "textDocument/hover" (lsp--text-document-position-params)))))
                                   (lsp-workspaces)))))
  (princ (format "servers: %S\n" (sort (mapcar (lambda (w) (lsp--client-server-id (lsp--workspace-client w))) (lsp-workspaces)) #'string<)))
  (princ (format "hovers: %S\n" hovers)))
`)
	out := m.run("shop", "emacs", "--batch", "-l", m.path("try.el"))
	if !strings.Contains(out, "servers: (ambit language)") || strings.Count(out, "priceOf") < 2 {
		t.Errorf("not both servers answer:\n%s", out)
	}
	m.checkTraffic()
}

// Zed's tasks are run as Zed does, with its variables.
func TestTheZedPage(t *testing.T) {
	m := freshMachine(t, false)
	var tasks []struct {
		Command string
		Args    []string
	}
	if err := json.Unmarshal([]byte(block(t, "../../zed.md", "# Zed", "json", 0)), &tasks); err != nil {
		t.Fatal(err)
	}
	variables := strings.NewReplacer("$ZED_FILE", m.path("shop/cart.go"), "$ZED_ROW", "7", "$ZED_COLUMN", "17", "$ZED_SELECTED_TEXT", "priceOf")
	for _, task := range tasks {
		for i := range task.Args {
			task.Args[i] = variables.Replace(task.Args[i])
		}
		if out := m.run("shop", task.Command, task.Args...); !strings.Contains(out, "priceOf") {
			t.Errorf("%s %q prints\n%s", task.Command, task.Args, out)
		}
	}
	if text := block(t, "../../zed.md", "# Zed", "json", 1); !json.Valid([]byte(text)) {
		t.Errorf("keymap.json: %s", text)
	}
}

// Vim takes the page's mapping.
func TestTheVimPage(t *testing.T) {
	if err := exec.Command("vim", "--version").Run(); err != nil {
		const need = "Vim is missing; editors/neovim/tests/install puts it in place"
		if os.Getenv("AMBIT_CI") != "" {
			t.Fatal(need)
		}
		t.Skip(need)
	}
	m := freshMachine(t, false)
	m.write("vimrc", block(t, "../../vim.md", "# Vim", "vim", 0))
	s := newScreen(m, 100, 40)
	s.start("shop", "vim", "-N", "-n", "-u", m.path("vimrc"), "+call cursor(7, 17)", "cart.go")
	s.awaits("func (c *Cart) Total")
	s.keys(`\c`)
	s.awaits("# Codebase context: `Cart.Total`")
	s.keys(":close", "Enter", `\y`, ":new", "Enter", `:put =getreg(has('clipboard') ? '+' : '\"')`, "Enter", ":1", "Enter")
	s.awaits("# Codebase context: `Cart.Total`")
	s.keys(":quitall!", "Enter")
	s.ends()
}

// vim-lsp and yegappan/lsp take the page's configuration, show the hover and say where the
// context is.
func TestTheVimPlugins(t *testing.T) {
	if err := exec.Command("vim", "--version").Run(); err != nil {
		missing(t, "Vim")
	}
	for heading, plugin := range map[string]string{
		"## vim-lsp":      "vim-lsp-474c656659b5fb51eec6770309e0211c8aa49b5b",
		"## yegappan/lsp": "lsp-33aef9d2f041d16f6e0c0adc9f486a5cf3724924",
	} {
		t.Run(strings.TrimPrefix(heading, "## "), func(t *testing.T) {
			t.Parallel()
			m := freshMachine(t, false)
			m.install(plugin, ".vim/pack/others/start")
			m.write("vimrc", "filetype plugin on\n"+block(t, "../../vim.md", heading, "vim", 0))
			s := newScreen(m, 120, 40)
			s.start("shop", "vim", "-N", "-n", "-u", m.path("vimrc"), "+call cursor(7, 17)", "cart.go")
			s.awaits("func (c *Cart) Total")
			shows := func(want string) func() bool {
				return func() bool { return strings.Contains(strings.ReplaceAll(s.text(), "\n", ""), want) }
			}
			// Until the index is there, each time elsewhere: yegappan/lsp remembers that a place has none.
			hover := func() { s.keys(":call cursor(7, col('.') == 17 ? 18 : 17)", "Enter", ":LspHover", "Enter") }
			if !s.insists(hover, shows("TestTotal")) {
				t.Fatalf(":LspHover shows no card:\n%s", s.text())
			}
			// A late hover closes the list of the actions.
			list := func() { s.keys("Escape", "Escape", ":only", "Enter", ":LspCodeAction", "Enter") }
			answer := m.path(".cache/ambit/answers/ambit-context.md")
			if !s.insists(func() {
				if s.insists(list, shows("Copy context")) {
					s.keys("1", "Enter")
				}
			}, func() bool { _, err := os.Stat(answer); return err == nil }) {
				t.Fatalf("%s is missing:\n%s", answer, s.text())
			}
			if !s.insists(func() { s.keys("Escape", ":messages", "Enter") }, shows(answer)) {
				t.Errorf("no message names %s:\n%s", answer, s.text())
			}
			s.keys("Escape", ":quitall!", "Enter")
			s.ends()
			m.checkTraffic()
		})
	}
}

package main

import (
	"fmt"
	"strings"
)

// archiveOf returns the name of the archive of a platform without Windows.
func (r *release) archiveOf(p platform) string {
	return fmt.Sprintf("%s-%s-%s.tar.gz", name, r.version, p)
}

// url returns where a file of the release is published.
func (r *release) url(file string) string {
	return address + "/releases/download/v" + r.version + "/" + file
}

// formula writes the formula of Homebrew for the archives that are there.
func (r *release) formula(sums map[string]string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "class Ambit < Formula\n  desc \"Right pieces of code for a symbol or a question\"\n  homepage \"%s\"\n  version \"%s\"\n  license \"MIT\"\n", address, r.version)
	for _, system := range []struct{ go_, brew string }{{"darwin", "macos"}, {"linux", "linux"}} {
		var cases strings.Builder
		for _, cpu := range []struct{ go_, brew string }{{"arm64", "arm"}, {"amd64", "intel"}} {
			file := r.archiveOf(platform{os: system.go_, arch: cpu.go_})
			if sums[file] != "" {
				fmt.Fprintf(&cases, "    on_%s do\n      url \"%s\"\n      sha256 \"%s\"\n    end\n", cpu.brew, r.url(file), sums[file])
			}
		}
		if cases.Len() > 0 {
			fmt.Fprintf(&b, "\n  on_%s do\n%s  end\n", system.brew, cases.String())
		}
	}
	b.WriteString(`
  def install
    bin.install "ambit"
    man1.install "man/man1/ambit.1"
    bash_completion.install "completions/ambit.bash" => "ambit"
    zsh_completion.install "completions/_ambit"
    fish_completion.install "completions/ambit.fish"
  end

  test do
    (testpath/"a.go").write "package a\n\nfunc Work() {}\n"
    assert_match "func Work", shell_output("#{bin}/ambit context --root #{testpath} --symbol Work")
  end
end
`)
	return r.write("ambit.rb", []byte(b.String()))
}

// flake writes the flake of Nix for the Linux and macOS archives that are there.
func (r *release) flake(sums map[string]string) error {
	var sources strings.Builder
	cpus := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}
	for _, p := range platforms {
		if file := r.archiveOf(p); sums[file] != "" {
			fmt.Fprintf(&sources, "        %s-%s = { url = \"%s\"; sha256 = \"%s\"; };\n", cpus[p.arch], p.os, r.url(file), sums[file])
		}
	}
	return r.write("flake.nix", []byte(`{
  description = "The right pieces of code for a symbol or a question";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";
  outputs = { self, nixpkgs }:
    let
      sources = {
`+sources.String()+`      };
      package = system: source:
        let pkgs = nixpkgs.legacyPackages.${system}; in
        pkgs.stdenvNoCC.mkDerivation {
          pname = "ambit";
          version = "`+r.version+`";
          src = pkgs.fetchurl source;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          dontStrip = true;
          installPhase = ''
            install -Dm755 ambit $out/bin/ambit
            installManPage man/man1/ambit.1
            installShellCompletion --bash completions/ambit.bash --zsh completions/_ambit --fish completions/ambit.fish
          '';
          meta = { description = "The right pieces of code for a symbol or a question"; license = pkgs.lib.licenses.mit; mainProgram = "ambit"; };
        };
    in {
      packages = builtins.mapAttrs (system: source: { default = package system source; }) sources;
    };
}
`))
}

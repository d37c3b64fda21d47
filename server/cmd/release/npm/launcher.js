#!/usr/bin/env node
// Starts the ambit of this platform, which npm installed as an optional package beside this
// one. Nothing is downloaded and no script runs when the package is installed.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const platform = `${process.platform}-${process.arch}`;
const packages = require("../package.json").optionalDependencies;
const binary = find();
if (binary === undefined) {
  process.exitCode = 1;
} else {
  run(binary);
}

/** Returns the path of the binary, or undefined after it has said why there is none. */
function find() {
  const wanted = Object.keys(packages).find((name) => name.endsWith(`/${platform}`));
  if (!wanted) {
    console.error(`ambit: there is no release for ${platform}; build it from source`);
    return undefined;
  }
  try {
    return require.resolve(`${wanted}/bin/ambit${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    console.error(`ambit: the package ${wanted} is not installed; install ambit again without --omit=optional`);
    return undefined;
  }
}

/** Runs the binary as if it were this process: its streams, its signals, its exit code. */
function run(binary) {
  const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => {
    console.error(`ambit: ${error.message}; install ambit again`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

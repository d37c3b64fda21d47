// tee.mjs LOG COMMAND ARGS…: runs a language server and writes the messages of both
// directions to LOG, one JSON object a line: {dir: "c2s" or "s2c", at: ms, msg}.
import { spawn } from "node:child_process";
import { openSync, writeSync } from "node:fs";

const [log, command, ...args] = process.argv.slice(2);
const out = openSync(log, "a");
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });

/** Returns a function that logs the messages in the bytes of one direction. */
function logger(dir) {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const end = rest.indexOf("\r\n\r\n");
      const length = /content-length: *(\d+)/i.exec(rest.subarray(0, Math.max(end, 0)).toString());
      if (end < 0 || !length || rest.length < end + 4 + Number(length[1])) {
        return;
      }
      const body = rest.subarray(end + 4, end + 4 + Number(length[1]));
      rest = rest.subarray(end + 4 + body.length);
      writeSync(out, `${JSON.stringify({ dir, at: Date.now(), msg: JSON.parse(body.toString()) })}\n`);
    }
  };
}

const [logClient, logServer] = [logger("c2s"), logger("s2c")];
process.stdin.on("data", (bytes) => {
  logClient(bytes);
  server.stdin.write(bytes);
});
process.stdin.on("end", () => server.stdin.end());
server.stdin.on("error", () => undefined); // the server has ended; see "exit"
server.stdout.on("data", (bytes) => {
  logServer(bytes);
  process.stdout.write(bytes);
});
server.on("exit", (code) => process.exit(code ?? 1));

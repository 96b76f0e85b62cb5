// The program: hands the process to the command line and ends with its exit code.
import "./node20.ts";
import { setMaxListeners } from "node:events";
import { runCli } from "./main.ts";

const interrupted = new AbortController();
// Every request and pause listens to it while it lasts, and a test runs many at once.
setMaxListeners(0, interrupted.signal);
process.once("SIGINT", () => interrupted.abort());
process.once("SIGTERM", () => interrupted.abort());
// `tidings … | head` closes the pipe: that is not an error. A backup that was not written to its end is one, and its
// command says so.
if (process.argv[2] !== "backup")
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
  signal: interrupted.signal,
});

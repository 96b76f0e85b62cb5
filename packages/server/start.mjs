// Starts the service with the V8 options it was measured with (docs/decisions/0008-parallel-audience-and-heap-size.md):
// for `npm start` and for service managers. Arguments are passed on. It runs on any Node: dist/start.js says which one
// is needed.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const v8Options = ["--max-semi-space-size=32", "--heap-growing-percent=100", "--expose-gc", "--no-parallel-scavenge"];

const program = fileURLToPath(new URL("dist/start.js", import.meta.url));
const args = [...process.execArgv, ...v8Options, program, ...process.argv.slice(2)];

// The service replaces this process: signals, exit code, memory and parent are those of the service alone.
if (process.execve && process.platform !== "win32") process.execve(process.execPath, [process.argv0, ...args]);

// Windows, and Node before 22.15: Ctrl-C reaches both processes, and this one waits for the service to finish.
const service = spawn(process.execPath, args, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => service.kill(signal));
service.on("exit", (code, signal) => {
  if (signal) process.kill(process.pid, signal);
  else process.exit(code ?? 1);
});

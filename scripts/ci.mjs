// The steps of `.ci/run`, after each other, with one limit for all of them. A step that fails does not keep the next
// one from running, so one run shows everything that is wrong. At the limit it says what ran, what runs and since when,
// and fails: a runner that is ended from outside says nothing. It runs before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";

const limitMinutes = 40;
const steps = [
  ["npm test", ["test", "--", "--again"]],
  ["npm run test:rest", ["run", "test:rest", "--", "--again"]],
  ["npm run check", ["run", "check"]],
];

const start = Date.now();
const minutes = (since) => `${((Date.now() - since) / 60_000).toFixed(1)} min`;
const done = [];
/** The step that runs. */
let current;

setTimeout(() => {
  console.log(`\nCI: LIMIT of ${limitMinutes} min reached.`);
  for (const line of done) console.log(`CI: ran ${line}`);
  console.log(`CI: running ${current.name} since ${minutes(current.since)}`);
  const node = join("node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node");
  spawnSync(node, ["scripts/tests/running.ts"], { stdio: "inherit", timeout: 10_000 });
  // A step and all that it started are one process group.
  process.kill(-current.pid, "SIGKILL");
  process.exit(1);
}, limitMinutes * 60_000).unref();

function run([name, args]) {
  const child = spawn("npm", args, { stdio: "inherit", detached: true });
  current = { name, since: Date.now(), pid: child.pid };
  return new Promise((resolve) => child.on("exit", (status) => resolve(status === 0)));
}

for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    process.kill(-current.pid, signal);
    process.exit(1);
  });

let isGood = true;
for (const step of steps) {
  console.log(`\nCI: ${step[0]}`);
  const since = Date.now();
  const passed = await run(step);
  done.push(`${step[0]}: ${passed ? "passed" : "FAILED"} in ${minutes(since)}`);
  isGood &&= passed;
}
console.log(
  `\n${done.map((line) => `CI: ${line}`).join("\n")}\nCI: ${isGood ? "passed" : "FAILED"} in ${minutes(start)}`,
);
process.exit(isGood ? 0 : 1);

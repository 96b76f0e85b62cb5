// A short run of `npm run chaos` with a fixed seed, on the embedded PostgreSQL: two processes of the service, real
// faults, and an auditor that finds nothing broken, but notices what is taken from the evidence.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { atEnd } from "@tidings/testkit/at-end";
import {
  type Audit,
  type Call,
  type FaultKind,
  type FaultRecord,
  type Final,
  files,
  type Run,
  type StreamEvent,
} from "../../../../scripts/auditor/evidence.ts";
import { promises } from "../../../../scripts/auditor/promises.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
/** Its plan kills one process and stops one, each while something else is broken. */
const seed = 33;
const choice = "kill-process,stop-process,cut-network,slow-network,connections,provider-fails";
const planned: FaultKind[] = ["stop-process", "connections", "kill-process", "cut-network"];
/** The limit of each command; on a quiet machine, the run takes less than a minute. */
const limitMs = 900_000;
/** Whatever a run is slowed down by, it tries these. */
const tried = [
  "accepted-ends",
  "in-app-once",
  "live",
  "digests-exact",
  "external",
  "delays",
  "nothing-stuck",
  "rows-whole",
];

const folder = mkdtempSync(join(tmpdir(), "tidings-chaos-test-"));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
const evidence = join(folder, "evidence");

type Ended = { code: number; output: string };

/** SIGTERM at the limit, upon which a run ends what it has started. */
function runScript(program: string, ...args: string[]): Promise<Ended> {
  const options = { cwd: root, timeout: limitMs, maxBuffer: 64 * 1024 ** 2 };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [join("scripts", program), ...args], options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

const readJson = <T>(name: string): T => JSON.parse(readFileSync(join(evidence, name), "utf8"));

const readLines = <T>(name: string): T[] =>
  readFileSync(join(evidence, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);

/**
 * What the auditor says of the same evidence without one line of a file: the last one that fits, since what comes while
 * an inbox is opened may be in its list alone.
 */
async function auditWithout<T>(name: string, isLeftOut: (line: T, lines: T[]) => boolean): Promise<Ended> {
  const changed = mkdtempSync(join(folder, "changed-"));
  cpSync(evidence, changed, { recursive: true });
  const lines = readLines<T>(name);
  const at = lines.findLastIndex((line) => isLeftOut(line, lines));
  assert.ok(at >= 0, `a line of ${name} can be left out`);
  const rest = lines.toSpliced(at, 1).map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(join(changed, name), rest.join(""));
  return runScript("auditor/run.ts", changed);
}

function assertBroken({ code, output }: Ended, promise: string): void {
  assert.equal(code, 1, output);
  assert.match(output, new RegExp(`^${promise} +\\d+ +[1-9]\\d* +BROKEN`, "m"));
}

test("a short run makes its faults, and no promise is broken", async () => {
  const options = ["--embedded", "--minutes", "0.4", "--pace", "0.6", "--seed", String(seed), "--keep", evidence];
  const { code, output } = await runScript("chaos/run.ts", ...options, "--faults", choice);
  assert.equal(code, 0, output);
  assert.deepEqual(
    readJson<Run>(files.run).plan.map(({ fault }) => fault),
    planned,
  );
  const made = readLines<FaultRecord>(files.faults);
  assert.deepEqual(made.map(({ fault }) => fault).toSorted(), planned.toSorted());
  for (const { fault, problem } of made) assert.equal(problem, undefined, fault);
  const { verdicts, figures } = readJson<Audit>(files.audit);
  assert.ok(figures.accepted! > 100, `${figures.accepted} events were accepted`);
  assert.deepEqual(
    verdicts.map(({ promise, brokenCount }) => ({ promise, brokenCount })),
    promises.map(({ id }) => ({ promise: id, brokenCount: 0 })),
  );
  for (const id of tried) assert.ok(verdicts.find(({ promise }) => promise === id)!.checked > 0, `${id} was tried`);
  // A fault that nobody notices would be none.
  assert.ok(readLines<Call>(files.calls).some(({ status }) => status === null || status >= 500));
});

test("the auditor fails if a line of the evidence is missing, and names the promise", async () => {
  const unchanged = await runScript("auditor/run.ts", evidence);
  assert.equal(unchanged.code, 0, unchanged.output);
  const inboxes = readLines<Final>(files.finals).flatMap((one) => (one.kind === "inbox" ? one.messages : []));
  const texts = new Set(inboxes.map(({ text }) => text));
  const ids = new Set(inboxes.map(({ id }) => id));
  // What clients see must not be in any other line: requests are repeated, and streams continue after a gap.
  const withoutCall = await auditWithout<Call>(
    files.calls,
    ({ request, status, events }, calls) =>
      status === 201 &&
      events?.length === 1 &&
      texts.has(events[0]!.text) &&
      calls.filter((other) => other.request === request).length === 1,
  );
  assertBroken(withoutCall, "unaccepted");
  const withoutMessage = await auditWithout<StreamEvent>(
    files.streams,
    ({ name, messageId }, events) =>
      name === "notification" &&
      ids.has(messageId!) &&
      events.filter((other) => other.name === name && other.messageId === messageId).length === 1,
  );
  assertBroken(withoutMessage, "live");
});

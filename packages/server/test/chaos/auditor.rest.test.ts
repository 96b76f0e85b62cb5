// The auditor of chaos runs: it finds nothing in a run of the real service, and each planted fault by the promise that
// the fault breaks, and by no other.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestDatabase } from "@tidings/testkit/database";
import pg from "pg";
import { audit } from "../../../../scripts/auditor/audit.ts";
import type { Audit } from "../../../../scripts/auditor/evidence.ts";
import { describeAudit } from "../../../../scripts/auditor/print.ts";
import { promises } from "../../../../scripts/auditor/promises.ts";
import { recordRun } from "./audited-run.ts";
import { writeSample } from "./evidence.ts";
import { plantedInEvidence } from "./planted-in-evidence.ts";
import { plantedInRows } from "./planted-in-rows.ts";
import type { Fault, Row } from "./planting.ts";

const recorded = await recordRun();
const faults = [...plantedInEvidence, ...plantedInRows];

const brokenIn = ({ verdicts }: Audit): string[] =>
  verdicts.filter(({ brokenCount }) => brokenCount > 0).map(({ promise }) => promise);

test("a run of the service without faults keeps every promise, and tries each", async () => {
  const found = await audit({ folder: writeSample(recorded.evidence), databaseUrl: recorded.database.url });
  assert.deepEqual(brokenIn(found), [], describeAudit(found));
  const untried = found.verdicts.filter(({ checked }) => checked === 0).map(({ promise }) => promise);
  assert.deepEqual(untried, []);
});

async function auditWith({ plant }: Fault): Promise<Audit> {
  const evidence = structuredClone(recorded.evidence);
  let copy: TestDatabase | null = null;
  const clients: pg.Client[] = [];
  const connect = async () => {
    copy ??= await recorded.database.copy();
    const client = new pg.Client({ connectionString: copy.url, application_name: "planted" });
    await client.connect();
    clients.push(client);
    return client;
  };
  const query = async (text: string, values?: unknown[]): Promise<Row[]> => {
    const client = clients[0] ?? (await connect());
    const { rows, rowCount } = await client.query(text, values);
    assert.ok(rowCount, `no row is concerned: ${text}`);
    return rows;
  };
  try {
    await plant({ ...recorded.events, evidence, query, connect });
    const { url } = copy ?? recorded.database;
    return await audit({ folder: writeSample(evidence), databaseUrl: url });
  } finally {
    for (const client of clients) await client.end();
    await (copy as TestDatabase | null)?.drop();
  }
}

for (const fault of faults) {
  test(`${fault.promise}: ${fault.name}`, async () => {
    const found = await auditWith(fault);
    assert.deepEqual(brokenIn(found), [fault.promise], describeAudit(found));
  });
}

/** The command, which a run ends with. */
function runAuditor(folder: string, ...options: string[]) {
  const program = join(import.meta.dirname, "../../../../scripts/auditor/run.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, folder, ...options], { encoding: "utf8" });
  return { status, stdout, stderr };
}

test("the command ends with 0 for kept promises, 1 for a broken one, and 2 for evidence that cannot be used", () => {
  const clean = writeSample(recorded.evidence);
  const kept = runAuditor(clean, "--database", recorded.database.url);
  assert.deepEqual([kept.status, kept.stderr], [0, ""]);
  const audited = readFileSync(join(clean, "audit.json"), "utf8");
  assert.equal(runAuditor(clean).status, 0);
  assert.equal(
    readFileSync(join(clean, "audit.json"), "utf8"),
    audited,
    "with the rows, it is not replaced without them",
  );

  const evidence = structuredClone(recorded.evidence);
  evidence.streams = evidence.streams.filter(({ name }) => name !== "notification");
  const broken = runAuditor(writeSample(evidence));
  assert.equal(broken.status, 1);
  assert.match(broken.stdout, /^live +\d+ +\d+ +BROKEN/m);
  assert.match(broken.stdout, /^rows-whole +0 +0 +not tried +without the database$/m);

  const { run } = recorded.evidence;
  const unfinished = [
    { ...recorded.evidence, run: { ...run, loadEndedAt: 0, endedAt: 0 } },
    { ...recorded.evidence, run: { ...run, endedAt: 0 } },
    { ...recorded.evidence, finals: recorded.evidence.finals.slice(0, 5) },
  ];
  for (const one of unfinished) {
    const { status, stderr } = runAuditor(writeSample(one), "--database", recorded.database.url);
    assert.equal(status, 2);
    assert.match(stderr, /was cut off: run\.json has no end|finals\.jsonl has no inbox of person-/);
  }
  const busy = runAuditor(writeSample({ ...recorded.evidence, run: { ...run, isDrained: false } }));
  assert.match(busy.stdout, /^nothing-stuck .* something was still in progress/m);

  appendFileSync(join(clean, "calls.jsonl"), '{"request":"cut o');
  const cut = runAuditor(clean);
  assert.equal(cut.status, 2);
  assert.match(cut.stderr, /calls\.jsonl ends in the middle of line/);
  assert.equal(runAuditor(clean, "--database", "postgres://127.0.0.1:1/none").status, 2);
});

test("every promise has a planted fault", () => {
  const planted = new Set(faults.map(({ promise }) => promise));
  assert.deepEqual(
    promises.map(({ id }) => id).filter((id) => !planted.has(id)),
    [],
  );
});

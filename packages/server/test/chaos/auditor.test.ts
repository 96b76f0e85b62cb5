// The auditor of chaos runs: it finds nothing in a run of the real service, and each planted fault by the promise that
// the fault breaks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { audit } from "../../../../scripts/auditor/audit.ts";
import { describeAudit } from "../../../../scripts/auditor/print.ts";
import { recordRun } from "./audited-run.ts";
import { writeSample } from "./evidence.ts";

const recorded = await recordRun();

test("a run of the service without faults keeps every promise", async () => {
  const found = await audit({ folder: writeSample(recorded.evidence), databaseUrl: recorded.database.url });
  const broken = found.verdicts.filter(({ brokenCount }) => brokenCount > 0).map(({ promise }) => promise);
  assert.deepEqual(broken, [], describeAudit(found));
  console.log(describeAudit(found));
});

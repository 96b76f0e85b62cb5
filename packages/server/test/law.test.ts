import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { test } from "node:test";
import { breaches, functionsIn, type Law, type SourceFile } from "./support/law.ts";

const reasons = {
  internalIds: "ids come out of the queue or of rows read before; no caller can name them",
  rowsCarryIt: "writes rows that carry their environment",
  finds: "finds the environment in the first place",
  organisation: "reaches all environments of the caller's organisation, and is told the organisation",
  installation: "concerns the whole installation, not a tenant",
  builder: "runs a query that its caller in store/ has bound to an environment",
};

const exempt = (reason: string, ...names: string[]) => Object.fromEntries(names.map((name) => [name, reason]));

const law: Law = {
  longFiles: {
    "packages/contract/src/errors.ts": "the catalogue of errors, one entry after the other",
    "packages/server/src/store/tables.ts": "data: the columns of every table, one entry each",
  },
  withoutEnvironment: {
    ...exempt(
      reasons.internalIds,
      "finishAttempts",
      "summarizeAttempts",
      "findStandings",
      "findIntegrationsByIds",
      "findConnectionAccess",
      "findSiblings",
      "lockJobs",
      "findUnfinished",
      "findHealth",
      "lockHealth",
      "updateHealth",
      "claimProbes",
      "insertDeadLetters",
      "findTaskEnvironment",
      "lockSubscribersByIds",
      "insertCaptured",
      "openOrJoinWindows",
      "takePasses",
      "takeGrants",
      "peekWindows",
      "peekPasses",
      "peekGrants",
      "closeWindows",
      "findMerged",
      "findEvents",
      "findEventAttachments",
      "findActiveIntegrations",
      "findJobs",
      "updateJobs",
      "holdPendingMessages",
      "recordOutcomes",
      "lockNotifications",
      "markDigested",
      "findVersions",
      "findDeletedWorkflows",
      "lockEvents",
      "findLayoutsOf",
      "findPreferencesOfMany",
      "findContextsOfMany",
      "findMessagesToReport",
      "findWebhookTargets",
      "recordHealth",
      "findDueDeliveries",
      "recordDeliveries",
      "findSuppressed",
      "takeEarlyReceipts",
      "findTenantsOfMany",
      "holdTestClocks",
      "lockSnoozed",
      "redeliver",
    ),
    ...exempt(
      reasons.rowsCarryIt,
      "insertRows",
      "insertAttempts",
      "insertClockTasks",
      "insertEvents",
      "insertEventAttachments",
      "insertIntegration",
      "insertIntegrations",
      "updateIntegration",
      "insertJobs",
      "insertMessages",
      "insertNotifications",
      "insertConnection",
      "insertEndpoint",
      "insertLayout",
      "updateLayout",
      "putLayouts",
      "insertWebhook",
      "insertWebhookEvents",
      "keepEarlyReceipts",
    ),
    ...exempt(reasons.finds, "findKeyOwner"),
    ...exempt(
      reasons.organisation,
      "listEnvironments",
      "findEnvironment",
      "findEnvironmentIdentifiersLike",
      "insertEnvironment",
      "updateEnvironment",
      "insertApiKey",
      "findUserNames",
    ),
    ...exempt(
      reasons.installation,
      "findIdsAfter",
      "lockClearRows",
      "writeSealedRows",
      "lockInstallation",
      "isEmptyInstallation",
      "createInstallation",
      "findDevelopmentKey",
      "readInstallationValue",
      "writeInstallationValue",
      "holdEnvironmentsAfter",
      "findIntegrationTraces",
      "purgeExpiredAnswers",
      "spendBudgets",
      "forgetBudgets",
      "reserveCalls",
      "purgeBudgets",
      "purgeDeadLetters",
      "purgeFailedTasks",
      "countOpenCircuits",
      "purgePasses",
      "purgeThrottles",
      "purgeDeletedEnvironments",
      "purgeWebhookEvents",
      "purgeReceipts",
      "takeOldReceipts",
      "purgeCaptured",
      "purgeCapturedBeyond",
      "migrate",
      "ensurePartitions",
      "inTransaction",
      "inReadOnlyTransaction",
      "inRepeatableTransaction",
    ),
    ...exempt(reasons.builder, "cursorPage", "cappedCount"),
  },
};

const root = join(import.meta.dirname, "../../..");

const sources: SourceFile[] = globSync("packages/*/src/**/*.ts", { cwd: root }).map((path) => ({
  path: path.split(sep).join("/"),
  text: readFileSync(join(root, path), "utf8"),
}));

test("the sources keep the law", () => {
  assert.ok(sources.length > 80, "the sources were found");
  assert.deepEqual(breaches(sources, law), []);
});

const none: Law = { longFiles: {}, withoutEnvironment: {} };

type Sample = { name: string; path: string; text: string; fault?: RegExp; law?: Law };

const samples: Sample[] = [
  { name: "http may import app", path: "server/src/http/a.ts", text: 'import { a } from "../app/a.ts";' },
  { name: "http may import store", path: "server/src/http/a.ts", text: 'import { a } from "../store/db.ts";' },
  { name: "app may import pipeline", path: "server/src/app/a.ts", text: 'import { a } from "../pipeline/rules/a.ts";' },
  { name: "a layer may import itself", path: "server/src/app/a.ts", text: 'import { a } from "./b.ts";' },
  {
    name: "pipeline may import a root file",
    path: "server/src/pipeline/steps/a.ts",
    text: 'import { a } from "../../failure.ts";',
  },
  { name: "the wiring may import all", path: "server/src/service.ts", text: 'import { a } from "./http/server.ts";' },
  {
    name: "providers may import the contract",
    path: "providers/src/a.ts",
    text: 'import { a } from "@tidings/contract";',
  },
  {
    name: "app may not import http",
    path: "server/src/app/a.ts",
    text: 'import { a } from "../http/errors.ts";',
    fault: /app may not import http/,
  },
  {
    name: "pipeline may not import app",
    path: "server/src/pipeline/steps/a.ts",
    text: 'import type { A } from "../../app/a.ts";',
    fault: /pipeline may not import app/,
  },
  {
    name: "store may not import a root file",
    path: "server/src/store/a.ts",
    text: 'import { failure } from "../failure.ts";',
    fault: /store may not import root/,
  },
  {
    name: "store may not import pipeline, not even when it exports again",
    path: "server/src/store/a.ts",
    text: 'export { a } from "../pipeline/a.ts";',
    fault: /store may not import pipeline/,
  },
  {
    name: "lib may not import store, not even late",
    path: "server/src/lib/a.ts",
    text: 'const a = await import("../store/db.ts");',
    fault: /lib may not import store/,
  },
  {
    name: "an import over several lines",
    path: "server/src/lib/a.ts",
    text: 'import {\n  a,\n  b,\n} from "../app/a.ts";',
    fault: /lib may not import app/,
  },
  {
    name: "root files may not import app",
    path: "server/src/validation.ts",
    text: 'import { a } from "./app/a.ts";',
    fault: /root may not import app/,
  },
  {
    name: "nobody imports the wiring",
    path: "server/src/http/a.ts",
    text: 'import { a } from "../service.ts";',
    fault: /http may not import wiring/,
  },
  {
    name: "new files at the root",
    path: "server/src/helpers.ts",
    text: "export {};",
    fault: /unknown root file helpers\.ts/,
  },
  {
    name: "the contract imports no package of ours",
    path: "contract/src/a.ts",
    text: 'import { a } from "@tidings/providers";',
    fault: /which it may not/,
  },
  {
    name: "providers import only the contract",
    path: "providers/src/a.ts",
    text: 'import { a } from "@tidings/server";',
    fault: /which it may not/,
  },
  {
    name: "store does not import providers",
    path: "server/src/store/a.ts",
    text: 'import { a } from "@tidings/providers";',
    fault: /which it may not/,
  },
  {
    name: "packages do not reach into each other",
    path: "providers/src/a.ts",
    text: 'import { a } from "../../contract/src/errors.ts";',
    fault: /by its name/,
  },
  {
    name: "nor through their names",
    path: "server/src/app/a.ts",
    text: 'import { a } from "@tidings/contract/src/errors.ts";',
    fault: /which it may not/,
  },
  {
    name: "SQL outside the store",
    path: "server/src/app/a.ts",
    text: 'import { sql } from "kysely";',
    fault: /SQL lives in store/,
  },
  {
    name: "pg outside the store",
    path: "server/src/lib/a.ts",
    text: 'import pg from "pg";',
    fault: /SQL lives in store/,
  },
  {
    name: "SQL in the store",
    path: "server/src/store/a.ts",
    text: 'import { sql } from "kysely";\nimport pg from "pg";',
  },
  {
    name: "the environment outside the settings",
    path: "server/src/lib/a.ts",
    text: "const a = 1;\nconst b = process.env.HOME;",
    fault: /line 2: process\.env/,
  },
  { name: "the environment in the settings", path: "server/src/config.ts", text: "const b = process.env;" },
  { name: "the console", path: "contract/src/a.ts", text: '  console.log("x");', fault: /line 1: console/ },
  { name: "a word about the console", path: "contract/src/a.ts", text: "// console.log would not do" },
  { name: "unfinished work", path: "contract/src/a.ts", text: "// TODO later", fault: /line 1: finish it/ },
  { name: "broken work", path: "contract/src/a.ts", text: "const a = 1; // FIXME", fault: /line 1: finish it/ },
  { name: "a file of 400 lines", path: "contract/src/a.ts", text: "a;\n".repeat(400) },
  { name: "a file of 401 lines", path: "contract/src/a.ts", text: "a;\n".repeat(401), fault: /has 401 lines/ },
  { name: "a long generated file", path: "contract/src/a.gen.ts", text: "a;\n".repeat(500) },
  {
    name: "a long file with a reason",
    path: "contract/src/a.ts",
    text: "a;\n".repeat(500),
    law: { ...none, longFiles: { "packages/contract/src/a.ts": "data" } },
  },
  {
    name: "a store function that is told the environment",
    path: "server/src/store/a.ts",
    text: "export const find = (db: Db, environmentId: string, id: string) => db;\nexport const pure = (id: string) => id;",
  },
  {
    name: "a store function that is not",
    path: "server/src/store/a.ts",
    text: "export async function find(db: Db, id: string): Promise<Row> {}",
    fault: /find\(\) is not told the environment/,
  },
  {
    name: "a store function that is told it too late",
    path: "server/src/store/a.ts",
    text: "export const find = async <T extends { a: [string, T] }>(\n  tx: Tx,\n  id: string,\n  environmentId: string,\n) => {};",
    fault: /find\(\) is not told the environment/,
  },
  {
    name: "a store function with a reason",
    path: "server/src/store/a.ts",
    text: "export async function find(db: Db, id: string) {}",
    law: { ...none, withoutEnvironment: { find: "internal" } },
  },
  {
    name: "an exception nobody needs",
    path: "server/src/store/a.ts",
    text: "export {};",
    law: { ...none, withoutEnvironment: { gone: "internal" } },
    fault: /gone is excepted and does not exist/,
  },
];

for (const { name, path, text, fault, law = none } of samples) {
  test(`the law on ${name}: ${fault ? "caught" : "fine"}`, () => {
    const found = breaches([{ path: `packages/${path}`, text }], law);
    if (!fault) assert.deepEqual(found, []);
    else {
      assert.equal(found.length, 1, found.join("\n"));
      assert.match(found[0]!, fault);
    }
  });
}

test("the law reads functions as they are written", () => {
  const text = [
    "export const a = (db: Db, environmentId: string): Promise<Row[]> => b(db);",
    "export function b<T extends keyof Tables>(db: Db, table: T, rows: Record<string, (x: number) => void>[]) {}",
    "export const c = async (",
    "  db: Db,",
    "  environmentId: string,",
    "  options: { lock?: boolean; list: [number, string] } = { list: [1, '2'] },",
    ") => {};",
    "export const d = { notAFunction: true };",
    "const e = (db: Db) => db;",
    "export async function f() {}",
  ].join("\n");
  assert.deepEqual(functionsIn(text), [
    { name: "a", parameters: ["db", "environmentId"] },
    { name: "b", parameters: ["db", "table", "rows"] },
    { name: "c", parameters: ["db", "environmentId", "options"] },
    { name: "f", parameters: [] },
  ]);
});

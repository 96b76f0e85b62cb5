import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { test } from "node:test";
import { breaches, type Law, type SourceFile } from "./support/law/law.ts";
import { noExceptions, samples } from "./support/law/samples.ts";
import { auditorFaults } from "./support/law/structure.ts";
import { toolSamples } from "./support/law/tool-samples.ts";
import { manifestFaults } from "./support/law/tools.ts";
import { functionsIn } from "./support/law/types.ts";

const transaction = "opens a transaction; the functions called in it are told the environment";
const builder = "runs a statement that its caller in store/ has bound to an environment";
const ofSource = "the outbox of a source, or its whole database; a shared outbox is bound by its place";
const ofRole = "roles of the database, each of which is granted one environment";
const sameShape = "one file each, all of one shape: the file name is the index";

const law: Law = {
  longFiles: {
    "scripts/dashboard-screenshots.ts": "the pictures of the dashboard, one after the other",
    "packages/contract/src/errors.ts": "the catalogue of errors, one entry after the other",
    "packages/server/src/http/routes.ts": "data: one row for each operation",
    "packages/server/src/store/tables.ts": "data: the columns of every table, one entry each",
  },
  largeFolders: {
    "packages/providers/src/sms": `providers, ${sameShape}`,
    "packages/providers/test/conformance/cases/sms": `cases of providers, ${sameShape}`,
    bench: `benchmarks, ${sameShape}`,
  },
  sourceReaders: {
    "scripts/step-registries.ts": "writes the registries of step types, whose shape is in the kit next to each",
    "scripts/docs-pages.ts": "writes the costs of the benchmarks into a page",
    "scripts/test.ts": "starts the PostgreSQL of all tests",
    "scripts/api-types.ts": "writes the types of operations as the command line writes those of workflows",
  },
  withoutEnvironment: {
    inTransaction: transaction,
    inSavepoint: transaction,
    afterCommit: transaction,
    withLongLockWaits: transaction,
    inReadOnlyTransaction: transaction,
    inTimedTransaction: transaction,
    withTimeLimit: transaction,
    inRepeatableTransaction: transaction,
    insertRows: builder,
    runInserts: builder,
    cursorPage: builder,
    cappedCount: builder,
    estimateRows: builder,
    readMessagePage: builder,
    findBacklogAges: "the age of the queue of every environment, for admission",
    removeParts: "tasks of the queue, by their claims",
    findKeyOwner: "finds the environment of an API key",
    findSession: "finds the person and the organisation of a session",
    findPublicEnvironment: "finds the environment of an inbox session",
    announceSources: "announces to every process that sources have changed",
    claimRows: ofSource,
    hasRows: ofSource,
    deleteRows: ofSource,
    measureOutbox: ofSource,
    inspectOutbox: ofSource,
    limitTransaction: ofSource,
    findRole: ofRole,
    grantRole: ofRole,
    revokeRole: ofRole,
  },
  installationUsers: {
    "packages/server/src/app/environments/installation.ts": "creates the installation",
    "packages/server/src/app/environments/environment-catch-up.ts":
      "adds built-in integrations to all environments at start",
    "packages/server/src/app/environments/environments.ts": "locks the installation while it counts environments",
    "packages/server/src/app/members/sessions.ts": "people sign in to the installation, which is one organisation",
    "packages/server/src/app/environments/system.ts": "numbers of the whole installation, without names",
    "packages/server/src/app/installation-metrics.ts": "metrics of the whole installation",
    "packages/server/src/app/readiness.ts": "asks about the health of the database",
    "packages/server/src/context.ts": "every layer takes note of faults of the database",
    "packages/server/src/pipeline/dispatch.ts": "finds that a newer version has migrated the database",
    "packages/server/src/pipeline/background/encrypt-old-rows.ts": "encrypts rows of earlier versions",
    "packages/server/src/pipeline/background/run.ts": "rewrites rows of all environments",
    "packages/server/src/app/environments/retention.ts": "months and runs of the whole installation, without names",
    "packages/server/src/pipeline/clock/expire.ts": "deletes in-app messages that have expired",
    "packages/server/src/pipeline/housekeeping.ts": "purges rows of fixed terms",
    "packages/server/src/pipeline/retention/horizons.ts": "reads the retention of all environments",
    "packages/server/src/pipeline/retention/months.ts": "drops the partitions of all environments",
    "packages/server/src/pipeline/retention/rows.ts": "purges rows past their retention",
    "packages/server/src/pipeline/retention/run.ts": "records the runs of the retention",
    "packages/server/src/pipeline/retention/unused-assets.ts": "finds documents with images of any environment",
    "packages/server/src/app/events/statistics.ts": "reads which hours have been counted",
    "packages/server/src/pipeline/objectives.ts": "reads which hours have been counted",
    "packages/server/src/pipeline/statistics.ts": "counts the statistics of all environments",
    "packages/server/src/pipeline/deliver/pacing.ts": "rate limits that all processes share",
  },
};

const root = join(import.meta.dirname, "../../..");

const sources: SourceFile[] = globSync(["packages/*/{src,test}/**/*.{ts,tsx}", "{scripts,bench}/**/*.ts"], {
  cwd: root,
}).map((path) => ({
  path: path.split(sep).join("/"),
  text: readFileSync(join(root, path), "utf8"),
}));

test("the sources keep the law", () => {
  assert.ok(sources.length > 80, "the sources were found");
  assert.deepEqual(breaches(sources, law), []);
});

test("modules that several test files import register no clean-up when they are loaded", () => {
  // A lane loads a module once, for all its files: the second file would find what the first one has removed.
  const shared = sources.filter(({ path }) => /\/test\//.test(path) && !path.endsWith(".test.ts"));
  const registering = shared.filter(({ text }) => /^(?:atEnd|after)\(/m.test(text)).map(({ path }) => path);
  assert.deepEqual(registering, []);
});

for (const { name, path, text, others = {}, fault, law = noExceptions } of [...samples, ...toolSamples]) {
  test(`the law on ${name}: ${fault ? "caught" : "fine"}`, () => {
    const files = Object.entries({ [path]: text, ...others });
    const found = breaches(
      files.map(([name, body]) => ({
        path: /^(?:scripts|bench)\//.test(name) ? name : `packages/${name}`,
        text: body,
      })),
      law,
    );
    if (!fault) assert.deepEqual(found, []);
    else {
      assert.equal(found.length, 1, found.join("\n"));
      assert.match(found[0]!, fault);
    }
  });
}

test("nothing that is shipped depends on the testkit", () => {
  const manifests = globSync("packages/*/package.json", { cwd: root });
  assert.ok(manifests.length > 5, "the manifests were found");
  assert.deepEqual(
    manifestFaults(manifests.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))),
    [],
  );
});

test("the law on dependencies on the testkit", () => {
  const countOf = (kind: string) =>
    manifestFaults([{ path: "packages/cli/package.json", text: `{ "${kind}": { "@tidings/testkit": "0.1.0" } }` }])
      .length;
  assert.equal(countOf("devDependencies"), 0);
  for (const kind of ["dependencies", "optionalDependencies", "peerDependencies"]) assert.equal(countOf(kind), 1, kind);
});

test("the auditor of chaos runs imports nothing of the service", () => {
  const files = globSync("scripts/auditor/**/*.ts", { cwd: root });
  const found = files.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  assert.ok(found.length > 20, "the sources were found");
  assert.deepEqual(auditorFaults(found), []);
});

test("the law on what the auditor imports", () => {
  const countOf = (target: string) =>
    auditorFaults([{ path: "scripts/auditor/promises/a.ts", text: `import { a } from "${target}";` }]).length;
  for (const fine of ["node:fs", "pg", "../judge.ts", "./delays.ts"]) assert.equal(countOf(fine), 0, fine);
  const caught = ["kysely", "@tidings/contract", "../../chaos/plan.ts", "../../../packages/server/src/lib/ids.ts"];
  for (const target of caught) assert.equal(countOf(target), 1, target);
});

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
  const read = functionsIn(text).map(({ name, parameters }) => [name, ...parameters.map((one) => one.name)]);
  assert.deepEqual(read, [
    ["a", "db", "environmentId"],
    ["b", "db", "table", "rows"],
    ["c", "db", "environmentId", "options"],
    ["f"],
  ]);
  assert.equal(functionsIn(text)[2]?.parameters[2]?.type, "{ lock?: boolean; list: [number, string] }");
});

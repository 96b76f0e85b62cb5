// The bundle that `npm start` runs: built again when a source has changed, and as its sources in paths and stack
// traces.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createTestDatabase } from "@tidings/testkit/database";
import { temporaryFolder } from "@tidings/testkit/process";
import { sql } from "kysely";
import { openDb } from "../src/store/db.ts";

const runFile = promisify(execFile);

const root = join(import.meta.dirname, "../../..");
const { buildPackages } = (await import(pathToFileURL(join(root, "scripts/build.mjs")).href)) as {
  buildPackages(root: string): Promise<void>;
};

/** A checkout with a server of these files. */
function openCheckout(context: TestContext, sources: Record<string, string>) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tidings-bundle-")));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const scripts = ["build", "build-server", "build-package", "notices"].map((name) => `scripts/${name}.mjs`);
  for (const path of ["tsconfig.json", ...scripts]) cpSync(join(root, path), join(folder, path));
  write("package-lock.json", "{}");
  for (const name of ["contract", "providers"]) write(`packages/${name}/src/index.ts`, "");
  for (const [name, text] of Object.entries({ "operate/index.ts": "", ...sources }))
    write(`packages/server/src/${name}`, text);
  const program = join(folder, "packages/server/dist/start.js");
  const run = () => execFileSync(process.execPath, [program], { encoding: "utf8" }).trim();
  return { folder, write, run, build: () => buildPackages(folder), program };
}

test("a changed source is built again, an unchanged one is not", async (context) => {
  const { write, run, build, program } = openCheckout(context, {
    "start.ts": 'import { text } from "./text.ts"; process.stdout.write(text);',
    "text.ts": 'export const text: string = "one";',
  });
  await build();
  assert.equal(run(), "one");
  const { mtimeMs } = statSync(program);
  await build();
  assert.equal(statSync(program).mtimeMs, mtimeMs);
  write("packages/server/src/text.ts", 'export const text: string = "two";');
  await build();
  assert.equal(run(), "two");
});

test("a build that fails leaves the last one, which set-up does not start", async (context) => {
  const { write, run, build } = openCheckout(context, { "start.ts": 'process.stdout.write("one");' });
  await build();
  write("packages/server/src/start.ts", 'import "./missing.ts";');
  await assert.rejects(build(), /missing\.ts/);
  assert.equal(run(), "one");
  await assert.rejects(build(), /missing\.ts/);
});

test("set-ups at the same time make one build", async (context) => {
  const { folder, run } = openCheckout(context, { "start.ts": 'process.stdout.write("one");' });
  const build = `import { buildPackages } from ${JSON.stringify(join(root, "scripts/build.mjs"))};
    await buildPackages(${JSON.stringify(folder)});`;
  const buildOnce = () => runFile(process.execPath, ["--input-type=module", "--eval", build]);
  await Promise.all([buildOnce(), buildOnce(), buildOnce()]);
  assert.equal(run(), "one");
});

test("paths relative to a source begin at the source", async (context) => {
  const { folder, run, build } = openCheckout(context, {
    "start.ts": "import './store/place.ts';",
    "store/place.ts": "process.stdout.write([import.meta.url, import.meta.dirname].join(' '));",
  });
  await build();
  const place = join(folder, "packages/server/src/store/place.ts");
  assert.equal(run(), `${pathToFileURL(place).href} ${dirname(place)}`);
});

test("the stack of a failed start names sources, at their lines", async (context) => {
  const database = await createTestDatabase({ isEmpty: true });
  context.after(() => database.drop());
  // The first migration fails, because a table of the same name exists.
  const db = openDb({ url: database.url, poolSize: 1, onError: () => {} });
  await sql`create table digest_windows (x integer)`.execute(db);
  await db.destroy();
  const folder = temporaryFolder(context);
  const program = folder.run({
    DATABASE_URL: database.url,
    TIDINGS_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
  });
  assert.equal(await program.ended(), 1);
  const output = program.output();
  assert.match(output, /^Tidings could not start\.\nerror: relation "digest_windows" already exists/);
  assert.doesNotMatch(output, /packages\/server\/dist\//);
  const path = "packages/server/src/store/installation/migrate-locks.ts";
  const [, line] = /apply \(file:\S+\/store\/installation\/migrate-locks\.ts:(\d+):\d+\)/.exec(output) ?? [];
  const source = readFileSync(join(root, path), "utf8").split("\n");
  assert.match(source[Number(line) - 1] ?? "", /connection\.transaction\(\)/);
});

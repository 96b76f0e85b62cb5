// backup and restore as an operator calls them. What they do is tested in packages/server/test/operate.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { startTestService } from "@tidings/testkit/service";
import { openTerminal } from "./support.ts";

const key = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ENCRYPTION_KEY: key });
const target = await createTestDatabase({ isEmpty: true });
atEnd(target.drop);
const terminal = openTerminal(service);
const { folder } = terminal;
const source = { TIDINGS_ENCRYPTION_KEY: key, DATABASE_URL: service.database.url };
const program = join(import.meta.dirname, "../bin/tidings.mjs");

/** In its own process, with a shell around it. */
const inShell = (line: string, env: Record<string, string> = source) =>
  spawnSync("bash", ["-c", line], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env.PATH, NODE: process.execPath, TIDINGS: program, ...env },
  });

test("backup says what it wrote and where the key is; restore says what it did", async () => {
  const made = await terminal.runWith({ env: source }, "backup", "one.backup");
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^Backed up [\d,]+ rows of \d+ tables as of [-\d]+ [:\d]+ UTC: [\d.]+ kB in [\d.]+ s\.\n/);
  assert.match(
    made.stdout,
    /The encryption key is not in it\. Keep a copy of TIDINGS_ENCRYPTION_KEY apart from the backup/,
  );
  assert.match(made.stderr, /^workflows: 1 row, \d+ bytes$/m);
  assert.ok(!made.stdout.includes(key) && !made.stderr.includes(key));
  assert.equal(statSync(join(folder, "one.backup")).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ["one.backup"]);

  const restored = await terminal.runWith(
    { env: { ...source, DATABASE_URL: target.url } },
    "restore",
    "one.backup",
    "--json",
  );
  assert.equal(restored.code, 0, restored.stderr);
  const { rows, due } = JSON.parse(restored.stdout);
  assert.ok(rows > 20 && Array.isArray(due));
  const again = await terminal.runWith({ env: { ...source, DATABASE_URL: target.url } }, "restore", "one.backup");
  assert.equal(again.code, 1);
  assert.match(again.stderr, /^error The database is not empty/);
});

test("the standard output is a backup, and nothing else", () => {
  const piped = inShell('set -o pipefail; "$NODE" "$TIDINGS" backup - --with-key | cat > piped.backup');
  assert.equal(piped.status, 0, piped.stderr);
  assert.match(
    piped.stderr,
    /^The backup will contain the encryption key: keep the file as safe as the key itself\.$/m,
  );
  assert.match(piped.stderr, /\nBacked up [\d,]+ rows/);
  const read = inShell('"$NODE" "$TIDINGS" restore piped.backup', { ...source, DATABASE_URL: target.url });
  assert.match(read.stderr, /is not empty/, "it was read as a backup");
});

test("what cannot be written is removed: no room left, or a reader that has gone", () => {
  const full = inShell('"$NODE" "$TIDINGS" backup - > /dev/full');
  assert.equal(full.status, 1);
  assert.match(full.stderr, /written to the standard output: the disk is full\. It is not complete\./);
  const gone = inShell('set -o pipefail; "$NODE" "$TIDINGS" backup - | true');
  assert.equal(gone.status, 1);
  assert.match(gone.stderr, /the standard output: its reader has gone\./);
  // Blocks of 1 kB: less than the smallest backup.
  const large = inShell('ulimit -f 4; "$NODE" "$TIDINGS" backup large.backup');
  assert.equal(large.status, 1);
  assert.match(
    large.stderr,
    /could not be written to .*large\.backup: the file would be too large\. Nothing was left there\./,
  );
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith("large")),
    [],
  );
});

test("wrong usage, an unknown setting, and a command line without a service", async () => {
  for (const args of [["backup"], ["backup", "a", "b"], ["restore"], ["restore", "-"], ["upgrade-database", "now"]])
    assert.equal((await terminal.runWith({ env: source }, ...args)).code, 64, args.join(" "));
  const both = await terminal.runWith({ env: source }, "restore", "one.backup", "--send-due", "--skip-due");
  assert.match(both.stderr, /--send-due and --skip-due exclude each other/);
  const misspelt = await terminal.runWith({ env: { ...source, TIDINGS_DATADIR: "x" } }, "backup", "two.backup");
  assert.match(misspelt.stderr, /TIDINGS_DATADIR is not a setting; did you mean TIDINGS_DATA_DIR\?/);
  const external = await terminal.runWith({ env: source }, "upgrade-database");
  assert.match(external.stderr, /DATABASE_URL names your own PostgreSQL, which you upgrade with its own tools/);

  const alone = join(folder, "alone");
  mkdirSync(join(alone, "bin"), { recursive: true });
  cpSync(program, join(alone, "bin/tidings.mjs"));
  cpSync(join(import.meta.dirname, "../dist"), join(alone, "dist"), { recursive: true });
  const run = () => execFileSync(process.execPath, [join(alone, "bin/tidings.mjs"), "backup", "x"], { stdio: "pipe" });
  assert.throws(run, /`tidings backup` works where the service is installed, and there is no service here/);
});

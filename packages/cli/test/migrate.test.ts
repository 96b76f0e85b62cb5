// `tidings migrate` on an empty database, and the sentences where there is nothing to migrate.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { openTerminal } from "./support.ts";

const database = await createTestDatabase({ isEmpty: true });
atEnd(() => database.drop());
const terminal = openTerminal({ url: "http://127.0.0.1:1", apiKey: "a key that is long enough".replaceAll(" ", "-") });
const env = { DATABASE_URL: database.url, TIDINGS_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64") };

test("migrates, prints its steps and ends; the second time there is nothing to do", async () => {
  const first = await terminal.runWith({ env }, "migrate");
  assert.equal(first.code, 0, first.stderr);
  assert.match(
    first.stderr,
    /^database: PostgreSQL at .*\napplied 0001_foundation\n[\s\S]*created partition messages_\d/,
  );
  assert.match(
    first.stdout,
    /^\d+ migrations applied\.\nThe service continues encrypt_old_rows in the background: 0 % done\.\n$/,
  );
  const second = await terminal.runWith({ env }, "migrate", "--json");
  assert.deepEqual(JSON.parse(second.stdout), { applied: [], background: [{ name: "encrypt_old_rows", done: 0 }] });
});

test("what is wrong is one sentence", async () => {
  const refused = async (more: Record<string, string>, ...args: string[]) => {
    const { code, stderr } = await terminal.runWith({ env: { ...env, ...more } }, "migrate", ...args);
    return `${code} ${stderr}`;
  };
  const away = { DATABASE_URL: "postgres://a:secret@127.0.0.1:1/b", TIDINGS_DATABASE_WAIT: "0" };
  const unreachable = await refused(away);
  assert.match(unreachable, /^1 error PostgreSQL at 127\.0\.0\.1:1\/b does not accept connections.*\n$/);
  assert.doesNotMatch(unreachable, /secret/);
  assert.match(
    await refused({ TIDINGS_PROT: "1" }),
    /^1 error .*TIDINGS_PROT is not a setting; did you mean TIDINGS_PORT/,
  );
  assert.match(await refused({}, "now"), /^64 error/);
});

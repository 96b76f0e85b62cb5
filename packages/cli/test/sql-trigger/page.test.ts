// docs/sql-trigger.md as a newcomer follows it: its `sql` and `sh` blocks run in order, each as the role that it names,
// and its other blocks are parts of the programs in examples/sql-trigger.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { outboxSql } from "@tidings/contract";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { subjectsOf, withClient } from "../../../server/test/pipeline/sources/shop.ts";

const root = join(import.meta.dirname, "../../../..");
const page = readFileSync(join(root, "docs/sql-trigger.md"), "utf8");

type Block = { section: string; language: string; text: string };

const blocks: Block[] = page.split(/^## /m).flatMap((part) => {
  const section = part.slice(0, part.indexOf("\n"));
  return [...part.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language, text]) => ({
    section,
    language: language!,
    text: text!,
  }));
});

const encryptionKey = randomBytes(32).toString("base64");
const service = await startTestService({ TIDINGS_ENCRYPTION_KEY: encryptionKey });
const { client } = service;
const customer = await createTestDatabase({ isEmpty: true });
atEnd(customer.drop);
const folder = mkdtempSync(join(tmpdir(), "tidings-sql-page-"));
atEnd(() => rmSync(folder, { recursive: true, force: true }));

/** Sections about the database of a customer; the others are about that of the service. */
const elsewhere = ["In another database", "Restored backups"];

/** Roles belong to the whole server, which other tests use as well. */
const suffix = randomBytes(4).toString("hex");
const roleOf = ({ section }: Block): string => `shop_${elsewhere.includes(section) ? "b" : "a"}${suffix}`;
const withRoles = (block: Block, text: string): string =>
  text
    .replaceAll(/\b(role|to|authorization|schema|grant-sql) shop\b/g, `$1 ${roleOf(block)}`)
    .replaceAll("tidings_relay", `tidings_relay_${suffix}`);

function addressOf(block: Block): string {
  const who = /^-- as (.+)$/m.exec(block.text)?.[1];
  const url = new URL(elsewhere.includes(block.section) ? customer.url : service.database.url);
  if (who === "shop") Object.assign(url, { username: roleOf(block), password: "secret" });
  else
    assert.ok(["an administrator", "an administrator of your database"].includes(who ?? ""), `who runs: ${block.text}`);
  return url.href;
}

const runSql = (block: Block) => withClient(addressOf(block), (own) => own.query(withRoles(block, block.text)));

async function runShell(block: Block): Promise<string> {
  const { host } = new URL(customer.url);
  const relayUrl = `postgresql://tidings_relay_${suffix}:secret@${host}${new URL(customer.url).pathname}`;
  const pasted = withRoles(block, block.text)
    .replaceAll("http://localhost:3000", service.url)
    .replaceAll("postgresql://owner:secret@db.example.com:5432/shop", customer.url)
    .replaceAll(`postgresql://tidings_relay_${suffix}:secret@db.example.com:5432/shop`, relayUrl);
  const preamble = `set -euo pipefail
npx() { node "${root}/node_modules/.bin/$1" "\${@:2}"; }
curl() { command curl --fail-with-body "$@"; }
`;
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const env = {
    ...{ PATH, TMPDIR, NODE_COMPILE_CACHE, HOME: folder, KEY: service.apiKey },
    DATABASE_URL: service.database.url,
    TIDINGS_ENCRYPTION_KEY: encryptionKey,
  };
  return (await promisify(execFile)("bash", ["-c", preamble + pasted], { cwd: folder, env, timeout: 60_000 })).stdout;
}

test("every command and every statement of the page runs as pasted, in order", async () => {
  await createWorkflow(client, "order-paid", [inApp({ subject: "Order {{ payload.order }}", body: "Thanks" })]);
  await createWorkflow(client, "order-status", [inApp({ subject: "It is {{ payload.status }}", body: "News" })]);
  const printed = new Map<string, string>();
  for (const block of blocks) {
    if (block.language === "sql") await runSql(block);
    if (block.language === "sh") printed.set(block.section, await runShell(block));
  }
  const has = async (subscriberId: string, subjects: string[]) => {
    const got = await subjectsOf(client, subscriberId);
    return subjects.every((subject) => got.includes(subject));
  };
  await eventually(() => has("grace", ["Order 1", "Order 2", "Order 5", "It is shipped"]), "the messages for Grace");
  await eventually(() => has("lin", ["Order 3"]), "the message for a subscriber with attributes");
  await eventually(() => has("ada", ["Order 2"]), "the message of the order that was inserted in the same statement");
  const sources = JSON.parse(printed.get("Monitoring")!) as { data: { kind: string }[] } | { kind: string }[];
  const kinds = (Array.isArray(sources) ? sources : sources.data).map(({ kind }) => kind);
  assert.deepEqual(kinds.toSorted(), ["local", "postgres"]);
});

test("the functions raise the errors of the page's table", async () => {
  const calls: [call: string, code: string][] = [
    ["tidings.trigger(null, 'ada')", "22004"],
    ["tidings.trigger('order-paid', null::text)", "22004"],
    ["tidings.cancel(null)", "22004"],
    ["tidings.upsert_subscriber(null)", "22004"],
    ["tidings.trigger('order-paid', 'ada', '[]')", "22023"],
    ["tidings.trigger('order-paid', 'ada', options => '{\"colour\": 1}')", "22023"],
    ["tidings.trigger('no-such-workflow', 'ada')", "22023"],
    ["tidings.cancel('')", "22023"],
    ["tidings.trigger('order-paid', 'ada', jsonb_build_object('a', repeat('a', 524288)))", "54000"],
    ["tidings.upsert_subscriber('ada', jsonb_build_object('a', repeat('a', 524288)))", "54000"],
  ];
  const shop = { section: "Functions", language: "sql", text: "-- as shop" };
  await withClient(addressOf(shop), async (own) => {
    for (const [call, code] of calls) await assert.rejects(own.query(`select ${call}`), { code }, call);
  });
  // The role of the other database was granted nothing in this one.
  const stranger = new URL(service.database.url);
  Object.assign(stranger, { username: `shop_b${suffix}`, password: "secret" });
  await assert.rejects(
    withClient(stranger.href, (own) => own.query("select tidings.cancel('a')")),
    { code: "42501" },
  );
  const documented = [...page.matchAll(/^\| `(\d{5})` \|/gm)].map((match) => match[1]);
  assert.deepEqual(documented.toSorted(), [...new Set([...calls.map(([, code]) => code), "42501"])].toSorted());
});

test("every option of the functions is in the page", () => {
  const [, list] = /where name not in \(([^)]+)\)/.exec(outboxSql())!;
  const options = list!.split(", ").map((name) => name.slice(1, -1));
  assert.ok(options.length > 5);
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  const missing = options.filter((name) => !rows.some((row) => row.split(" | ")[0]!.includes(`\`${name}\``)));
  assert.deepEqual(missing, []);
});

test("the examples of the page are those of the programs", () => {
  const unindented = (text: string) => text.replaceAll(/^\s+/gm, "").trim();
  const programs = globSync("**/*.{sql,mjs,ts,rb,py}", { cwd: join(root, "examples/sql-trigger") }).map((name) =>
    unindented(readFileSync(join(root, "examples/sql-trigger", name), "utf8")),
  );
  const shown = blocks.filter(({ language }) => ["js", "ruby", "python"].includes(language));
  assert.equal(shown.length, 7);
  for (const { text } of shown)
    assert.ok(
      programs.some((program) => program.includes(unindented(text).replace(/;$/, ""))),
      text,
    );
});

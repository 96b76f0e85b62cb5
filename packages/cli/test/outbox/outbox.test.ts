// `tidings outbox`: in an empty database of a customer whose owner, application and relay are three roles.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { outboxSql } from "@tidings/contract";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { subjectsOf, withClient } from "../../../server/test/pipeline/sources/shop.ts";
import { openTerminal } from "../support.ts";

const service = await shareService();
const { client } = service;
const terminal = openTerminal(service);

/** An empty database with an owner, and roles that may only connect. Roles belong to the whole server. */
async function openCustomer() {
  const database = await createTestDatabase({ isEmpty: true });
  atEnd(() => database.drop());
  const end = randomBytes(4).toString("hex");
  const roles = { owner: `owner_${end}`, app: `App "one" ${end}`, relay: `relay_${end}` };
  const as = (role: string) => {
    const url = new URL(database.url);
    url.username = role;
    url.password = "s3cret-word";
    return url.href;
  };
  const name = new URL(database.url).pathname.slice(1);
  await withClient(database.url, async (admin) => {
    for (const role of Object.values(roles))
      await admin.query(`create role ${admin.escapeIdentifier(role)} login password 's3cret-word'`);
    await admin.query(`alter database ${name} owner to ${roles.owner}`);
  });
  return {
    roles,
    admin: database.url,
    owner: as(roles.owner),
    app: as(encodeURIComponent(roles.app)),
    relay: as(roles.relay),
  };
}

const customer = await openCustomer();
const { roles } = customer;
const granted = ["--app-role", roles.app, "--relay-role", roles.relay];
const onDatabase = (url: string, ...argv: string[]) => terminal.run("outbox", ...argv, "--database", url);
const refused = async (url: string, ...argv: string[]) => {
  const { code, stdout, stderr } = await onDatabase(url, ...argv);
  assert.equal(code, 1, stdout);
  assert.ok(!`${stdout}${stderr}`.includes("s3cret-word"), "no password");
  return stderr;
};
/** What a database has besides PostgreSQL's own. */
const contentsOf = (url: string) =>
  withClient(url, async (admin) => {
    const { rows } = await admin.query(
      `select nspname from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')
      union all select relname from pg_class where relnamespace = 'public'::regnamespace`,
    );
    return rows.length;
  });

test("sql prints one file: with grants for the roles named, or with examples of them", async () => {
  const plain = await terminal.run("outbox", "sql");
  assert.equal(plain.stdout, outboxSql());
  assert.match(plain.stdout, /^begin;\n[\s\S]*^-- grant usage on schema tidings to your_app;$[\s\S]*^commit;\n$/m);
  assert.doesNotMatch(plain.stdout, /^grant/m);
  const named = await terminal.run("outbox", "sql", "--schema", "order", "--app-role", 'a"b', "--app-role", "c");
  assert.match(named.stdout, /^grant usage on schema "order" to "a""b", "c";$/m);
  assert.doesNotMatch(named.stdout, /your_app|your_relay/);
  assert.deepEqual(JSON.parse((await terminal.run("outbox", "sql", "--json")).stdout), { sql: plain.stdout });
  const { owner, admin } = await openCustomer();
  await withClient(owner, async (one) => {
    for (let times = 0; times < 2; times++) await one.query(outboxSql("order"));
  });
  const { stdout } = await onDatabase(owner, "status", "--schema", "order");
  assert.match(stdout, /^functions {2}of this version$/m);
  await onDatabase(owner, "uninstall", "--schema", "order");
  assert.equal(await contentsOf(admin), 0);
});

test("install, a source, an event of a transaction, and a second install", async () => {
  const dry = await onDatabase(customer.owner, "install", ...granted, "--dry-run");
  assert.match(
    dry.stdout,
    /^Would create tidings\.outbox [\s\S]*would be allowed to empty[\s\S]*Nothing was changed\.\n$/,
  );
  assert.equal(await contentsOf(customer.admin), 0);
  const first = await onDatabase(customer.owner, "install", ...granted);
  assert.equal(first.code, 0, first.stderr);
  assert.match(
    first.stdout,
    /^Created tidings\.outbox and its functions in PostgreSQL at 127\.0\.0\.1:\d+\/test_\w+\.\n/,
  );
  assert.ok(!first.stdout.includes("s3cret-word"));

  await createWorkflow(client, "shipped", [inApp({ subject: "Order {{ payload.order }}", body: "Shipped" })]);
  const place = (order: number) =>
    withClient(customer.app, (app) => app.query("select tidings.trigger('shipped', 'ada', $1)", [{ order }]));
  await place(1);
  assert.match((await onDatabase(customer.owner, "status")).stdout, /^waiting {4}1 row, the oldest since 20/m);
  assert.match(await refused(customer.owner, "uninstall"), /Events wait in the outbox .* 1 in all: .*--force/);
  const again = await onDatabase(customer.owner, "install");
  assert.match(again.stdout, /^tidings\.outbox was there already .*, with the functions of this version\.\n$/);

  const { body: source } = await client("sources.create", { body: { name: "Orders", url: customer.relay } });
  await place(2);
  await eventually(async () => (await subjectsOf(client, "ada")).length === 2, "both messages");
  assert.deepEqual(await subjectsOf(client, "ada"), ["Order 1", "Order 2"]);
  await client("sources.delete", { params: { sourceId: source.id } });
  for (const text of ["select * from tidings.outbox", "delete from tidings.outbox", "create table tidings.x ()"])
    await assert.rejects(
      withClient(customer.app, (app) => app.query(text)),
      { code: "42501" },
      text,
    );
  const cancel = withClient(customer.relay, (relay) => relay.query("select tidings.cancel('x')"));
  await assert.rejects(cancel, { code: "42501" });
  // Waits: it has no source any longer.
  await place(3);
});

test("status finds functions that were changed, and install brings them back", async () => {
  await withClient(customer.owner, (owner) =>
    owner.query("create or replace function tidings.cancel(transaction_id text) returns void language sql as ''"),
  );
  assert.match((await onDatabase(customer.owner, "status")).stdout, /^functions {2}of another version: run/m);
  const updated = await onDatabase(customer.owner, "install", "--json");
  assert.equal(JSON.parse(updated.stdout).change, "updated");
  const state = JSON.parse((await onDatabase(customer.owner, "status", "--json")).stdout);
  assert.deepEqual([state.functions, state.waiting], ["current", 1]);
  assert.deepEqual(state.mayCall, [roles.app, roles.owner].toSorted());
  assert.deepEqual(state.mayEmpty, [roles.owner, roles.relay].toSorted());
  const none = await terminal.run("outbox", "status", "--database", customer.owner, "--schema", "elsewhere");
  assert.match(`${none.code} ${none.stderr}`, /^1 error There is no elsewhere\.outbox in /);
});

test("uninstall loses events only when it is told to, and leaves what is not its own", async () => {
  await withClient(customer.owner, (owner) => owner.query("create table tidings.mine ()"));
  const forced = await onDatabase(customer.owner, "uninstall", "--force");
  assert.match(
    forced.stdout,
    /^Removed tidings\.outbox [\s\S]*1 event that waited is lost[\s\S]*The schema tidings stays/,
  );
  assert.match((await onDatabase(customer.owner, "uninstall")).stdout, /nothing to remove/);
  await withClient(customer.owner, (owner) => owner.query("drop table tidings.mine; drop schema tidings"));
});

test("what is wrong is said, and nothing is changed", async () => {
  const { owner, app, admin } = customer;
  assert.match(
    await refused(app, "install"),
    /Permission denied for database \w+\. Connect as .*owner of the database/,
  );
  assert.match(
    await refused(owner, "install", "--app-role", "nobody here"),
    /There is no role "nobody here" in .* Create it first: create role "nobody here" login/,
  );
  const wrong = new URL(owner);
  wrong.password = "wrong";
  assert.match(await refused(wrong.href, "install"), /refused the password of user .* Correct --database\./);
  wrong.port = "1";
  assert.match(await refused(wrong.href, "status"), /does not accept connections: .*ECONNREFUSED/);
  assert.match(await refused("mysql://a:s3cret-word@b/c", "install"), /^error --database must start with postgres:/);
  await withClient(admin, (one) => one.query(`alter role ${roles.owner} set default_transaction_read_only = on`));
  assert.match(await refused(owner, "install"), /The database is read-only, such as a standby/);
  await withClient(admin, (one) => one.query(`alter role ${roles.owner} reset default_transaction_read_only`));
  assert.equal(await contentsOf(admin), 0);

  await withClient(owner, (one) =>
    one.query("create schema tidings; create table tidings.outbox (id bigint, key text)"),
  );
  const foreign = await refused(owner, "install");
  assert.match(
    foreign,
    /The table tidings\.outbox is not an outbox of Tidings, or was altered\. It lacks body \(jsonb\), created_at/,
  );
  assert.match(foreign, /choose another schema\. Nothing was changed\.\n$/);
  assert.match(await refused(owner, "uninstall", "--force"), /is not an outbox of Tidings, or was altered/);
  await withClient(owner, (one) =>
    one.query("drop table tidings.outbox; create view tidings.outbox as select 1 as id"),
  );
  assert.match(await refused(owner, "install"), /is not an outbox of Tidings/);
  await withClient(owner, (one) => one.query("drop schema tidings cascade"));

  // The service's own database.
  const own = await createTestDatabase();
  atEnd(() => own.drop());
  const ownFunctions = () =>
    withClient(
      own.url,
      async (one) =>
        (await one.query("select prosrc from pg_proc where pronamespace = 'tidings'::regnamespace order by 1")).rows,
    );
  const before = await ownFunctions();
  assert.match(
    await refused(own.url, "install"),
    /If this is the database of the service, it needs no outbox: run `tidings grant-sql`/,
  );
  await assert.rejects(
    withClient(own.url, (one) => one.query(outboxSql())),
    { code: "42723" },
  );
  assert.deepEqual(await ownFunctions(), before);
});

test("two installs at the same time, and an address from the environment", async () => {
  const { owner } = customer;
  const runs = await Promise.all(
    [1, 2].map(() => terminal.runWith({ env: { OUTBOX_DATABASE_URL: owner } }, "outbox", "install", "--json")),
  );
  assert.deepEqual(runs.map(({ stdout }) => JSON.parse(stdout).change).toSorted(), ["created", "none"]);
  const away = await terminal.runWith(
    { env: { OUTBOX_DATABASE_URL: "postgres://a@127.0.0.1:1/b" } },
    "outbox",
    "status",
  );
  assert.match(away.stderr, /Check OUTBOX_DATABASE_URL/);
});

test("the built program installs it with nothing next to it", async () => {
  const alone = join(terminal.folder, "alone");
  for (const name of ["bin/tidings.mjs", "dist/tidings.mjs"])
    cpSync(join(import.meta.dirname, "../..", name), join(alone, name));
  const argv = [join(alone, "bin/tidings.mjs"), "outbox", "install", "--schema", "alone"];
  const env = { PATH: process.env.PATH, HOME: alone, OUTBOX_DATABASE_URL: customer.owner };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, { env });
  assert.match(stdout, /^Created alone\.outbox and its functions in PostgreSQL at /);
  assert.equal(stderr, "");
});

test("wrong usage changes nothing", async () => {
  const calls = [
    ["outbox"],
    ["outbox", "drop"],
    ["outbox", "install"],
    ["outbox", "sql", "more"],
    ["outbox", "sql", "--database", customer.owner],
    ["outbox", "uninstall", "--database", customer.owner, "--dry-run"],
    ["outbox", "install", "--database", customer.owner, "--force"],
    ["outbox", "sql", "--schema", 'a"; drop schema public; --'],
    ["outbox", "sql", "--schema", "pg_temp"],
    ["outbox", "sql", "--app-role", ""],
    ["outbox", "sql", "--app-role", "public"],
    ["outbox", "sql", "--relay-role", "x".repeat(64)],
    ["outbox", "sql", "--relay-role", "a\nb"],
  ];
  for (const argv of calls) assert.equal((await terminal.run(...argv)).code, 64, argv.join(" "));
});

// What a role that was granted an environment may do in the service's own database: call four functions for that
// environment, and nothing else. What the roles of a customer's database need there.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { outboxSql } from "@tidings/contract";
import { createTestDatabase } from "@tidings/testkit/database";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import type pg from "pg";
import { revokeRole } from "../../../src/store/sources/grants.ts";
import { createRole, openShop, subjectsOf, withClient } from "./shop.ts";

const service = await startTestService();
const { client, production, db } = service;
await createWorkflow(client, "shipped", [inApp({ subject: "Order {{ payload.order }}", body: "Shipped" })]);
await createWorkflow(production, "live", [inApp({ subject: "Live", body: "Live" })]);
const shop = await openShop(service);

const call = "select tidings.trigger('shipped', 'ada', '{\"order\": 1}')";
const denied = { code: "42501" };

/** Runs each statement in a savepoint, and returns those that were not refused for want of a permission. */
async function findAllowed(statements: string[], url = shop.url): Promise<string[]> {
  return withClient(url, async (role) => {
    const allowed: string[] = [];
    await role.query("begin");
    for (const statement of statements) {
      await role.query("savepoint s");
      const code = await role.query(statement).then(
        () => "done",
        (error: pg.DatabaseError) => error.code,
      );
      await role.query("rollback to s");
      if (code !== denied.code) allowed.push(`${statement}: ${code}`);
    }
    await role.query("rollback");
    return allowed;
  });
}

const foreign = sql`n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;

test("no table, view or sequence can be read or changed", async () => {
  const { rows } = await sql<{ name: string; kind: string; column: string }>`
    select format('%I.%I', n.nspname, c.relname) as name, c.relkind as kind,
      (select quote_ident(a.attname) from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped limit 1) as column
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and ${foreign}`.execute(db);
  assert.ok(rows.length > 100 && rows.some(({ name }) => name.endsWith(".sql_outbox")), `${rows.length} relations`);
  const statements = rows.flatMap(({ name, kind, column }) =>
    kind === "S"
      ? [`select * from ${name}`, `select nextval('${name}')`, `select setval('${name}', 1)`]
      : [
          `select * from ${name} limit 1`,
          `select count(*) from ${name}`,
          `insert into ${name} default values`,
          `update ${name} set ${column} = null`,
          `delete from ${name}`,
          ...(kind === "v" || kind === "m" ? [] : [`truncate ${name}`, `lock table ${name} in access share mode`]),
        ],
  );
  assert.deepEqual(await findAllowed(statements), []);
});

test("exactly the four functions can be called, and nothing can be created", async () => {
  const { rows } = await sql<{
    signature: string;
    isAllowed: boolean;
    isTrigger: boolean;
    isFolded: boolean;
    args: string;
  }>`
    select p.oid::regprocedure::text as signature, has_function_privilege(${shop.role}, p.oid, 'execute')
        and has_schema_privilege(${shop.role}, n.oid, 'usage') as "isAllowed",
      p.prorettype = 'trigger'::regtype as "isTrigger",
      p.proisstrict and p.provolatile = 'i' as "isFolded",
      (select coalesce(string_agg(format('%snull::%s', case when p.provariadic <> 0 and i = p.pronargs then 'variadic '
         end, format_type(t, null)), ', ' order by i), '')
       from unnest(p.proargtypes) with ordinality as u(t, i)) as args
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where ${foreign} and not exists (
      select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`.execute(
    db,
  );
  // PostgreSQL calls those of triggers by triggers alone.
  const callable = rows.filter(({ isAllowed, isTrigger }) => isAllowed && !isTrigger);
  assert.deepEqual(callable.map(({ signature }) => signature).toSorted(), [
    "tidings.cancel(text)",
    "tidings.trigger(text,jsonb,jsonb,jsonb)",
    "tidings.trigger(text,text,jsonb,jsonb)",
    "tidings.upsert_subscriber(text,jsonb)",
  ]);
  const others = rows.filter(({ isAllowed }) => !isAllowed);
  assert.ok(others.some(({ signature }) => signature.startsWith("queue.")));
  // PostgreSQL calculates an immutable function of null, which is null, without calling it.
  const called = others.filter(({ isFolded }) => !isFolded);
  const calls = called.map(({ signature, args }) => `select ${signature.slice(0, signature.indexOf("("))}(${args})`);
  assert.deepEqual(await findAllowed(calls), []);
  const creations = ["public", "tidings", "queue"].flatMap((schema) => [
    `create table ${schema}.mine (id int)`,
    `create function ${schema}.mine() returns int language sql as 'select 1'`,
  ]);
  const changes = [
    "create schema mine",
    "drop function tidings.cancel(text)",
    "grant execute on function public.find_sql_environment() to public",
    "alter table public.sql_outbox disable row level security",
  ];
  // PostgreSQL says so of grants of what one does not own, and of tables of others.
  const allowed = await findAllowed([...creations, ...changes]);
  assert.deepEqual(allowed, []);
});

test("a role reaches its own environment only, whatever role it takes on", async () => {
  const live = await openShop(service, production);
  await assert.rejects(live.query(call), /tidings\.trigger: workflow "shipped" not found/);
  await assert.rejects(shop.query("select tidings.trigger('live', 'ada')"), /workflow "live" not found/);
  await assert.rejects(shop.query(`set role ${live.role}`), denied);
  const stranger = await createRole(service);
  await assert.rejects(
    withClient(stranger.url, (role) => role.query(call)),
    denied,
  );
  await sql`grant usage on schema tidings to ${sql.id(stranger.role)}`.execute(db);
  await sql`grant execute on all functions in schema tidings to ${sql.id(stranger.role)}`.execute(db);
  await assert.rejects(
    withClient(stranger.url, (role) => role.query(call)),
    (error: pg.DatabaseError) => {
      assert.equal(error.message, `tidings: the role "${stranger.role}" may not trigger events`);
      assert.equal(error.hint, `Run: tidings grant-sql ${stranger.role} --environment <environment>`);
      return error.code === denied.code;
    },
  );
});

test("a member of a granted role uses its environment, a member of two has to choose", async () => {
  const member = await createRole(service);
  const live = await openShop(service, production);
  await sql`grant ${sql.id(shop.role)} to ${sql.id(member.role)}`.execute(db);
  const trigger = (subscriber: string, before = "select 1") =>
    withClient(member.url, async (role) => {
      await role.query(before);
      await role.query("select tidings.trigger('shipped', $1, '{\"order\": 7}')", [subscriber]);
    });
  await trigger("member");
  await trigger("member", `set role ${shop.role}`);
  await eventually(async () => (await subjectsOf(client, "member")).length === 2, "the events of the member");
  await sql`grant ${sql.id(live.role)} to ${sql.id(member.role)}`.execute(db);
  const severalEnvironments = /is a member of roles for several environments/;
  await assert.rejects(trigger("member"), severalEnvironments);
  await assert.rejects(trigger("member", `set role ${shop.role}`), severalEnvironments);
});

test("what a role creates under the names of ours is not run as the owner", async () => {
  const own = `own_${randomBytes(4).toString("hex")}`;
  await sql`create schema ${sql.id(own)} authorization ${sql.id(shop.role)}`.execute(db);
  // A function that writes down whom it runs as.
  const spy = `create table ${own}.seen (who text);
    grant insert on ${own}.seen to public; grant usage on schema ${own} to public;
    create function ${own}.tell(text) returns text language plpgsql as
      $$ begin insert into ${own}.seen values (current_user); return $1; end $$;
    create function ${own}.replace(text, text, text) returns text language sql as $$ select ${own}.tell($1) $$;
    create function ${own}.octet_length(text) returns int language sql as $$ select length(${own}.tell($1)) $$;
    create function ${own}.jsonb_typeof(jsonb) returns text language sql as $$ select ${own}.tell('object') $$;
    create function ${own}.gen_random_uuid() returns uuid language sql as $$ select ${own}.tell('')::uuid $$;
    create function ${own}.join_texts(text, text) returns text language sql as $$ select ${own}.tell($1) $$;
    create operator ${own}.|| (leftarg = text, rightarg = text, function = ${own}.join_texts);
    create temp table sql_grants (role_name text, environment_id uuid);
    create temp table workflows (environment_id uuid, workflow_id text, deleted_at timestamptz);
    create temp table sql_outbox (environment_id uuid, transaction_id text, kind text, key text, body jsonb);
    create function pg_temp.pg_notify(text, text) returns void language sql as $$ select ${own}.tell($1) $$`;
  await shop.run(async (role) => {
    await role.query(spy);
    await role.query(`set search_path = ${own}, pg_temp, tidings, public, pg_catalog`);
    await role.query("select tidings.trigger('shipped', '\"spy\"'::jsonb, '{\"order\": 8}')");
    const { rows } = await role.query(`select distinct who from ${own}.seen`);
    assert.deepEqual(rows, []);
    assert.equal((await role.query("select * from pg_temp.sql_outbox")).rowCount, 0);
  });
  await eventually(async () => (await subjectsOf(client, "spy")).length === 1, "the event");
  await sql`drop schema ${sql.id(own)} cascade`.execute(db);
});

test("a revoked role can call nothing", async () => {
  const leaving = await openShop(service);
  await leaving.query("select tidings.trigger('shipped', 'leaving', '{\"order\": 9}')");
  assert.equal(await db.transaction().execute((tx) => revokeRole(tx, leaving.role)), true);
  await assert.rejects(leaving.query(call), denied);
  assert.equal(await db.transaction().execute((tx) => revokeRole(tx, leaving.role)), false);
  await eventually(async () => (await subjectsOf(client, "leaving")).length === 1, "what it called before");
});

test("in a customer's database, programs need the functions, and the relay three permissions", async (context) => {
  const customer = await createTestDatabase({ isEmpty: true });
  const [app, relay] = [await createRole(service), await createRole(service)];
  const urlOf = ({ url }: { url: string }) =>
    Object.assign(new URL(url), { pathname: new URL(customer.url).pathname }).href;
  context.after(async () => {
    await withClient(customer.url, (owner) => owner.query(`drop owned by ${app.role}, ${relay.role}`));
    await customer.drop();
  });
  const run = (text: string) => withClient(customer.url, (owner) => owner.query(text));
  await run(outboxSql());
  await run(`grant usage on schema tidings to ${app.role}, ${relay.role};
    grant execute on all functions in schema tidings to ${app.role}`);
  const calls = [call, "select tidings.cancel('x')", "select tidings.upsert_subscriber('ada')"];
  assert.equal((await findAllowed(calls, urlOf(app))).length, 3);
  const forbidden = [
    "select * from tidings.outbox",
    "insert into tidings.outbox (transaction_id, kind, body) values ('x', 'trigger', '{}')",
    "update tidings.outbox set key = null",
    "delete from tidings.outbox",
    "truncate tidings.outbox",
    "select tidings.add_to_outbox('trigger', 'x', null, '{}')",
    "select nextval('tidings.outbox_id_seq')",
    "create table tidings.mine (id int)",
  ];
  assert.deepEqual(await findAllowed(forbidden, urlOf(app)), []);
  assert.deepEqual(await findAllowed([call], urlOf(relay)), []);
  const create = () => client.raw("sources.create", { body: { name: "Orders", url: urlOf(relay) } });
  for (const [given, lacking] of [
    ["select", /lacks update, delete on tidings\.outbox: grant usage on schema tidings/],
    ["update", /lacks delete on tidings\.outbox/],
  ] as const) {
    await run(`grant ${given} on tidings.outbox to ${relay.role}`);
    const { status, body } = await create();
    assert.equal(status, 422);
    assert.match(JSON.stringify(body), lacking);
  }
  await run(`grant delete on tidings.outbox to ${relay.role}`);
  const { status, body } = await create();
  assert.equal(status, 201, JSON.stringify(body));
  await withClient(urlOf(app), (role) => role.query("select tidings.trigger('shipped', 'remote', '{\"order\": 1}')"));
  await eventually(async () => (await subjectsOf(client, "remote")).length === 1, "the message");
  await client("sources.delete", { params: { sourceId: (body as { id: string }).id } });
});

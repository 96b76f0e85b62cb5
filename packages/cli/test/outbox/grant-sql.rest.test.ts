// `tidings grant-sql`: a role of the service's own database, external and embedded.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { createTestDatabase } from "@tidings/testkit/database";
import { temporaryFolder } from "@tidings/testkit/process";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, feedOf, inApp } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { createRole, environmentOf, subjectsOf, withClient } from "../../../server/test/pipeline/sources/shop.ts";
import { openTerminal } from "../support.ts";

const service = await startTestService();
const { client, production } = service;
const terminal = openTerminal(service);
const key = randomBytes(32).toString("base64");
const settingsOf = (url: string) => ({ DATABASE_URL: url, TIDINGS_ENCRYPTION_KEY: key });
const as = (url: string, ...argv: string[]) => terminal.runWith({ env: settingsOf(url) }, "grant-sql", ...argv);
const run = (...argv: string[]) => as(service.database.url, ...argv);
const refused = async (...argv: string[]) => {
  const { code, stdout, stderr } = await run(...argv);
  assert.equal(code, 1, stdout);
  assert.match(stderr, /Nothing was changed\.\n$/);
  return stderr;
};
const call = (url: string, order: number) =>
  withClient(url, (shop) => shop.query("select tidings.trigger('shipped', 'ada', $1)", [{ order }]));
const shipped = [inApp({ subject: "Order {{ payload.order }}", body: "Shipped" })];
for (const each of [client, production]) await createWorkflow(each, "shipped", shipped);

test("a role is granted an environment, moved to another one and revoked, while the service runs", async () => {
  const { role, url } = await createRole(service);
  await assert.rejects(call(url, 0), { code: "42501" });
  const granted = await run(role, "--environment", "Development");
  assert.equal(granted.code, 0, granted.stderr);
  assert.equal(granted.stdout, `${role} may trigger events for development.\n`);
  await call(url, 1);
  await eventually(async () => (await subjectsOf(client, "ada")).length === 1, "the message");
  const { body: sources } = await client("sources.list");
  assert.deepEqual([sources[0]!.kind, sources[0]!.roles], ["local", [role]]);

  await withClient(service.database.url, (one) => one.query(`drop owned by ${role}`));
  assert.match((await run("--list")).stdout, /lost its privileges: grant it again\n/);
  const productionId = await environmentOf(production);
  assert.match(
    await refused(role, "--environment", productionId),
    /for development already, .*--move to give it production/,
  );
  const again = await run(role, "--environment", "development");
  assert.match(again.stdout, /for development\. It was granted this already\.\n$/);
  const moved = await run(role, "--environment", productionId, "--move");
  assert.equal(moved.stdout, `${role} may trigger events for production, no longer for development.\n`);
  await call(url, 2);
  await eventually(async () => (await subjectsOf(production, "ada")).length === 1, "the message in production");

  const listed = await run("--list");
  assert.match(listed.stdout, new RegExp(`^role +environment +since\\n${role} +production +20`));
  assert.match((await run("--list", "--environment", "development")).stdout, /^No role may trigger events\.\n$/);
  assert.match(await refused(role, "--revoke", "--environment", "development"), /for production, not for development/);
  const revoked = await run(role, "--revoke");
  assert.match(
    revoked.stdout,
    /may no longer trigger events for production\. What it called before is still accepted\.\n$/,
  );
  await assert.rejects(call(url, 3), { code: "42501" });
  assert.match(await refused(role, "--revoke"), /was not granted an environment/);
  assert.deepEqual([await subjectsOf(client, "ada"), await subjectsOf(production, "ada")], [["Order 1"], ["Order 2"]]);
});

test("roles that exist, do not, can do too much or too little", async () => {
  const { role } = await createRole(service);
  assert.match(
    await refused("nobody here", "--environment", "development"),
    /no role "nobody here"\. Create it first.*create role "nobody here" login/,
  );
  assert.match(
    await refused(role, "--environment", "staging"),
    /There is no environment "staging": development, production\./,
  );
  assert.match(await refused(role, "--environment", "development", "--create-role"), /exists already/);
  const { body: twin } = await client("environments.create", { body: { name: "Development", color: "#00ff00" } });
  assert.notEqual(twin.identifier, "development");
  assert.match(await refused(role, "--environment", "DEVELOPMENT"), /Several environments are called "DEVELOPMENT"/);
  assert.match((await run(role, "--environment", "development")).stdout, /events for development\.\n$/);
  const admin = await run(new URL(service.database.url).username, "--environment", "development");
  assert.match(admin.stderr, /^warning "\w+" can read the service's own tables/);

  const odd = `Odd "role" ${role}`;
  const created = JSON.parse((await run(odd, "--environment", "development", "--create-role", "--json")).stdout);
  await call(created.url, 4);
  await eventually(async () => (await subjectsOf(client, "ada")).includes("Order 4"), "the message of the new role");
  await withClient(service.database.url, async (one) => {
    const name = one.escapeIdentifier(odd);
    await one.query(`drop owned by ${name}; drop role ${name}`);
  });
  assert.match((await run("--list")).stdout, /Odd "role" .* does not exist: revoke it\n/);
  assert.equal((await run(odd, "--revoke")).code, 0);

  const group = `group_${randomBytes(4).toString("hex")}`;
  await withClient(service.database.url, (one) => one.query(`create role ${group}`));
  const grouped = await run(group, "--environment", "development");
  assert.match(grouped.stderr, /cannot log in\. Roles that are its members trigger events/);
});

test("grants at the same time follow one another", async () => {
  const roles = await Promise.all([1, 2, 3, 4].map(() => createRole(service)));
  const both = roles.flatMap(({ role }) =>
    ["development", "production"].map((name) => run(role, "--environment", name)),
  );
  const codes = (await Promise.all(both)).map(({ code }) => code);
  assert.deepEqual(codes.toSorted(), [0, 0, 0, 0, 1, 1, 1, 1], "one environment for each role");
});

test("a user without permission, and a database without an installation", async () => {
  const { role, url } = await createRole(service);
  await withClient(service.database.url, (one) =>
    one.query(`grant select, update on sql_grants, environments to ${role}; grant select on subscribers to ${role}`),
  );
  const weak = await as(url, role, "--environment", "development");
  assert.match(
    `${weak.code} ${weak.stderr}`,
    /^1 error PostgreSQL refused it: permission denied for schema tidings\..*Nothing was changed/,
  );
  const maker = await as(url, "new_one", "--environment", "development", "--create-role");
  assert.match(maker.stderr, /may not create roles\. Create it as an administrator .*create role "new_one" login/);
  const empty = await createTestDatabase({ isEmpty: true });
  atEnd(() => empty.drop());
  const bare = await as(empty.url, role, "--environment", "development");
  assert.match(bare.stderr, /has no installation of Tidings, or one of an earlier version/);
});

test("wrong usage", async () => {
  const calls = [
    [],
    ["shop"],
    ["shop", "more", "--environment", "development"],
    ["shop", "--list"],
    ["--list", "--revoke"],
    ["shop", "--revoke", "--move"],
    ["shop", "--environment", "development", "--create-role", "--quiet"],
    ["x".repeat(64), "--environment", "development"],
    ["a\nb", "--environment", "development"],
  ];
  for (const argv of calls) assert.equal((await run(...argv)).code, 64, argv.join(" "));
});

test("the embedded PostgreSQL: the role is created, and the service need not run", async (context) => {
  const folder = temporaryFolder(context);
  const program = folder.run();
  const { client: embedded } = await program.started();
  const inFolder = (...argv: string[]) =>
    terminal.runWith({ env: { TIDINGS_DATA_DIR: folder.path } }, "grant-sql", ...argv);
  const missing = await inFolder("shop", "--environment", "development");
  assert.match(missing.stderr, /The embedded PostgreSQL has no role "shop": add --create-role\./);
  const created = await inFolder("shop", "--environment", "development", "--create-role");
  assert.equal(created.code, 0, created.stderr);
  const [, url] = /not shown again: (postgres:\/\/shop:\S+)\n/.exec(created.stdout)!;
  await withClient(url!, (shop) => shop.query("select tidings.trigger('welcome', 'ada')"));
  await eventually(async () => (await feedOf(embedded, "ada").catch(() => [])).length === 1, "the message");
  await assert.rejects(
    withClient(url!, (shop) => shop.query("select from subscribers")),
    { code: "42501" },
  );
  assert.equal(await program.end("SIGTERM"), 0);

  const revoked = await inFolder("shop", "--revoke");
  assert.match(`${revoked.code} ${revoked.stdout}`, /^0 shop may no longer trigger events for development/);
  const left = await inFolder("--list", "--json");
  assert.deepEqual(JSON.parse(left.stdout), []);
});

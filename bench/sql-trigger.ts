// Events by SQL, compared with the same events over HTTP in the same run: what a call adds to the transaction of a
// customer, the time until the message is visible in the feed, how fast an outbox is emptied, and what an idle source
// costs. Once in the service's own database, and once in another PostgreSQL server.
import { rmSync } from "node:fs";
import { outboxSql } from "@tidings/contract";
import { newId } from "@tidings/server/source/lib/ids";
import { type Db, openDb } from "@tidings/server/source/store/db";
import { startEmbedded } from "@tidings/server/source/store/embedded/embedded";
import { grantRole } from "@tidings/server/source/store/sources/grants";
import { createClient } from "@tidings/testkit/client";
import { median, percentile } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { readDatabasePid } from "@tidings/testkit/postgres/postmaster";
import { sleep } from "@tidings/testkit/programs/limits";
import { sql } from "kysely";
import pg from "pg";
import { measureIdle } from "./idle.ts";
import { countOf } from "./latency.ts";
import { buyers, fireInApp, fireOne, prepareInApp } from "./load.ts";
import { clear, visible } from "./raw.ts";
import { type BenchService, makeDataDir } from "./support.ts";
import { formatNumber, type Row, valueAtMost } from "./table.ts";
import { readCpuMs, readUsage, usagePer } from "./usage.ts";

export type SqlSizes = { calls: number; triggers: number; events: number; rounds: number; idleSeconds: number };

/** `loud` notifies with each call, `quiet` does not. */
type Place = { name: "local" | "remote"; sourceId: string; outbox: string; loud: pg.Client; quiet: pg.Client };
type Tools = { service: BenchService; db: Db; client: ReturnType<typeof createClient> };

const valueAtLeast = (limit: number) => ({ of: "value", bound: "≥", limit }) as const;

export async function benchSqlTrigger(service: BenchService, sizes: SqlSizes): Promise<Row[]> {
  const db = openDb({ url: service.databaseUrl, poolSize: 2, onError: () => {} });
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const dataDir = makeDataDir();
  progress("starting the PostgreSQL of a customer …");
  const customer = await startEmbedded({ dataDir });
  const tools = { service, db, client };
  const places: Place[] = [];
  try {
    await prepareInApp(service);
    const before = await measureIdle(service, sizes.idleSeconds);
    places.push(await openLocal(tools), await openRemote(tools, customer.url));
    const idle = await idleRows(service, before, { seconds: sizes.idleSeconds, customerPid: readDatabasePid(dataDir) });
    const rows: Row[] = [];
    for (const place of places) rows.push(...(await costRows(tools, place, sizes.calls)));
    rows.push(...(await latencyRows(tools, places, sizes.triggers)));
    for (const place of places) rows.push(...(await drainRows(tools, place, sizes)));
    return [...rows, ...idle];
  } finally {
    for (const place of places) await pause(tools, place, true);
    for (const { loud, quiet } of places) await Promise.all([loud.end(), quiet.end()]);
    await db.destroy();
    await customer.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function openClients(url: string): Promise<Pick<Place, "loud" | "quiet">> {
  const [loud, quiet] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([loud.connect(), quiet.connect()]);
  await loud.query(
    "create table bench_orders (id bigint generated always as identity primary key, buyer text, total int)",
  );
  await quiet.query("set tidings.notify = 'off'");
  return { loud, quiet };
}

/** The customer is the service's own role: another one would need a superuser to create it, and calls the same. */
async function openLocal({ service, db, client }: Tools): Promise<Place> {
  const environments = (await client("environments.list")).body;
  const environmentId = environments.find(({ apiKeys }) => apiKeys)!._id;
  const grant = { environmentId, sourceId: newId(), now: new Date() };
  const role = new URL(service.databaseUrl).username;
  await db.transaction().execute((tx) => grantRole(tx, { role, ...grant }));
  const [source] = (await client("sources.list")).body;
  return { name: "local", sourceId: source!.id, outbox: "sql_outbox", ...(await openClients(service.databaseUrl)) };
}

async function openRemote({ client }: Tools, url: string): Promise<Place> {
  const clients = await openClients(url);
  await clients.loud.query(outboxSql());
  const { body } = await client("sources.create", { body: { name: "Customer", url } });
  return { name: "remote", sourceId: body.id, outbox: "tidings.outbox", ...clients };
}

/** Rows that are written while a source is paused wait in its outbox. */
const pause = ({ client }: Tools, { sourceId }: Place, paused: boolean) =>
  client("sources.update", { params: { sourceId }, body: { paused } });

const call = "select tidings.trigger('order-shipped', $1, $2)";
const insert = "insert into bench_orders (buyer, total) values ($1, $2)";
const insertAndCall = `with placed as (${insert} returning buyer)
  select tidings.trigger('order-shipped', buyer, $3) from placed`;
const payloadOf = (number: number) => ({ order: String(4711 + number), city: "Reykjavík", items: [{ sku: "A-1" }] });

/** A transaction with one insert, with or without a call, one after the other on each connection. */
async function costRows(tools: Tools, place: Place, calls: number): Promise<Row[]> {
  progress(
    `${place.name}: ${formatNumber(calls)} transactions without a call, with one, and with one without NOTIFY …`,
  );
  await pause(tools, place, true);
  const order = async (client: pg.Client, number: number, hasCall: boolean): Promise<number> => {
    const started = performance.now();
    await client.query("begin");
    await client.query(insert, [`buyer-${number % buyers}`, number]);
    if (hasCall) await client.query(call, [`buyer-${number % buyers}`, payloadOf(number)]);
    await client.query("commit");
    return performance.now() - started;
  };
  const inOne = async (client: pg.Client, number: number, text: string, values: unknown[]): Promise<number> => {
    const started = performance.now();
    await client.query(text, [`buyer-${number % buyers}`, number, ...values]);
    return performance.now() - started;
  };
  const times = { plain: [], loud: [], quiet: [], alone: [], together: [] } as Record<string, number[]>;
  const warmUp = Math.floor(calls / 10);
  for (let number = 0; number < warmUp + calls; number++) {
    const plain = await order(place.loud, number, false);
    const loud = await order(place.loud, number, true);
    const quiet = await order(place.quiet, number, true);
    const alone = await inOne(place.loud, number, insert, []);
    const together = await inOne(place.loud, number, insertAndCall, [payloadOf(number)]);
    if (number < warmUp) continue;
    for (const [name, value] of Object.entries({ plain, loud, quiet, alone, together })) times[name]!.push(value);
  }
  await place.loud.query(`truncate ${place.outbox}`);
  await pause(tools, place, false);
  const { plain, loud, quiet, alone, together } = Object.fromEntries(
    Object.entries(times).map(([name, values]) => [name, median(values)]),
  ) as Record<string, number>;
  const what = (more: string) => `SQL, ${place.name}: a call adds to an insert${more}, p50`;
  const beside = (value: number) => ({ what: "the insert alone", value });
  const aim = valueAtMost(0.3);
  return [
    { what: what(" in one statement"), value: together! - alone!, unit: "ms", beside: beside(alone!), aim },
    { what: what(" as a second statement"), value: loud! - plain!, unit: "ms", beside: beside(plain!), aim },
    {
      what: what(" as a second statement, without NOTIFY"),
      value: quiet! - plain!,
      unit: "ms",
      beside: beside(plain!),
      aim,
    },
  ];
}

const gapMs = 50;

/** One event after the other, about 20 a second: over HTTP, and by a call in each place, in turn. */
async function latencyRows({ service, db }: Tools, places: Place[], triggers: number): Promise<Row[]> {
  progress(`${triggers} single events over HTTP and by SQL, after 20 of each to warm up …`);
  const ways = [
    { name: "HTTP", fire: (number: number) => fireOne(service, number), seen: [] as number[] },
    ...places.map(({ name, loud }) => ({
      name,
      fire: (number: number) => loud.query(call, [`buyer-${number % buyers}`, payloadOf(number)]),
      seen: [] as number[],
    })),
  ];
  const { rows: people } = await sql<{ id: string; environment: string }>`
    select id, environment_id as environment from subscribers
    where subscriber_id like 'buyer-%' order by substr(subscriber_id, 7)::int`.execute(db);
  for (let number = 0; number < ways.length * (20 + triggers); number++) {
    const { id, environment } = people[number % buyers]!;
    const before = await countOf(db, environment, id);
    const way = ways[number % ways.length]!;
    const started = performance.now();
    await way.fire(number);
    while ((await countOf(db, environment, id)) === before) {
      if (performance.now() - started > 60_000) throw new Error(`event ${number} (${way.name}) is not in the feed`);
      await sleep(1);
    }
    const passedMs = performance.now() - started;
    if (number >= ways.length * 20) way.seen.push(passedMs);
    await sleep(Math.max(0, gapMs - passedMs));
  }
  const [http, ...others] = ways;
  return others.flatMap(({ name, seen }) =>
    [0.5, 0.99].map((part) => ({
      what: `SQL, ${name}: call → feed, p${part * 100}`,
      value: percentile(seen, part),
      unit: "ms",
      beside: { what: "HTTP trigger → feed", value: percentile(http!.seen, part) },
      ...(part === 0.5 && { aim: valueAtMost(50) }),
    })),
  );
}

type Drained = { rate: number; cpuMs: number };

/** Rows that were committed while the source was paused, from the moment it is resumed until all are in the feed. */
async function drainRows(tools: Tools, place: Place, { events, rounds }: SqlSizes): Promise<Row[]> {
  const { service, db } = tools;
  const measure = async (fire: () => Promise<unknown>): Promise<Drained> => {
    const before = await readUsage(db, service);
    const started = performance.now();
    await fire();
    await visible(db, events);
    const seconds = (performance.now() - started) / 1000;
    const { serviceMs, postgresMs } = usagePer(before, await readUsage(db, service), events);
    return { rate: events / seconds, cpuMs: serviceMs + postgresMs };
  };
  const overHttp = async () => {
    await clear(db);
    return measure(() => fireInApp(service, events));
  };
  const bySql = async () => {
    await clear(db);
    await pause(tools, place, true);
    // The relay ends, so that no row is taken before the time begins.
    await sleep(500);
    await place.loud.query(
      `select tidings.trigger('order-shipped', 'buyer-' || n % ${buyers}, $1::jsonb || jsonb_build_object('order', n::text))
       from generate_series(1, ${events}) as n`,
      [payloadOf(0)],
    );
    await place.loud.query(`analyze ${place.outbox}`);
    return measure(() => pause(tools, place, false));
  };
  const found: { http: Drained; sql: Drained }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const isFirst = round % 2 === 1;
    const first = isFirst ? await bySql() : await overHttp();
    const second = isFirst ? await overHttp() : await bySql();
    const both = isFirst ? { sql: first, http: second } : { http: first, sql: second };
    const name = round === 0 ? "a warm-up" : `round ${round} of ${rounds}`;
    const shown = ({ rate, cpuMs }: Drained) => `${formatNumber(rate)}/s (${formatNumber(cpuMs)} ms CPU an event)`;
    progress(`${place.name}, ${name}: ${shown(both.sql)} by SQL, ${shown(both.http)} over HTTP`);
    if (round > 0) found.push(both);
  }
  const compare = (name: keyof Drained) => ({
    value: median(found.map((both) => both.sql[name])),
    beside: { what: "HTTP bulk trigger → feed", value: median(found.map((both) => both.http[name])) },
    ratio: median(found.map((both) => both.sql[name] / both.http[name])),
  });
  const what = `SQL, ${place.name}: outbox of ${formatNumber(events)} rows → feed`;
  return [
    { what, unit: "/s", ...compare("rate"), aim: valueAtLeast(5_000) },
    { what: `${what}, CPU of service + PostgreSQL an event`, unit: "ms", ...compare("cpuMs") },
  ];
}

type Shares = Awaited<ReturnType<typeof measureIdle>>;

async function idleRows(
  service: BenchService,
  before: Shares,
  { seconds, customerPid }: { seconds: number; customerPid: number },
): Promise<Row[]> {
  const started = performance.now();
  const customerBefore = readCpuMs(customerPid);
  const after = await measureIdle(service, seconds);
  const customer = (100 * (readCpuMs(customerPid) - customerBefore)) / (performance.now() - started);
  const row = (what: string, part: keyof Shares): Row => ({
    what: `SQL, two idle sources: CPU of ${what}`,
    value: after[part],
    unit: "% of a core",
    beside: { what: "without sources", value: before[part] },
  });
  return [
    row("the service", "service"),
    row("PostgreSQL", "database"),
    { what: "SQL, idle source: CPU of the customer's PostgreSQL", value: customer, unit: "% of a core" },
  ];
}

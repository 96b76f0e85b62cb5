// Neighbours: environment A floods the service in six ways, one after the other, while environment B sends single
// messages. Measured for B: the time from its trigger to the message in the feed, to the mail at its provider and to
// the call of its webhook, and the same on an idle service. The backlog of a flood is deleted before the next one.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Db, openDb } from "@tidings/server/source/store/db";
import { type Client, createClient } from "@tidings/testkit/client";
import { percentile } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { sleep } from "@tidings/testkit/programs/limits";
import { sql } from "kysely";
import type { BenchService } from "./support.ts";
import { type Row, ratioAtMost, valueAtMost } from "./table.ts";

type Times = { median: number; p99: number };
type Found = { flood: string; feed: Times; mail: Times; webhook: Times; handled: number };

const slowProviders = 20;
const pauseMs = 150;

type Flood = { name: string; run(bench: Bench, isOver: () => boolean): Promise<void> };
type Bench = { service: BenchService; a: Client; b: Client; sink: Sink; db: Db; environmentB: string };

const bulk = (a: Client, events: object[]) => a("events.triggerBulk", { body: { events } as never });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const crowd = many(100, (index) => ({ subscriberId: `crowd-${index}`, email: `crowd-${index}@example.com` }));

const floods: Flood[] = [
  { name: "nothing", run: async () => {} },
  {
    name: "15 requests, 150,000 in-app messages",
    run: async ({ a }) => {
      await Promise.all(
        many(15, () =>
          bulk(
            a,
            many(100, () => ({ name: "feed", to: crowd })),
          ),
        ),
      );
    },
  },
  {
    name: "8 requests, 80,000 mails",
    run: async ({ a }) => {
      const overrides = { email: { integrationIdentifier: "quick" } };
      await Promise.all(
        many(8, () =>
          bulk(
            a,
            many(100, () => ({ name: "mail", to: crowd, overrides })),
          ),
        ),
      );
    },
  },
  {
    name: "events of one recipient without end, by 4 clients",
    run: async ({ a }, isOver) => {
      const one = async () => {
        while (!isOver())
          await bulk(
            a,
            many(100, (index) => ({ name: "feed", to: crowd[index] })),
          );
      };
      await Promise.all(many(4, one));
    },
  },
  {
    name: "mails through 20 integrations that answer after 25 s",
    run: async ({ a }) => {
      for (let request = 0; request < 40; request++) {
        const events = many(100, (index) => ({
          name: "mail",
          to: crowd[index],
          overrides: { email: { integrationIdentifier: `slow-${index % slowProviders}` } },
        }));
        await bulk(a, events);
      }
    },
  },
  {
    name: "300 events for 20 webhooks that answer after 13 s",
    run: async ({ a, sink }) => {
      for (let index = 0; index < 20; index++) {
        await a("webhooks.create", { body: { url: `${sink.url}/a/slow?ms=13000`, eventTypes: ["message.sent"] } });
      }
      for (let request = 0; request < 3; request++) {
        const events = many(100, (index) => ({ name: "told", to: crowd[index] }));
        await bulk(a, events);
      }
    },
  },
  {
    name: "60 searches at once over all notifications, again and again",
    run: async ({ service }, isOver) => {
      const headers = { authorization: `ApiKey ${service.apiKey}` };
      const one = async () => {
        while (!isOver()) {
          await fetch(`${service.url}/v1/notifications?search=nothing-like-it`, { headers }).then((it) => it.text());
        }
      };
      await Promise.all(many(60, one));
    },
  },
];

/** `which`: a part of the name of the flood to run; all unless given. */
export async function benchNeighbours(service: BenchService, seconds: number, which?: string): Promise<Row[]> {
  const db = openDb({ url: service.databaseUrl, poolSize: 3, onError: () => {} });
  const sink = await startRecordingSink();
  const a = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const { body: environment } = await a("environments.create", { body: { name: "B", color: "#00AA00" } });
  const b = createClient({ baseUrl: service.url, apiKey: environment.apiKeys![0]!.key });
  const bench: Bench = { service, a, b, sink, db, environmentB: environment._id };
  try {
    await prepare(bench);
    await probe(bench, "warm", () => false, 20);
    const found: Found[] = [];
    for (const flood of floods.filter(({ name }) => name === "nothing" || !which || name.includes(which))) {
      progress(`A does: ${flood.name} …`);
      const before = await countMessages(bench);
      const begun = performance.now();
      const end = begun + seconds * 1000;
      const isOver = () => performance.now() >= end;
      const flooding = flood.run(bench, isOver).catch((error: Error) => progress(`A was refused: ${error.message}`));
      const times = await probe(bench, randomUUID(), isOver);
      await flooding;
      // A probe that waits may last longer than the flood.
      const handled = ((await countMessages(bench)) - before) / ((performance.now() - begun) / 1000);
      found.push({ flood: flood.name, ...times, handled });
      progress(`B: feed ${JSON.stringify(times.feed)} mail ${JSON.stringify(times.mail)}`);
      await discard(bench);
    }
    return found.flatMap((one) => toRows(one, found[0]!));
  } finally {
    sink.stop();
    await db.destroy();
  }
}

function toRows({ flood, feed, mail, webhook, handled }: Found, quiet: Found): Row[] {
  const name = (what: string) => `neighbours, ${what} while A does: ${flood}`;
  return [
    {
      what: name("B's feed, median"),
      value: feed.median,
      unit: "ms",
      beside: { what: "on an idle service", value: quiet.feed.median },
      ratio: feed.median / quiet.feed.median,
      aim: ratioAtMost(3),
    },
    { what: name("B's feed, p99"), value: feed.p99, unit: "ms", aim: valueAtMost(500) },
    { what: name("B's mail, p99"), value: mail.p99, unit: "ms", aim: valueAtMost(2000) },
    { what: name("B's webhook, p99"), value: webhook.p99, unit: "ms", aim: valueAtMost(2000) },
    { what: name("A's messages"), value: handled, unit: "/s" },
  ];
}

async function prepare({ a, b, sink }: Bench): Promise<void> {
  const step = (type: "in_app" | "email") => {
    const controlValues = type === "email" ? { subject: "Hi", body: "<p>Hi</p>", editorType: "html" } : { body: "Hi" };
    return { name: type, type, controlValues } as never;
  };
  const integration = (client: Client, identifier: string, path: string) => {
    const credentials = {
      webhookUrl: `${sink.url}${path}`,
      secretKey: "bench",
      from: "a@example.com",
      senderName: "A",
    };
    const body = { providerId: "email-webhook", channel: "email", identifier, active: true, credentials } as const;
    return client("integrations.create", { body });
  };
  for (const client of [a, b]) {
    for (const [workflowId, type] of Object.entries({ feed: "in_app", mail: "email", told: "in_app" } as const)) {
      await client("workflows.create", { body: { name: workflowId, workflowId, active: true, steps: [step(type)] } });
    }
  }
  await integration(b, "b-mail", "/b/mail");
  await integration(a, "quick", "/a/quick");
  for (let index = 0; index < slowProviders; index++) await integration(a, `slow-${index}`, "/a/slow?ms=25000");
  await b("webhooks.create", { body: { url: `${sink.url}/b/webhook`, eventTypes: ["message.sent"] } });
  await a("subscribers.createBulk", { body: { subscribers: crowd } });
}

/** Single messages of B, one after the other; with `count`, so many. */
async function probe({ b, sink, db, environmentB }: Bench, run: string, isOver: () => boolean, count?: number) {
  const feed: number[] = [];
  const started = new Map<string, number>();
  for (let index = 0; count === undefined ? !isOver() : index < count; index++) {
    const isMail = index % 4 === 3;
    const subscriberId = `probe-${run}-${index}`;
    const begun = performance.now();
    started.set(`${isMail ? "mail" : "webhook"} ${subscriberId}`, begun);
    const to = { subscriberId, email: `${subscriberId}@example.com` };
    await bulk(b, [{ name: isMail ? "mail" : "feed", to }]).catch(() => {});
    if (!isMail) {
      while (!(await hasMessage(db, environmentB, subscriberId)) && performance.now() - begun < 60_000) await sleep(3);
      feed.push(performance.now() - begun);
    }
    await sleep(pauseMs);
  }
  const timesOf = async (kind: "mail" | "webhook"): Promise<number[]> => {
    const mine = [...started].filter(([key]) => key.startsWith(kind));
    const arrived = () => mine.every(([key]) => sink.arrivals.has(key));
    for (let waited = 0; !arrived() && waited < 30_000; waited += 100) await sleep(100);
    return mine.map(([key, begun]) => (sink.arrivals.get(key) ?? Number.POSITIVE_INFINITY) - begun);
  };
  return {
    feed: summarize(feed),
    mail: summarize(await timesOf("mail")),
    webhook: summarize(await timesOf("webhook")),
  };
}

const summarize = (times: number[]): Times => ({ median: percentile(times, 0.5), p99: percentile(times, 0.99) });

async function hasMessage(db: Db, environmentId: string, subscriberId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from subscribers s join messages m on m.environment_id = s.environment_id and m.subscriber_id = s.id
    where s.environment_id = ${environmentId} and s.subscriber_id = ${subscriberId}`.execute(db);
  return rows.length > 0;
}

async function countMessages({ db, environmentB }: Bench): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from messages where environment_id <> ${environmentB} and status = 'sent'`.execute(db);
  return rows[0]!.count;
}

/** Deletes waiting tasks, and waits until tasks in progress have ended. */
async function discard({ a, db }: Bench): Promise<void> {
  const webhooks = (await a("webhooks.list")).body;
  for (const { id } of webhooks) await a("webhooks.delete", { params: { webhookId: id } });
  for (;;) {
    // Tasks that a worker is about to take are left for the next round: waiting for them could deadlock.
    await sql`delete from queue.job where id in (select id from queue.job
      where state < 'active' and name not in ('housekeeping', 'alert') for update skip locked)`.execute(db);
    const { rows } = await sql`select 1 from queue.job where state = 'active' limit 1`.execute(db);
    if (rows.length === 0) return;
    await sleep(200);
  }
}

type Sink = { url: string; arrivals: Map<string, number>; stop(): void };

/** Responds immediately, or after `?ms=`; records the times of calls for B. */
async function startRecordingSink(): Promise<Sink> {
  const arrivals = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://sink");
    if (url.pathname.startsWith("/b/")) {
      let body = "";
      for await (const chunk of request) body += chunk;
      const subscriberId = /probe-[0-9a-z-]+-\d+/.exec(body)?.[0];
      const key = `${url.pathname === "/b/mail" ? "mail" : "webhook"} ${subscriberId}`;
      if (!arrivals.has(key)) arrivals.set(key, performance.now());
    } else request.resume();
    const ms = Number(url.searchParams.get("ms") ?? 0);
    if (ms > 0) await sleep(ms);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals, stop };
}

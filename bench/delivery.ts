// Delivery: emails per second through SMTP and webhook calls per second, from the trigger to the last message recorded
// as sent. Compared with the bare library in a loop, with the same number of connections to the same receiver in the
// same run. The service writes five rows per message (event, notification, job, message, attempt); the loop writes
// none.

import { openDb } from "@tidings/server/source/store/db";
import { partitionedTables } from "@tidings/server/source/store/installation/partitions";
import { createClient } from "@tidings/testkit/client";
import { median } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { createTransport } from "nodemailer";
import { clear, visible } from "./raw.ts";
import { startSink } from "./sinks.ts";
import type { BenchService } from "./support.ts";
import { formatNumber, type Row, ratioAtLeast } from "./table.ts";
import { readTableBytes, readUsage, type Usage, usagePer } from "./usage.ts";

const connections = 10;
const eventsPerRequest = 100;

const subject = (n: number) => `Order ${n} shipped`;
const html = (n: number) => `<p>Hello Ada, order ${n} is on its way to Reykjavík.</p>`;
const text = (n: number) => `Hello Ada, order ${n} is on its way to Reykjavík.`;

export async function benchDelivery(
  service: BenchService,
  kind: "smtp" | "webhook",
  messages: number,
  rounds: number,
): Promise<Row[]> {
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const db = openDb({ url: service.databaseUrl, poolSize: 2, onError: () => {} });
  const sink = await startSink(kind === "smtp" ? "smtp" : "http");
  try {
    const sender = { from: "orders@example.com", senderName: "Orders" };
    const address = { host: "127.0.0.1", port: String(sink.port) };
    await client("integrations.create", {
      body: {
        name: kind,
        channel: "email",
        active: true,
        ...(kind === "smtp"
          ? { providerId: "nodemailer" as const, credentials: { ...sender, ...address, ignoreTls: true } }
          : {
              providerId: "email-webhook" as const,
              credentials: { ...sender, webhookUrl: `http://127.0.0.1:${sink.port}/send`, secretKey: "bench" },
            }),
      },
    });
    await client("workflows.create", {
      body: {
        name: "Shipped",
        workflowId: "shipped",
        active: true,
        steps: [
          {
            name: "Mail",
            type: "email",
            controlValues: {
              subject: "Order {{ payload.order }} shipped",
              body: "<p>Hello {{ subscriber.firstName }}, order {{ payload.order }} is on its way to Reykjavík.</p>",
              editorType: "html",
            },
          },
        ],
      },
    });
    await client("subscribers.create", {
      body: { subscriberId: "ada", firstName: "Ada", email: "ada@example.com" },
      query: {},
    });
    const fire = async (count: number): Promise<void> => {
      for (let from = 0; from < count; from += eventsPerRequest) {
        const events = Array.from({ length: eventsPerRequest }, (_, i) => ({
          name: "shipped",
          to: "ada",
          payload: { order: from + i },
        }));
        await client("events.triggerBulk", { body: { events } });
      }
    };
    const bareLoop = kind === "smtp" ? mailLoop : fetchLoop;
    // Until V8 has compiled what is used often, a message takes a quarter longer.
    const warmUp = 4 * messages;
    progress(`${kind}: ${formatNumber(warmUp)} messages as a warm-up of both …`);
    await fire(warmUp);
    await visible(db, warmUp);
    await bareLoop(sink.port, warmUp);
    const rates: { service: number; bare: number; usage: Usage }[] = [];
    for (let round = 1; round <= rounds; round++) {
      await clear(db);
      const before = await readUsage(db, service);
      const started = performance.now();
      await fire(messages);
      await visible(db, messages);
      const served = messages / ((performance.now() - started) / 1000);
      const usage = usagePer(before, await readUsage(db, service), messages);
      const bare = await bareLoop(sink.port, messages);
      rates.push({ service: served, bare, usage });
      progress(`${kind}, round ${round} of ${rounds}: service ${formatNumber(served)}/s, bare ${formatNumber(bare)}/s`);
    }
    const cost = (part: keyof Usage) => median(rates.map(({ usage }) => usage[part]));
    const bytes = await readTableBytes(db, partitionedTables);
    return [
      {
        what: `${kind}, trigger → recorded as sent, ${formatNumber(messages)} messages`,
        value: median(rates.map((rate) => rate.service)),
        unit: "/s",
        beside: {
          what: kind === "smtp" ? "nodemailer alone" : "fetch alone",
          value: median(rates.map((rate) => rate.bare)),
        },
        ratio: median(rates.map((rate) => rate.service / rate.bare)),
        aim: ratioAtLeast(kind === "smtp" ? 0.85 : 0.7),
      },
      { what: `${kind}, CPU of the service a message`, value: cost("serviceMs"), unit: "ms" },
      { what: `${kind}, CPU of PostgreSQL a message`, value: cost("postgresMs"), unit: "ms" },
      { what: `${kind}, WAL a message`, value: cost("walBytes") / 1000, unit: "kB" },
      { what: `${kind}, WAL syncs of 1,000 messages`, value: 1000 * cost("walSyncs"), unit: "" },
      { what: `${kind}, commits of 1,000 messages`, value: 1000 * cost("commits"), unit: "" },
      { what: `${kind}, disk a message, tables and indexes`, value: bytes / messages / 1000, unit: "kB" },
    ];
  } finally {
    sink.stop();
    await db.destroy();
  }
}

/** nodemailer alone, with the pool that the service has. */
async function mailLoop(port: number, messages: number): Promise<number> {
  const transport = createTransport({
    pool: true,
    maxConnections: connections,
    host: "127.0.0.1",
    port,
    ignoreTLS: true,
  });
  const rate = await timed(messages, connections * 20, (n) =>
    transport.sendMail({
      from: "Orders <orders@example.com>",
      to: "ada@example.com",
      subject: subject(n),
      html: html(n),
      text: text(n),
    }),
  );
  transport.close();
  return rate;
}

/** fetch alone, which keeps its connections alive. */
const fetchLoop = (port: number, messages: number): Promise<number> =>
  timed(messages, 100, async (n) => {
    const body = JSON.stringify({
      to: [{ email: "ada@example.com" }],
      subject: subject(n),
      html: html(n),
      text: text(n),
    });
    const answer = await fetch(`http://127.0.0.1:${port}/send`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    await answer.text();
  });

async function timed(count: number, atOnce: number, one: (n: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const started = performance.now();
  const run = async () => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return count / ((performance.now() - started) / 1000);
}

// What an attention budget costs: the same in-app messages and emails without and with a budget that has room for all
// of them, in turn, in one service.

import { openDb } from "@tidings/server/source/store/db";
import { createClient } from "@tidings/testkit/client";
import { median } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { sql } from "kysely";
import { buyers, fireInApp, post, prepareInApp } from "./load.ts";
import { clear, visible } from "./raw.ts";
import { startSink } from "./sinks.ts";
import type { BenchService } from "./support.ts";
import { formatNumber, type Row, ratioAtLeast } from "./table.ts";

type Channel = "in_app" | "email";

export async function benchAttention(service: BenchService, events: number, rounds: number): Promise<Row[]> {
  const db = openDb({ url: service.databaseUrl, poolSize: 2, onError: () => {} });
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const sink = await startSink("smtp");
  const setBudget = (channel: Channel | null) =>
    client("attention.update", {
      body: { budgets: channel ? [{ channel, limit: 100, window: { amount: 1, unit: "week" } }] : [] },
    });
  const measure = async (channel: Channel, count: number, hasBudget: boolean): Promise<number> => {
    await clear(db);
    await sql`truncate attention_ledgers`.execute(db);
    await setBudget(hasBudget ? channel : null);
    const started = performance.now();
    await (channel === "in_app" ? fireInApp(service, count) : fireMails(service, count));
    await visible(db, count);
    return count / ((performance.now() - started) / 1000);
  };
  try {
    await prepareInApp(service);
    await prepareMails(client, sink.port);
    const rows: Row[] = [];
    for (const [channel, count, aim] of [
      ["in_app", events, 0.85],
      ["email", events / 4, 0.95],
    ] as const) {
      progress(`${channel}: a warm-up …`);
      for (const hasBudget of [false, true]) await measure(channel, count, hasBudget);
      const found: { without: number; with: number }[] = [];
      for (let round = 1; round <= rounds; round++) {
        // The first of a pair may find a busier machine.
        const isFirst = round % 2 === 0;
        const first = await measure(channel, count, isFirst);
        const second = await measure(channel, count, !isFirst);
        found.push(isFirst ? { with: first, without: second } : { with: second, without: first });
        const { with: having, without } = found.at(-1)!;
        progress(
          `${channel}, round ${round}: ${formatNumber(without)}/s without, ${formatNumber(having)}/s with a budget`,
        );
      }
      rows.push({
        what: `${channel}, ${formatNumber(count)} events with a budget`,
        value: median(found.map((round) => round.with)),
        unit: "/s",
        beside: { what: "without", value: median(found.map(({ without }) => without)) },
        ratio: median(found.map((round) => round.with / round.without)),
        aim: ratioAtLeast(aim),
      });
    }
    return rows;
  } finally {
    sink.stop();
    await db.destroy();
  }
}

async function prepareMails(client: ReturnType<typeof createClient>, port: number): Promise<void> {
  const credentials = { from: "orders@example.com", senderName: "Orders", host: "127.0.0.1", port: String(port) };
  await client("integrations.create", {
    body: {
      name: "smtp",
      channel: "email",
      active: true,
      providerId: "nodemailer",
      credentials: { ...credentials, ignoreTls: true },
    },
  });
  const controlValues = {
    subject: "Order {{ payload.order }} shipped",
    body: "<p>On its way.</p>",
    editorType: "html",
  };
  const steps = [{ name: "Mail", type: "email" as const, controlValues }];
  await client("workflows.create", { body: { name: "Mailed", workflowId: "mailed", active: true, steps } });
}

async function fireMails(service: BenchService, count: number): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    const events = Array.from({ length: 100 }, (_, index) => {
      const subscriberId = `buyer-${(from + index) % buyers}`;
      return {
        name: "mailed",
        to: { subscriberId, email: `${subscriberId}@example.com` },
        payload: { order: from + index },
      };
    });
    await post(service, "/v1/events/trigger/bulk", { events });
  }
}

// In-app notifications per second, from HTTP bulk trigger (100 events a request, a fresh idempotency key each, as
// existing clients send them) to rows visible in the feed; compared with the raw limit: the same rows written by
// two set-based writers, on the same PostgreSQL in the same run. The ratio can be compared between machines.
import { randomUUID } from "node:crypto";
import { createClient } from "@tidings/contract";
import { openDb } from "../packages/server/src/store/db.ts";
import { clear, readBack, visible, writeRaw } from "./raw.ts";
import { type BenchService, median, progress } from "./support.ts";
import { readUsage, type Usage, usagePer } from "./usage.ts";

const subscribers = 1_000;
const eventsPerRequest = 100;
const clients = 4;

export type InAppOptions = { events: number; rounds: number };
export type InAppResult = {
  service: number;
  raw: number;
  ratio: number;
  events: number;
  accepted: number;
  /** Of one notification. */
  usage: Usage;
};

export async function benchInApp(service: BenchService, options: InAppOptions): Promise<InAppResult> {
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const db = openDb({ url: service.databaseUrl, poolSize: 4, onError: () => {} });
  try {
    await client("workflows.create", {
      body: {
        name: "Order shipped",
        workflowId: "order-shipped",
        active: true,
        steps: [
          {
            name: "Feed",
            type: "in_app",
            controlValues: {
              subject: "Order {{ payload.order }} shipped",
              body: "Hello {{ subscriber.firstName }}, order {{ payload.order }} is on its way to {{ payload.city }}.",
              redirect: { url: "/orders/{{ payload.order }}" },
            },
          },
        ],
      },
    });
    for (let from = 0; from < subscribers; from += 500) {
      const people = Array.from({ length: 500 }, (_, i) => ({
        subscriberId: `buyer-${from + i}`,
        firstName: `Buyer ${from + i}`,
      }));
      await client("subscribers.createBulk", { body: { subscribers: people } });
    }
    await fire(service, 5_000);
    await visible(db, 5_000);

    const rates: { service: number; accepted: number; raw: number; usage: Usage }[] = [];
    for (let round = 1; round <= options.rounds; round++) {
      await clear(db);
      progress(`round ${round} of ${options.rounds}: ${options.events} events through the service …`);
      const before = await readUsage(db, service);
      const started = performance.now();
      await fire(service, options.events);
      const acceptedSeconds = (performance.now() - started) / 1000;
      await visible(db, options.events);
      const seconds = (performance.now() - started) / 1000;
      const usage = usagePer(before, await readUsage(db, service), options.events);
      progress(`round ${round} of ${options.rounds}: the same rows, written raw …`);
      const rows = await readBack(db);
      await clear(db);
      const rawSeconds = await writeRaw(db, rows);
      rates.push({
        service: options.events / seconds,
        accepted: options.events / acceptedSeconds,
        raw: options.events / rawSeconds,
        usage,
      });
      const last = rates.at(-1)!;
      progress(`round ${round}: service ${Math.round(last.service)}/s, raw ${Math.round(last.raw)}/s`);
    }
    return {
      events: options.events,
      service: median(rates.map((rate) => rate.service)),
      accepted: median(rates.map((rate) => rate.accepted)),
      raw: median(rates.map((rate) => rate.raw)),
      ratio: median(rates.map((rate) => rate.service / rate.raw)),
      usage: {
        serviceMs: median(rates.map((rate) => rate.usage.serviceMs)),
        postgresMs: median(rates.map((rate) => rate.usage.postgresMs)),
        walBytes: median(rates.map((rate) => rate.usage.walBytes)),
      },
    };
  } finally {
    await db.destroy();
  }
}

async function fire(service: BenchService, count: number): Promise<void> {
  let sent = 0;
  const one = async () => {
    while (sent < count) {
      const first = sent;
      sent += eventsPerRequest;
      const events = Array.from({ length: eventsPerRequest }, (_, i) => ({
        name: "order-shipped",
        to: `buyer-${(first + i) % subscribers}`,
        payload: { order: String(4711 + first + i), city: "Reykjavík", items: [{ sku: "A-1", quantity: 2 }] },
      }));
      const response = await fetch(`${service.url}/v1/events/trigger/bulk`, {
        method: "POST",
        headers: {
          authorization: `ApiKey ${service.apiKey}`,
          "content-type": "application/json",
          "idempotency-key": randomUUID(),
        },
        body: JSON.stringify({ events }),
      });
      const results = (await response.json()) as { status: string }[];
      if (response.status !== 201 || results.some((result) => result.status !== "processed")) {
        throw new Error(`bulk trigger answered ${response.status}: ${JSON.stringify(results).slice(0, 200)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, one));
}

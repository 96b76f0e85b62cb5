// In-app notifications per second, from HTTP bulk trigger to rows visible in the feed, compared with the raw limit
// (raw.ts). The same rounds tell what one notification costs (CPU, WAL, disk) and how much is still to be worked on
// when accepting has ended.
import { openDb } from "@tidings/server/source/store/db";
import { partitionedTables } from "@tidings/server/source/store/installation/partitions";
import { median } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { fireInApp, prepareInApp } from "./load.ts";
import { besideRaw, clear, countSent, measureRaw, type RawRates, visible } from "./raw.ts";
import type { BenchService } from "./support.ts";
import { formatNumber, type Row, ratioAtLeast, valueAtMost } from "./table.ts";
import { readTableBytes, readUsage, type Usage, usagePer } from "./usage.ts";

type Round = { service: number; accepted: number; raw: RawRates; backlog: number; bytes: number; usage: Usage };

export async function benchInApp(service: BenchService, events: number, rounds: number): Promise<Row[]> {
  const db = openDb({ url: service.databaseUrl, poolSize: 4, onError: () => {} });
  try {
    await prepareInApp(service);
    // Until V8 has compiled what is used often, a notification takes half as long again.
    progress(`${formatNumber(2 * events)} events as a warm-up …`);
    await fireInApp(service, 2 * events);
    await visible(db, 2 * events);
    const found: Round[] = [];
    for (let round = 1; round <= rounds; round++) {
      await clear(db);
      progress(`round ${round} of ${rounds}: ${formatNumber(events)} events through the service …`);
      const before = await readUsage(db, service);
      const started = performance.now();
      await fireInApp(service, events);
      const acceptedSeconds = (performance.now() - started) / 1000;
      const backlog = (events - (await countSent(db))) / events;
      await visible(db, events);
      const seconds = (performance.now() - started) / 1000;
      const usage = usagePer(before, await readUsage(db, service), events);
      const bytes = (await readTableBytes(db, partitionedTables)) / events;
      progress(`round ${round} of ${rounds}: the same rows, written raw …`);
      const raw = await measureRaw(db, events);
      const rates = { service: events / seconds, accepted: events / acceptedSeconds, raw };
      progress(
        `service ${formatNumber(rates.service)}/s, raw ${formatNumber(raw.insert)}/s inserted, ${formatNumber(raw.copy)}/s copied`,
      );
      found.push({ ...rates, backlog, bytes, usage });
    }
    return toRows(found, events);
  } finally {
    await db.destroy();
  }
}

function toRows(found: Round[], events: number): Row[] {
  const middle = (read: (round: Round) => number) => median(found.map(read));
  return [
    ...besideRaw(`in-app, HTTP bulk trigger → feed, ${formatNumber(events)} events`, found, ratioAtLeast(0.6)),
    { what: "in-app, accepted (201)", value: middle((round) => round.accepted), unit: "/s" },
    {
      what: "in-app, CPU of service + PostgreSQL a notification",
      value: middle(({ usage }) => usage.serviceMs + usage.postgresMs),
      unit: "ms",
      aim: valueAtMost(0.17),
    },
    { what: "in-app, CPU of the service", value: middle(({ usage }) => usage.serviceMs), unit: "ms" },
    { what: "in-app, CPU of PostgreSQL", value: middle(({ usage }) => usage.postgresMs), unit: "ms" },
    {
      what: "in-app, backlog when accepting has ended",
      value: 100 * middle((round) => round.backlog),
      unit: "% of the events",
      aim: valueAtMost(10),
    },
    {
      what: "in-app, WAL a notification",
      value: middle(({ usage }) => usage.walBytes) / 1000,
      unit: "kB",
      aim: valueAtMost(1.6),
    },
    { what: "in-app, WAL syncs of 1,000 notifications", value: 1000 * middle(({ usage }) => usage.walSyncs), unit: "" },
    { what: "in-app, commits of 1,000 notifications", value: 1000 * middle(({ usage }) => usage.commits), unit: "" },
    {
      what: "in-app, disk a notification, tables and indexes",
      value: middle((round) => round.bytes) / 1000,
      unit: "kB",
    },
  ];
}

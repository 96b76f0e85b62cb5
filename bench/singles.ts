// Requests with one event each, by several clients at once: how many a second, and how long one takes until it is
// accepted, which is when its message is in the feed. Requests that wait for their turn share a transaction
// (docs/decisions/0024-shared-transactions.md).
import { percentile } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import { fireSingle, prepareInApp } from "./load.ts";
import type { BenchService } from "./support.ts";
import { formatNumber, type Row } from "./table.ts";

const clientCounts = [1, 8, 32, 100];

export async function benchSingles(service: BenchService, triggers: number): Promise<Row[]> {
  await prepareInApp(service);
  progress(`${formatNumber(2 * triggers)} single triggers as a warm-up …`);
  await fireSingles(service, 2 * triggers, 8);
  const rows: Row[] = [];
  for (const clients of clientCounts) {
    progress(`${formatNumber(triggers)} single triggers by ${clients} clients …`);
    const started = performance.now();
    const times = await fireSingles(service, triggers, clients);
    const rate = triggers / ((performance.now() - started) / 1000);
    const what = `singles, by ${clients} client${clients === 1 ? "" : "s"} at once`;
    rows.push({ what, value: rate, unit: "/s" });
    for (const share of [0.5, 0.99]) {
      rows.push({ what: `${what}, accepted (201), p${100 * share}`, value: percentile(times, share), unit: "ms" });
    }
  }
  return rows;
}

/** Returns how long each request took, in ms. */
async function fireSingles(service: BenchService, count: number, clients: number): Promise<number[]> {
  let sent = 0;
  const times: number[] = [];
  const work = async () => {
    while (sent < count) {
      const started = performance.now();
      await fireSingle(service, sent++);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  return times;
}

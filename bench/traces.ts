// What traces cost: in-app notifications per second with traces off, and with a tenth and all of them sent to a
// collector that only counts. The three services run at once and take turns, so that a busy machine is busy for all.
import { openDb } from "@tidings/server/source/store/db";
import { median } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import type { Settings } from "@tidings/testkit/programs/service";
import { fireInApp, prepareInApp } from "./load.ts";
import { clear, visible } from "./raw.ts";
import { startSink } from "./sinks.ts";
import { type BenchService, startBenchService } from "./support.ts";
import { formatNumber, type Row } from "./table.ts";
import { readUsage, usagePer } from "./usage.ts";

type Round = { perSecond: number; serviceMs: number; spansPerSecond: number; spansPerEvent: number };
type Contender = { name: string; service: BenchService; rounds: Round[] };

const settings: Record<string, Settings> = {
  "traces off": {},
  "a tenth of the traces": { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" },
  "all traces": { OTEL_TRACES_SAMPLER: "parentbased_always_on" },
};

export async function benchTraces(events: number, rounds: number): Promise<Row[]> {
  const sink = await startSink("spans");
  const collector = `http://127.0.0.1:${sink.port}`;
  const exported = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_METRICS_EXPORTER: "none",
    OTEL_BSP_SCHEDULE_DELAY: "500",
  };
  const contenders: Contender[] = [];
  try {
    for (const [name, own] of Object.entries(settings)) {
      const isOn = Object.keys(own).length > 0;
      contenders.push({ name, service: await startBenchService(isOn ? { ...exported, ...own } : {}), rounds: [] });
    }
    for (const { service } of contenders) await prepareInApp(service);
    // Round 0 is a warm-up.
    for (let round = 0; round <= rounds; round++) {
      for (const one of contenders) {
        progress(`round ${round} of ${rounds}, ${one.name}: ${formatNumber(events)} events …`);
        const measured = await measure(one.service, events, collector);
        if (round > 0) one.rounds.push(measured);
      }
    }
    return contenders.flatMap((one) => toRows(one, contenders[0]!));
  } finally {
    for (const { service } of contenders) await service.stop();
    sink.stop();
  }
}

async function measure(service: BenchService, events: number, collector: string): Promise<Round> {
  const db = openDb({ url: service.databaseUrl, poolSize: 2, onError: () => {} });
  try {
    await clear(db);
    const spansBefore = await countSpans(collector);
    const before = await readUsage(db, service);
    const started = performance.now();
    await fireInApp(service, events);
    await visible(db, events);
    const seconds = (performance.now() - started) / 1000;
    const spans = (await waitForSpans(collector)) - spansBefore;
    // The usage has that of the last exports.
    const { serviceMs } = usagePer(before, await readUsage(db, service), events);
    return { perSecond: events / seconds, serviceMs, spansPerSecond: spans / seconds, spansPerEvent: spans / events };
  } finally {
    await db.destroy();
  }
}

const countSpans = async (collector: string): Promise<number> => Number(await (await fetch(collector)).text());

/** Until no more arrive. */
async function waitForSpans(collector: string): Promise<number> {
  for (let last = -1; ; ) {
    const count = await countSpans(collector);
    if (count === last) return count;
    last = count;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

function toRows({ name, rounds }: Contender, off: Contender): Row[] {
  const middle = (of: Round[], read: (round: Round) => number) => median(of.map(read));
  const compare = (what: string, unit: string, read: (round: Round) => number): Row => {
    const [value, base] = [middle(rounds, read), middle(off.rounds, read)];
    return {
      what,
      value,
      unit,
      ...(rounds === off.rounds ? {} : { beside: { what: "off", value: base }, ratio: value / base }),
    };
  };
  return [
    compare(`in-app, ${name}`, "/s", ({ perSecond }) => perSecond),
    compare(`in-app, ${name}, CPU of the service a notification`, "ms", ({ serviceMs }) => serviceMs),
    ...(rounds === off.rounds
      ? []
      : [
          { what: `spans, ${name}`, value: middle(rounds, ({ spansPerSecond }) => spansPerSecond), unit: "/s" },
          {
            what: `spans of a notification, ${name}`,
            value: middle(rounds, ({ spansPerEvent }) => spansPerEvent),
            unit: "",
          },
        ]),
  ];
}

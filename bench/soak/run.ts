// `npm run soak`: the service at half of its capacity for half an hour, with 500 live inboxes, and a report on whether
// memory, files, threads, tables and times stay level. Ends with 1 if something was lost.
//
//   npm run soak                        30 minutes
//   npm run soak -- --minutes 5         --inboxes 500, --every 10 (seconds between samples)
//   npm run soak -- --rate 500          events a second, instead of half of what is measured first
//   npm run soak -- --set TIDINGS_RETENTION_DAYS=1      a setting of the service, repeatable
//
// The report is in /soak-results (not committed). Figures of processes are those of Linux.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Db, openDb } from "@tidings/server/source/store/db";
import { progress } from "@tidings/testkit/load/progress";
import { sleep } from "@tidings/testkit/programs/limits";
import { encryptionKey } from "../live.ts";
import { startSink } from "../sinks.ts";
import { type BenchService, startBenchService } from "../support.ts";
import { describeMachine, formatNumber } from "../table.ts";
import { type Inboxes, openInboxes } from "./inboxes.ts";
import { countMissingLive, findLosses } from "./losses.ts";
import { formatSummary, judgeSoak, type Minute, type Soak, wasLost, writeReport } from "./report.ts";
import { createSampler, type Sample, valuesOf } from "./samples.ts";
import { createTraffic, longestWaitMs, prepareTraffic, type Traffic } from "./traffic.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    inboxes: { type: "string", default: "500" },
    every: { type: "string", default: "10" },
    rate: { type: "string" },
    set: { type: "string", multiple: true, default: [] },
  },
});

function positive(name: "minutes" | "inboxes" | "every" | "rate"): number {
  const given = Number(values[name]);
  if (given > 0) return given;
  console.error(`--${name} must be a number above 0`);
  process.exit(2);
}
const minutes = positive("minutes");
const inboxCount = positive("inboxes");
const everyMs = 1_000 * positive("every");
const givenRate = values.rate === undefined ? null : positive("rate");

const calibration = { clients: 32, seconds: Math.min(30, 10 * minutes) };
/** The run's own upkeep, before and after the load. */
const extraMs = 30 * 60_000;

async function run(): Promise<Soak> {
  const machine = describeMachine();
  const date = new Date().toISOString().slice(0, 16).replace("T", " ");
  const settings = Object.fromEntries(values.set.map((one) => one.split(/=(.*)/s).slice(0, 2)));
  const sinks = { smtp: await startSink("smtp"), http: await startSink("http") };
  const service = await startBenchService({
    TIDINGS_ENCRYPTION_KEY: encryptionKey,
    TIDINGS_RATE_INBOX: "0",
    ...settings,
  });
  const db = openDb({ url: service.databaseUrl, poolSize: 2, statementMs: 1_800_000, onError: () => {} });
  let inboxes: Inboxes | null = null;
  try {
    await prepareTraffic(service, sinks);
    const traffic = createTraffic(service);
    inboxes = await openInboxes(service, inboxCount, minutes * 60_000 + extraMs);
    const capacity = givenRate === null ? await measureCapacity(service, traffic) : null;
    const perSecond = givenRate ?? capacity! / 2;
    traffic.takeTimes();
    inboxes.takeTimes();
    progress(`${formatNumber(perSecond)} events a second for ${minutes} minutes …`);
    const measured = await measureLoad({ service, db, traffic, inboxes, perSecond });
    progress("waiting for the last messages …");
    await waitUntilIdle(service);
    const missingLive = await waitForInboxes(db, inboxes);
    const losses = await findLosses(db, { numbers: traffic.sent(), unknown: traffic.unknown });
    const counts = {
      "accepted events": traffic.accepted(),
      "events in requests that failed": traffic.unknown.length,
      "requests that were not sent in time": traffic.late(),
      "messages in live inboxes": inboxes.arrived.size,
      "marks as read": inboxes.marks(),
      ...Object.fromEntries([...inboxes.failedMarks].map(([status, count]) => [`marks with status ${status}`, count])),
      "live connections that the service closed": inboxes.closed(),
    };
    const twiceLive = inboxes.twice();
    return {
      machine,
      date,
      capacity,
      perSecond,
      inboxes: inboxCount,
      ...measured,
      losses,
      counts,
      missingLive,
      twiceLive,
    };
  } finally {
    inboxes?.close();
    await db.destroy();
    await service.stop();
    sinks.smtp.stop();
    sinks.http.stop();
  }
}

/** Events a second, from the first request until nothing that is due waits. */
async function measureCapacity(service: BenchService, traffic: Traffic): Promise<number> {
  progress(`${calibration.seconds} s as a warm-up, then ${calibration.seconds} s at full load …`);
  await traffic.runClosed(calibration.clients, calibration.seconds);
  await waitUntilIdle(service);
  const [begun, before] = [performance.now(), traffic.accepted()];
  await traffic.runClosed(calibration.clients, calibration.seconds);
  await waitUntilWorkedOff(service);
  const capacity = (traffic.accepted() - before) / ((performance.now() - begun) / 1_000);
  progress(`capacity of the mix: ${formatNumber(capacity)} events a second`);
  await waitUntilIdle(service);
  return capacity;
}

type Load = { service: BenchService; db: Db; traffic: Traffic; inboxes: Inboxes; perSecond: number };

async function measureLoad({ service, db, traffic, inboxes, perSecond }: Load) {
  const samples: Sample[] = [];
  const timed: Minute[] = [];
  const sample = createSampler(service, db);
  const acceptedBefore = traffic.accepted();
  const begun = performance.now();
  const end = begun + minutes * 60_000;
  const minuteNow = () => (performance.now() - begun) / 60_000;
  await sample(0, 0);
  const load = traffic.runPaced(perSecond, end);
  while (performance.now() < end) {
    await sleep(Math.min(everyMs, Math.max(0, end - performance.now())));
    samples.push(await sample(minuteNow(), traffic.accepted() - acceptedBefore));
    if (minuteNow() < timed.length + 1) continue;
    timed.push({ minute: timed.length + 1, accepted: traffic.takeTimes(), arrived: inboxes.takeTimes() });
    if (timed.length % 5 === 0)
      progress(`${timed.length} of ${minutes} minutes, ${samples.at(-1)!.serviceMb.toFixed(0)} MB`);
  }
  await load;
  return { samples, minutes: timed };
}

const idleLimitMs = 10 * 60_000;

async function waitFor(isDone: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + idleLimitMs;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`waited ten minutes for ${what}`);
    await sleep(500);
  }
}

const readMetrics = async ({ url }: BenchService): Promise<string> => (await fetch(`${url}/metrics`)).text();

/** Nothing that is due waits; delays and digests may. */
const waitUntilWorkedOff = (service: BenchService): Promise<void> =>
  waitFor(async () => {
    const text = await readMetrics(service);
    const inWork = [...text.matchAll(/^tidings_queue_depth\{kind="(?:trigger|fanout|deliver)"\} (\d+)$/gm)];
    const isDue = valuesOf(text, "tidings_queue_oldest_seconds").some((seconds) => seconds > 0);
    return !isDue && inWork.length > 0 && inWork.every(([, depth]) => depth === "0");
  }, "the work that is due");

/** Chores and the next pass over the alert rules always wait for their time. */
const isScheduled = (kind: string): boolean => kind === "housekeeping" || kind === "alert";

/** Delays and digests have ended too. */
async function waitUntilIdle(service: BenchService): Promise<void> {
  await sleep(longestWaitMs);
  await waitFor(async () => {
    const depths = [...(await readMetrics(service)).matchAll(/^tidings_queue_depth\{kind="(\w+)"\} (\d+)$/gm)];
    return depths.length > 0 && depths.every(([, kind, depth]) => isScheduled(kind!) || depth === "0");
  }, "an empty queue");
}

/** How many messages have not arrived after all that time. */
async function waitForInboxes(db: Db, { subscriberIds, arrived }: Inboxes): Promise<number> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const missing = await countMissingLive(db, subscriberIds, arrived);
    if (missing === 0 || performance.now() > deadline) return missing;
    await sleep(1_000);
  }
}

const soak = await run();
const curves = judgeSoak(soak);
const folder = join(fileURLToPath(new URL("../../soak-results", import.meta.url)), soak.date.replace(/[ :]/g, "-"));
const path = writeReport(folder, soak, curves);
console.log(`\n${soak.date}, ${soak.machine}\n\n${formatSummary(curves)}\n`);
console.log(
  JSON.stringify({ ...soak.counts, ...soak.losses, missingLive: soak.missingLive, twiceLive: soak.twiceLive }),
);
console.log(wasLost(soak) ? "\nSOMETHING WAS LOST" : "\nNothing was lost.");
console.log(`The report: ${path}`);
process.exit(wasLost(soak) ? 1 : 0);

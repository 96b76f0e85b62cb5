// A small run that never took place: two minutes, a request every half second, three kinds of failures. Tests change
// parts of it, and write it as evidence.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "@tidings/testkit/at-end";
import {
  type Audit,
  type Call,
  type Delivery,
  type FaultRecord,
  type Final,
  files,
  type Run,
  type StreamEvent,
  type Verdict,
} from "../../../../scripts/auditor/evidence.ts";

export const start = Date.UTC(2026, 10, 18, 20);
const loadMs = 120_000;

/** Every request that is sent while PostgreSQL is down fails every second, and is accepted when it is back. */
const outage = { from: start + 40_000, to: start + 50_000 };
/** The stream of the live inbox is slow meanwhile. */
const frozen = { from: start + 90_000, to: start + 92_000 };

export const kept = (promise: string, checked: number): Verdict => ({
  ...{ promise, title: `The promise ${promise} is kept`, checked, broken: [], brokenCount: 0 },
});

export type Sample = {
  run: Run;
  calls: Call[];
  streams: StreamEvent[];
  deliveries: Delivery[];
  faults: FaultRecord[];
  finals: Final[];
  audit: Audit | null;
};

const openStream = (subscriberId: string): StreamEvent => ({
  ...{ environment: "red", subscriberId, connection: 1, at: start, name: "open" },
});

export function createSample(): Sample {
  const calls: Call[] = [];
  const streams: StreamEvent[] = [openStream("ada"), openStream("grace")];
  const deliveries: Delivery[] = [];
  for (let number = 0; number < loadMs / 500; number++) {
    const sentAt = start + number * 500;
    const text = `red-now-${number}`;
    const common = { request: `r${number}`, client: "c1", environment: "red", operation: "trigger", url: "a" } as const;
    let [at, attempt] = [sentAt, 1];
    while (at >= outage.from && at < outage.to) {
      calls.push({ ...common, attempt: attempt++, at, endedAt: at + 5, status: 503, fault: "DATABASE_UNAVAILABLE" });
      at += 1_000;
    }
    const endedAt = at + 20 + (number % 10);
    // Ada has a live inbox, and Tim has none.
    const to = number % 4 === 0 ? ["ada", "tim"] : ["ada"];
    calls.push({ ...common, attempt, at, endedAt, status: 201, events: [{ text, workflowId: "now", to }] });
    const delay = sentAt >= frozen.from && sentAt < frozen.to ? 3_000 : 15;
    const seen = { environment: "red", subscriberId: "ada", connection: 1, name: "notification" } as const;
    streams.push({ ...seen, at: endedAt + delay, messageId: `m${number}`, text });
    if (number % 8 === 0) {
      const delivery = { provider: "sms", messageId: `s${number}`, to: "+49151", text } as const;
      deliveries.push({ ...delivery, at, answeredAt: at + 9, answer: number % 16 === 0 ? "lost" : "accepted" });
      // After a lost response the service repeats the call.
      if (number % 16 === 0) deliveries.push({ ...delivery, at: at + 900, answeredAt: at + 910, answer: "accepted" });
    }
  }
  const faults: FaultRecord[] = [
    { fault: "kill-database", target: "primary", startedAt: outage.from, endedAt: outage.to },
    { fault: "provider-hangs", target: "smtp", startedAt: outage.from + 2_000, endedAt: outage.to + 1_000 },
    { fault: "stop-thread", target: "process-1", startedAt: frozen.from, endedAt: frozen.to },
    { fault: "disk-full", target: "primary", startedAt: start, endedAt: start, problem: "needs root" },
  ];
  const run: Run = {
    ...{ seed: 7, startedAt: start, loadEndedAt: start + loadMs, endedAt: start + loadMs + 5_000, plan: [] },
    isDrained: true,
    versions: { tidings: "0.1.0, abc1234", node: "v24.21.0", postgres: "18.1" },
    machine: { cores: 2, memoryGb: 8, platform: "linux x64" },
    environments: [{ name: "red", id: "e1", people: [], topics: [] }],
    workflows: [{ workflowId: "now", promise: { kind: "in_app" } }],
  };
  const audit: Audit = { at: start + loadMs, seed: 7, verdicts: [kept("one", 1_200), kept("two", 34)], figures: {} };
  return { run, calls, streams, deliveries, faults, finals: [], audit };
}

/** Returns the folder. */
export function writeSample({ run, audit, calls, streams, deliveries, faults, finals }: Sample): string {
  const folder = makeFolder();
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
  const lines = (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  write(files.run, JSON.stringify(run));
  if (audit) write(files.audit, JSON.stringify(audit));
  write(files.calls, lines(calls));
  write(files.streams, lines(streams));
  write(files.deliveries, lines(deliveries));
  write(files.faults, lines(faults));
  write(files.finals, lines(finals));
  return folder;
}

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tidings-report-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Reads the evidence of a run. Lines that cannot be read are counted, because the report has to mention them: a file
// may have been cut off.
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Audit,
  type Call,
  type Delivery,
  type FaultRecord,
  files,
  type Run,
  type StreamEvent,
} from "../../auditor/evidence.ts";

/** A process of the service that ended although no failure that was caused had ended it. */
type Crash = { process: string; at: number; code: number | null; signal: string | null; faults?: string[] };

/** Written by the stage, which starts the processes. */
const crashesFile = "crashes.jsonl";

export type Evidence = {
  run: Run;
  calls: Call[];
  /** In-app messages with their texts, as live inboxes received them. */
  arrivals: StreamEvent[];
  /** Connections of live inboxes that were opened, with the inboxes that opened them. */
  connections: number;
  liveInboxes: Set<string>;
  deliveries: Delivery[];
  faults: FaultRecord[];
  finals: number;
  crashes: Crash[];
  /** Null if no auditor has judged the run. */
  audit: Audit | null;
  unreadable: number;
};

export const inboxOf = (one: { environment: string; subscriberId: string }): string =>
  `${one.environment} ${one.subscriberId}`;

export async function readEvidence(folder: string): Promise<Evidence> {
  const path = join(folder, files.run);
  if (!existsSync(path)) throw new Error(`${folder} has no ${files.run}: it is not the evidence of a run`);
  const run = JSON.parse(readFileSync(path, "utf8")) as Run;
  if (run.endedAt < run.startedAt) throw new Error("the run has not ended, or was cut off: it has no report");
  const audit = existsSync(join(folder, files.audit))
    ? (JSON.parse(readFileSync(join(folder, files.audit), "utf8")) as Audit)
    : null;
  const evidence: Evidence = {
    ...{ run, audit, calls: [], arrivals: [], connections: 0, liveInboxes: new Set() },
    ...{ deliveries: [], faults: [], finals: 0, crashes: [], unreadable: 0 },
  };
  const readInto = async <T>(name: string, keep: (line: T) => void) => {
    evidence.unreadable += await readLines(join(folder, name), keep);
  };
  await readInto<Call>(files.calls, (call) => evidence.calls.push(call));
  await readInto<StreamEvent>(files.streams, (event) => {
    if (event.name === "notification" && event.text !== undefined) evidence.arrivals.push(event);
    if (event.name !== "open") return;
    evidence.connections++;
    evidence.liveInboxes.add(inboxOf(event));
  });
  await readInto<Delivery>(files.deliveries, (delivery) => evidence.deliveries.push(delivery));
  await readInto<FaultRecord>(files.faults, (record) => evidence.faults.push(record));
  await readInto<unknown>(files.finals, () => evidence.finals++);
  await readInto<Crash>(crashesFile, (crash) => evidence.crashes.push(crash));
  evidence.faults.sort((a, b) => a.startedAt - b.startedAt);
  return evidence;
}

/** Returns how many lines were not JSON. A file that does not exist has no lines. */
async function readLines<T>(path: string, keep: (line: T) => void): Promise<number> {
  if (!existsSync(path)) return 0;
  let unreadable = 0;
  const take = (line: string) => {
    if (line === "") return;
    try {
      keep(JSON.parse(line) as T);
    } catch {
      unreadable++;
    }
  };
  // Not node:readline, which also splits at separators that JSON allows in a text.
  let rest = "";
  for await (const chunk of createReadStream(path, { encoding: "utf8", highWaterMark: 1 << 20 })) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    for (const line of lines) take(line);
  }
  take(rest);
  return unreadable;
}

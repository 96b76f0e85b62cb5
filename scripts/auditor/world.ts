// All that the promises are compared with: the evidence in memory, in short, and the rows.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Database, openDatabase } from "./database.ts";
import { type Deliveries, readDeliveries } from "./deliveries.ts";
import {
  type Call,
  type Delivery,
  type FaultRecord,
  type Final,
  files,
  type Run,
  type StreamEvent,
} from "./evidence.ts";
import { type Finals, readFinals } from "./finals.ts";
import { type EventEntry, keyOf, type Ledger, readLedger } from "./ledger.ts";
import { EvidenceError, readLines } from "./read-lines.ts";
import { type Rows, readRows } from "./rows.ts";
import { readStreams, type Streams } from "./streams.ts";
import { createTexts, type Texts } from "./texts.ts";

export type World = {
  run: Run;
  ledger: Ledger;
  texts: Texts;
  finals: Finals;
  streams: Streams;
  deliveries: Deliveries;
  faults: FaultRecord[];
  /** The events that each person was to get, by environment and person. */
  wanted: Map<string, EventEntry[]>;
  /** Null where the auditor has only the files. */
  database: Database | null;
  rows: Rows | null;
  lines: number;
};

export type Sources = { folder: string; databaseUrl?: string };

/** Whoever opens it closes its database. */
export async function openWorld({ folder, databaseUrl }: Sources): Promise<World> {
  const run = await readRun(folder);
  const evidence = await readEvidence(folder, run);
  requireInboxes(run, evidence.finals);
  const names = run.environments.map(({ name }) => name);
  const texts = createTexts(evidence.ledger, names);
  const database = databaseUrl === undefined ? null : await openDatabase(databaseUrl);
  try {
    const rows = database && (await readRows(database, run, evidence.ledger));
    return { run, ...evidence, texts, wanted: listWanted(evidence.ledger), database, rows };
  } catch (error) {
    await database?.close();
    throw new EvidenceError(`the database cannot be read: ${(error as Error).message}`);
  }
}

async function readRun(folder: string): Promise<Run> {
  let run: Run;
  try {
    run = JSON.parse(await readFile(join(folder, files.run), "utf8"));
  } catch (error) {
    throw new EvidenceError(`${files.run} cannot be read: ${(error as Error).message}`);
  }
  for (const member of ["environments", "workflows"] as const) {
    if (!Array.isArray(run?.[member])) throw new EvidenceError(`${files.run} has no ${member}`);
  }
  for (const member of ["seed", "startedAt", "loadEndedAt", "endedAt"] as const) {
    if (typeof run[member] !== "number") throw new EvidenceError(`${files.run} has no ${member}`);
  }
  // Its end is written when clients have read everything. Before, nothing is late, and much is missing.
  if (run.endedAt < run.loadEndedAt || run.loadEndedAt < run.startedAt) {
    throw new EvidenceError(`the run has not ended, or was cut off: ${files.run} has no end`);
  }
  return run;
}

/** Clients read the inbox of every person. */
function requireInboxes({ environments }: Run, { inboxes }: Finals): void {
  for (const { name, people } of environments) {
    const missing = people.find(({ subscriberId }) => !inboxes.has(keyOf(name, subscriberId)));
    if (missing) throw new EvidenceError(`${files.finals} has no inbox of ${missing.subscriberId} in ${name}`);
  }
}

async function readEvidence(folder: string, run: Run) {
  const at = (file: keyof typeof files) => join(folder, files[file]);
  const ledger = readLedger(run);
  const callMembers = { request: "string", environment: "string", operation: "string", at: "number" } as const;
  let lines = await readLines<Call>(at("calls"), callMembers, ledger.add);
  const streams = readStreams();
  const streamMembers = { environment: "string", subscriberId: "string", at: "number", name: "string" } as const;
  lines += await readLines<StreamEvent>(at("streams"), streamMembers, streams.add);
  const deliveries = readDeliveries();
  const deliveryMembers = {
    messageId: "string",
    at: "number",
    to: "string",
    text: "string",
    answer: "string",
  } as const;
  lines += await readLines<Delivery>(at("deliveries"), deliveryMembers, deliveries.add);
  const faults: FaultRecord[] = [];
  const faultMembers = { fault: "string", startedAt: "number", endedAt: "number" } as const;
  lines += await readLines<FaultRecord>(at("faults"), faultMembers, (fault) => void faults.push(fault));
  const finals = readFinals();
  lines += await readLines<Final>(at("finals"), { kind: "string", environment: "string" }, finals.add);
  return {
    ledger: ledger.end(),
    streams: streams.end(),
    deliveries: deliveries.end(),
    faults,
    finals: finals.end(),
    lines,
  };
}

function listWanted({ events }: Ledger): Map<string, EventEntry[]> {
  const wanted = new Map<string, EventEntry[]>();
  for (const entry of events.values()) {
    for (const person of entry.to) {
      const key = keyOf(entry.environment, person);
      const own = wanted.get(key);
      if (own) own.push(entry);
      else wanted.set(key, [entry]);
    }
  }
  return wanted;
}

// What the parts of a chaos run hand to each other: the stage (PostgreSQL, processes of the service, proxies) to the
// load, and the load's receivers to the faults.
import type { Call, Delivery, FaultRecord, Final, Run, StreamEvent } from "../auditor/evidence.ts";

/** Where the service is. Addresses stay the same for the whole run, even when processes are killed and replaced. */
export type Stage = {
  /** One address per process of the service. */
  urls: string[];
  apiKey: string;
  encryptionKey: string;
  /** The address of the primary past all proxies, which changes at a failover. */
  databaseUrl(): string;
};

/** Writes the evidence to its folder. Writes are buffered; `close` waits until they are on disk. */
export type EvidenceWriter = {
  folder: string;
  call(call: Call): void;
  stream(event: StreamEvent): void;
  delivery(delivery: Delivery): void;
  fault(record: FaultRecord): void;
  final(final: Final): void;
  run(run: Run): void;
  close(): Promise<void>;
};

/** What fake providers do with new messages until it is changed. `normal` still mistreats some messages at first. */
export type ProviderMood = "normal" | "fails" | "hangs" | "loses-answers" | "answers-twice";

export type ChaosLoad = {
  /** What was created before the load: goes into run.json. */
  described: Pick<Run, "environments" | "workflows">;
  start(): void;
  setMood(provider: "smtp" | "sms", mood: ProviderMood): void;
  /** For the line of progress: events accepted, requests failed, what is waiting. */
  figures(): Record<string, number>;
  /** No new requests; repeats those without a response for up to a minute. */
  stop(): Promise<void>;
  /** Waits until nothing is in progress, for `drainMs` at most; returns whether that was reached. */
  drain(drainMs: number): Promise<boolean>;
  /** Reads the finals as clients do, and writes them. */
  collectFinals(): Promise<void>;
  close(): Promise<void>;
};

export type LoadOptions = {
  seed: number;
  /** 1 is about 25 events a second. */
  pace: number;
  /** Live inboxes over all environments. */
  inboxes: number;
};

/** Creates environments, people, workflows and integrations through the API of a healthy service. */
export type PrepareLoad = (stage: Stage, evidence: EvidenceWriter, options: LoadOptions) => Promise<ChaosLoad>;

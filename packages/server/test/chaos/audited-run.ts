// A short run of the real service without faults: each kind of promise is made once or more in each of two
// environments, and clients record what they see. Returns the evidence and the database at rest.
import { atEnd } from "@tidings/testkit/at-end";
import type { TestDatabase } from "@tidings/testkit/database";
import { startTestService } from "@tidings/testkit/service";
import { eventually } from "@tidings/testkit/wait";
import type { Call, Final } from "../../../../scripts/auditor/evidence.ts";
import { startBroadcasts } from "../../../../scripts/chaos/load/broadcasts.ts";
import { createCaller } from "../../../../scripts/chaos/load/caller.ts";
import { drain } from "../../../../scripts/chaos/load/drain.ts";
import { createPlan } from "../../../../scripts/chaos/load/events.ts";
import { collectFinals } from "../../../../scripts/chaos/load/finals.ts";
import { closeConnections } from "../../../../scripts/chaos/load/http.ts";
import { openInboxes } from "../../../../scripts/chaos/load/inboxes.ts";
import { runSettings } from "../../../../scripts/chaos/load/integrations.ts";
import { startMailServer } from "../../../../scripts/chaos/load/mail-server.ts";
import type { Sampled } from "../../../../scripts/chaos/load/samples.ts";
import { startSmsGateway } from "../../../../scripts/chaos/load/sms-gateway.ts";
import { createEnvironments, describeWorld, type LoadEnvironment } from "../../../../scripts/chaos/load/world.ts";
import type { EvidenceWriter } from "../../../../scripts/chaos/parts.ts";
import { type Acted, type ActedEvent, actOut, createTriggers } from "./acts.ts";
import type { Sample } from "./evidence.ts";

const seed = 1;
const drainMs = 90_000;

/** `events`: by environment and by what is special about them. */
export type AuditedRun = { evidence: Sample; database: TestDatabase; events: Record<"north" | "south", Acted> };

export async function recordRun(): Promise<AuditedRun> {
  const startedAt = Date.now();
  const service = await startTestService({ ...runSettings, TIDINGS_DELIVERY_FIRST_WAIT: "300" });
  const { lists, writer } = openLists();
  const [smtp, sms] = [await startMailServer(writer, seed), await startSmsGateway(writer, seed)];
  const urls = [service.url];
  const stage = { urls, apiKey: service.apiKey, encryptionKey: "", databaseUrl: () => service.database.url };
  const options = { seed, pace: 1, inboxes: 8 };
  const environments = await createEnvironments(stage, { smtp: smtp.port, sms: sms.port }, options);
  const inboxes = await openInboxes(urls, environments, writer);
  atEnd(async () => {
    inboxes.close();
    await Promise.all([smtp.close(), sms.close()]);
    closeConnections();
  });
  await eventually(() => inboxes.areReady(), "live inboxes");

  const caller = createCaller({ urls, evidence: writer, seed });
  const plan = createPlan();
  // Sent before the others: the mood holds for every message.
  sms.moods.set("loses-answers");
  const tools = { service, caller, plan, calls: lists.calls };
  for (const environment of environments) await createTriggers(environment, tools).one("texted", 19);
  await eventually(() => lists.deliveries.length >= environments.length, "messages whose responses are lost");
  sms.moods.set("normal");
  const [north, south] = await Promise.all(environments.map((environment) => actOut(environment, tools)));
  const clients = { plan, figures: () => ({ events: 0, skipped: 0 }), follow() {}, start() {}, stop() {} };
  startBroadcasts({ environments, caller, clients, pace: 1 }).stop();
  const isSent = ({ operation, status, client }: Call) =>
    operation === "broadcast" && client === "author" && status !== null && status < 300;
  await eventually(() => lists.calls.filter(isSent).length === environments.length, "broadcasts");
  await caller.settle();

  const loadEndedAt = Date.now();
  const { isDrained, left } = await drain(stage, environments, drainMs);
  if (!isDrained) throw new Error(`still in progress: ${JSON.stringify(left)}`);
  const sampled = [north!, south!].flatMap((acted, n) => sampleOf(environments[n]!, acted));
  await collectFinals({ urls, environments, evidence: writer, sampled });
  await eventually(() => areStreamsComplete(lists), "all messages in the streams");
  const run = { ...emptyRun, ...describeWorld(environments), startedAt, loadEndedAt, isDrained, endedAt: Date.now() };
  // The service and its clients may continue: it is a copy that is audited.
  const evidence = structuredClone({ ...lists, run, audit: null });
  const database = await service.database.copy();
  atEnd(() => database.drop());
  return { evidence, database, events: { north: north!, south: south! } };
}

/** Some faults remove the message of an event whose explanation no client has read: `plain`, `delayed`. */
const sampleOf = (environment: LoadEnvironment, acted: Acted): Sampled[] =>
  [acted.limited, acted.committed, acted.mailed, acted.texted, acted.unmet, acted.unwanted, acted.switchedOff]
    .concat([acted.canceledMail, acted.retractedText, acted.delayedText])
    .concat([acted.canceled, acted.signaled, acted.timedOut, acted.retracted, acted.live])
    .flat()
    .map(({ transactionId, to }: ActedEvent) => ({ environment, transactionId, subscriberId: to[0]! }));

const emptyRun = {
  ...{ seed, plan: [], versions: { tidings: "0", node: process.version, postgres: "18" } },
  machine: { cores: 1, memoryGb: 1, platform: process.platform },
};

type Lists = Omit<Sample, "run" | "audit">;

function openLists(): { lists: Lists; writer: EvidenceWriter } {
  const lists: Lists = { calls: [], streams: [], deliveries: [], faults: [], finals: [] };
  const writer: EvidenceWriter = {
    folder: "",
    call: (call) => void lists.calls.push(call),
    stream: (event) => void lists.streams.push(event),
    delivery: (delivery) => void lists.deliveries.push(delivery),
    fault: (fault) => void lists.faults.push(fault),
    final: (final) => void lists.finals.push(final),
    run() {},
    async close() {},
  };
  return { lists, writer };
}

const isInbox = (final: Final): final is Extract<Final, { kind: "inbox" }> => final.kind === "inbox";

/** Streams are faster than the lists that were read, but that is not promised. */
function areStreamsComplete({ finals, streams }: Lists): boolean {
  const received = new Set(streams.map(({ messageId }) => messageId));
  const live = new Set(streams.map(({ environment, subscriberId }) => `${environment} ${subscriberId}`));
  const lists = finals.filter(isInbox).filter((list) => live.has(`${list.environment} ${list.subscriberId}`));
  return lists.every(({ messages }) => messages.every(({ id }) => received.has(id)));
}

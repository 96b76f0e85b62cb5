// What new runs would do, without doing it: the same `advance()` as delivery, with time that jumps to wherever a run waits
// for, providers that accept everything, and claims that are answered by looking. Reads, and writes nothing.
import { createPauses, type Pauses } from "../../lib/pauses.ts";
import type { Db } from "../../store/db.ts";
import { findSuppressedAddresses } from "../../store/subscribers/subscribers.batch.ts";
import type { TenantEntry, TenantRow } from "../../store/subscribers/tenants.ts";
import type { Batch } from "../batch.ts";
import {
  findSuppressedRecipients,
  listRecipients,
  removedCopyDetails,
  suppressionReason,
} from "../deliver/recipients.ts";
import { detail } from "../rules/details.ts";
import { resultBefore } from "../rules/digests.ts";
import { advance } from "./advance.ts";
import { looking, settleClaims } from "./claims.ts";
import { loadFacts } from "./facts.ts";
import type { DigestResult, Facts, MessageDraft, Progress, Run, Verdict } from "./run.ts";

/** What the event would bring into its environment before its runs begin. */
export type News = {
  contexts: readonly { type: string; id: string; data?: Record<string, unknown> }[];
  tenant: TenantEntry | null;
};

/**
 * A run as it would end, and everything it would have made; `now` is when that would be. `digestedInto`: the notification
 * whose digest would take it in.
 */
export type Simulated = { run: Run; messages: MessageDraft[]; now: Date; digestedInto: string | null };

/** A step takes a few rounds at the most: a claim, a wait, a send. Workflows have 20 steps. */
const maxRounds = 100;

export async function simulate(batch: Batch, runs: Run[], news: News): Promise<Simulated[]> {
  const verdicts = new Map<string, Verdict>();
  const digests = new Map<string, DigestResult>();
  const facts = withNews(await loadFacts(batch, runs, verdicts, { digests }), runs, news);
  const all = runs.map(
    (run): Simulated => ({
      run,
      messages: [],
      now: batch.clock.now(run.environmentId),
      digestedInto: null,
    }),
  );
  const pauses = createPauses();
  let active = all;
  for (let round = 0; active.length > 0 && round < maxRounds; round++) {
    const claiming: Progress[] = [];
    const sending: Simulated[] = [];
    const going: Simulated[] = [];
    for (const one of active) {
      const progress = await advanceWithPauses(one, facts, pauses);
      one.digestedInto = progress.digestedInto;
      if (progress.claim) claiming.push(progress);
      if (progress.sending.length > 0) sending.push(one);
      const goesOn = progress.claim !== null || progress.sending.length > 0 || passWait(one, progress, facts, digests);
      if (goesOn) going.push(one);
    }
    active = going;
    await passSends(batch.db, sending);
    for (const [jobId, verdict] of await settleClaims(batch.db, claiming, looking)) verdicts.set(jobId, verdict);
  }
  return all;
}

/** What the run does last decides what comes next: until then it has neither claimed nor sent anything. */
async function advanceWithPauses(one: Simulated, facts: Facts, pauses: Pauses): Promise<Progress> {
  for (;;) {
    if (pauses.isDue()) await pauses.take();
    const progress = advance(one.run, facts, one.now, pauses.isDue);
    one.messages.push(...progress.messages);
    if (!progress.isPaused) return progress;
  }
}

/** Every provider accepts, at once, what may be sent to the address. */
async function passSends(db: Db, sending: Simulated[]): Promise<void> {
  const suppressed = await findSuppressedAddresses(
    db,
    sending.flatMap(({ run, messages }) =>
      messages
        .filter(({ status }) => status === "pending")
        .map((message) => ({ ...message, environment_id: run.environmentId, addresses: listRecipients(message) })),
    ),
  );
  for (const { run, messages, now } of sending) {
    const job = run.jobs.find(({ status }) => status === "queued")!;
    job.status = "completed";
    for (const message of messages.filter(({ status }) => status === "pending")) {
      const { own: stop, copies } = findSuppressedRecipients(message, message.providerId!, suppressed.get(message.id));
      message.status = stop ? "error" : "sent";
      if (!stop) {
        job.newDetails.push(...removedCopyDetails(copies, now));
        continue;
      }
      // Only email and SMS addresses can be suppressed, and such a step has one message.
      const reason = suppressionReason(stop);
      job.status = "failed";
      job.newDetails.push(detail("recipient_suppressed", now, { raw: { reason, suppressionId: stop.suppression_id } }));
      message.errorId = "provider_rejected";
      message.errorText = `The message was not sent: ${reason}`;
    }
    if (job.status === "failed") continue;
    job.newDetails.push(detail("message_sent", now, { providerId: job.providerId ?? undefined }));
  }
}

/** The run sleeps through; a digest that it leads closes with what it has brought itself. */
function passWait(one: Simulated, { wakeAt }: Progress, facts: Facts, digests: Map<string, DigestResult>): boolean {
  if (!wakeAt) return false;
  const job = one.run.jobs.find(({ status }) => status === "delayed");
  if (job?.step.type === "digest") digests.set(job.id, resultBefore(one.run, job.stepIndex, facts));
  if (wakeAt > one.now) one.now = wakeAt;
  return true;
}

/** Contexts that exist stay as they are; a tenant takes over what the event says about it. */
function withNews(facts: Facts, runs: Run[], { contexts, tenant }: News): Facts {
  const [first] = runs;
  if (!first) return facts;
  const { environmentId } = first;
  const created = contexts.map(({ type, id, data = {} }): [string, Record<string, unknown>] => [`${type}:${id}`, data]);
  const known = facts.contexts.get(environmentId) ?? new Map<string, Record<string, unknown>>();
  return {
    ...facts,
    contexts: new Map([[environmentId, new Map([...created, ...known])]]),
    tenants: tenant ? withTenant(facts.tenants, first, tenant) : facts.tenants,
  };
}

function withTenant(tenants: Facts["tenants"], { environmentId, event }: Run, given: TenantEntry): Facts["tenants"] {
  const { identifier, name, data } = given;
  const before = tenants.get(environmentId)?.get(identifier);
  const row: TenantRow = {
    environment_id: environmentId,
    identifier,
    name: name ?? before?.name ?? null,
    data: data ?? before?.data ?? {},
    created_at: before?.created_at ?? event.createdAt,
    updated_at: event.createdAt,
  };
  return new Map([[environmentId, new Map([[identifier, row]])]]);
}

// What happened to one notification: its steps in words, with their execution details, messages and attempts. For
// a notification that was merged into a digest, it adds what happened to the notification that carried the digest on.
import type { ExplainedMessage, Explanation } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { openAddress } from "../../pipeline/encrypted-parts.ts";
import { type KnownIntegrations, namesOf } from "../../pipeline/rules/delivery-text.ts";
import { type Marks, toMarks } from "../../pipeline/rules/step-results.ts";
import { findJobs, type JobRow } from "../../store/events/jobs.ts";
import { findNotification, findTransactionIds, type ListedNotification } from "../../store/events/notifications.ts";
import { findIntegrationsByIds, type IntegrationRow } from "../../store/integrations/integrations.ts";
import {
  type AttemptRow,
  findMessagesOfNotification,
  listAttempts,
  type StoredMessage,
} from "../../store/messages/messages.ts";
import { explainSteps, toExplainedMessage } from "./explain-view.ts";
import { findKnownIntegrations } from "./known-integrations.ts";
import { toDetails } from "./notifications.ts";

type Trail = Pick<Explanation, "verdict" | "steps" | "digestedInto">;

/** A notification has one message per address: hundreds for a push step and a person with many devices. */
const maxMessages = 1_000;
const maxAttempts = 2_000;

export async function explainNotification(
  ctx: Ctx,
  environmentId: string,
  notification: ListedNotification,
): Promise<Trail> {
  const jobs = await findJobs(ctx.db, [notification]);
  const messages = await loadMessages(ctx, environmentId, notification);
  const digestedInto = await findLeader(ctx, environmentId, notification);
  const integrations = await findKnownIntegrations(ctx, environmentId, jobs);
  const known = { messages, integrations, leader: digestedInto?.transactionId };
  const { steps, verdict } = explainJobs(jobs, notification, known);
  const names = namesOf(integrations);
  return {
    verdict,
    digestedInto,
    steps: steps.map((step, index) => ({ ...step, details: toDetails(jobs[index]!, notification, names) })),
  };
}

type JobMessages = { messages: ExplainedMessage[]; marks?: Marks };
type MessagesByJob = ReadonlyMap<string, JobMessages>;

type Known = { messages: MessagesByJob; integrations: KnownIntegrations; leader?: string };

function explainJobs(
  jobs: JobRow[],
  { definition, external_id, first_name, transaction_id: transactionId }: ListedNotification,
  { messages, integrations, leader }: Known,
) {
  const steps = definition.steps.filter((step) => step.active);
  return explainSteps(
    jobs.map((job) => ({
      step: steps[job.step_index]!,
      status: job.status,
      details: job.details,
      providerId: job.provider_id,
      wakeAt: job.wake_at,
      ...(messages.get(job.id) ?? { messages: [] }),
    })),
    {
      tense: "past",
      workflow: definition.workflowId,
      leader,
      integrations,
      person: first_name || external_id || undefined,
    },
    { workflow: definition, subscriberId: external_id ?? undefined, transactionId },
  );
}

/** The notification whose digest this one was merged into, and what happened to it. */
async function findLeader(
  ctx: Ctx,
  environmentId: string,
  { digested_into }: ListedNotification,
): Promise<Explanation["digestedInto"]> {
  if (digested_into === null) return undefined;
  const leader = await findNotification(ctx.db, environmentId, digested_into);
  if (!leader) return undefined;
  // A later digest step of the leader may have merged it into another notification.
  const above = leader.digested_into === null ? [] : [leader.digested_into];
  const transactions = await findTransactionIds(ctx.db, environmentId, above);
  const jobs = await findJobs(ctx.db, [leader]);
  const integrations = await findKnownIntegrations(ctx, environmentId, jobs);
  const known = { messages: new Map(), integrations, leader: transactions.get(leader.digested_into ?? "") };
  const { verdict } = explainJobs(jobs, leader, known);
  return { transactionId: leader.transaction_id, notificationId: leader.id, verdict };
}

async function loadMessages(ctx: Ctx, environmentId: string, notification: ListedNotification): Promise<MessagesByJob> {
  const rows = await findMessagesOfNotification(ctx.db, environmentId, notification, maxMessages);
  const attempts = await listAttempts(
    ctx.db,
    environmentId,
    rows.map((row) => row.id),
    maxAttempts,
  );
  const used = [...rows, ...attempts].flatMap((row) => row.integration_id ?? []);
  const integrations = await findIntegrationsByIds(ctx.db, environmentId, [...new Set(used)]);
  const byId = new Map(integrations.map((row) => [row.id, row]));
  const identifiers = new Map(integrations.map((row) => [row.id, row.identifier]));
  const byMessage = Map.groupBy(attempts, (attempt) => attempt.message_id);
  const byJob = new Map<string, JobMessages>();
  for (const row of rows) {
    const explained = {
      _id: row.id,
      ...toExplainedMessage(fromRow(ctx.secrets, row), identifiers),
      attempts: (byMessage.get(row.id) ?? []).map((attempt) => toAttempt(attempt, byId.get(attempt.integration_id))),
    };
    const ofJob = byJob.get(row.job_id) ?? { messages: [] };
    ofJob.messages.push(explained);
    if (row.channel === "in_app") ofJob.marks = toMarks(row);
    byJob.set(row.job_id, ofJob);
  }
  return byJob;
}

const fromRow = (secrets: Ctx["secrets"], row: StoredMessage) => ({
  channel: row.channel,
  status: row.status,
  providerId: row.provider_id,
  integrationId: row.integration_id,
  address: openAddress(secrets, row),
  subject: row.subject,
  content: row.content,
  cta: row.cta,
  errorId: row.error_id,
  errorText: row.error_text,
});

const toAttempt = (
  row: AttemptRow,
  integration: IntegrationRow | undefined,
): NonNullable<ExplainedMessage["attempts"]>[number] => ({
  number: row.number,
  integrationIdentifier: integration?.identifier,
  providerId: integration?.provider_id,
  outcome: row.outcome ?? "running",
  reason: row.reason ?? undefined,
  startedAt: row.started_at.toISOString(),
  finishedAt: row.finished_at?.toISOString(),
});

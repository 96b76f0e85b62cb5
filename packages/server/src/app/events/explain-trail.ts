// The trail of one notification: its steps in words, with their details, messages and attempts, and when it was merged
// into a digest, what became of that.
import type { ExplainedMessage, Explanation } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { openAddress } from "../../pipeline/encrypted-parts.ts";
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
import { tellSteps, toExplainedMessage } from "./explain-view.ts";
import { toDetails } from "./notifications.ts";

type Trail = Pick<Explanation, "verdict" | "steps" | "digestedInto">;

/** A notification has a message per address, up to hundreds for a step that goes to every device. */
const maxMessages = 1_000;
const maxAttempts = 2_000;

export async function tellNotification(
  ctx: Ctx,
  environmentId: string,
  notification: ListedNotification,
): Promise<Trail> {
  const jobs = await findJobs(ctx.db, environmentId, [notification.id]);
  const made = await loadMessages(ctx, environmentId, notification);
  const digestedInto = await findLeader(ctx, environmentId, notification);
  const { steps, verdict } = tellJobs(jobs, notification, made, digestedInto?.transactionId);
  return {
    verdict,
    digestedInto,
    steps: steps.map((step, index) => ({ ...step, details: toDetails(jobs[index]!, notification) })),
  };
}

type Made = { messages: ExplainedMessage[]; marks?: Marks };
type MadeByJob = ReadonlyMap<string, Made>;

function tellJobs(jobs: JobRow[], { definition }: ListedNotification, made: MadeByJob, leader?: string) {
  const steps = definition.steps.filter((step) => step.active);
  return tellSteps(
    jobs.map((job) => ({
      step: steps[job.step_index]!,
      status: job.status,
      details: job.details,
      providerId: job.provider_id,
      wakeAt: job.wake_at,
      ...(made.get(job.id) ?? { messages: [] }),
    })),
    { tense: "past", workflow: definition.workflowId, leader },
  );
}

/** The notification whose digest took this one in, and how that went. */
async function findLeader(
  ctx: Ctx,
  environmentId: string,
  { digested_into }: ListedNotification,
): Promise<Explanation["digestedInto"]> {
  if (digested_into === null) return undefined;
  const leader = await findNotification(ctx.db, environmentId, digested_into);
  if (!leader) return undefined;
  // A leader may itself have been merged, by a digest further on in its chain.
  const above = leader.digested_into === null ? [] : [leader.digested_into];
  const transactions = await findTransactionIds(ctx.db, environmentId, above);
  const jobs = await findJobs(ctx.db, environmentId, [leader.id]);
  const { verdict } = tellJobs(jobs, leader, new Map(), transactions.get(leader.digested_into ?? ""));
  return { transactionId: leader.transaction_id, notificationId: leader.id, verdict };
}

/** By job. */
async function loadMessages(ctx: Ctx, environmentId: string, notification: ListedNotification): Promise<MadeByJob> {
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
  const found = new Map<string, Made>();
  for (const row of rows) {
    const told = {
      _id: row.id,
      ...toExplainedMessage(fromRow(ctx.secrets, row), identifiers),
      attempts: (byMessage.get(row.id) ?? []).map((attempt) => toAttempt(attempt, byId.get(attempt.integration_id))),
    };
    const made = found.get(row.job_id) ?? { messages: [] };
    made.messages.push(told);
    if (row.channel === "in_app") made.marks = toMarks(row);
    found.set(row.job_id, made);
  }
  return found;
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

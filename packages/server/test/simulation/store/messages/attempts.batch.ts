import type { EventRow } from "../../../../src/store/events/events.ts";
import type { JobRow } from "../../../../src/store/events/jobs.ts";
import type { NotificationRow } from "../../../../src/store/events/notifications.ts";
import type { RowKey } from "../../../../src/store/keys.ts";
import type { AttemptResult, AttemptSummary, DeliveryState } from "../../../../src/store/messages/attempts.batch.ts";
import type { AttemptRow, StoredMessage } from "../../../../src/store/messages/messages.ts";
import type { SubscriberRow } from "../../../../src/store/subscribers/subscribers.ts";
import type { WorkflowRow } from "../../../../src/store/workflows/workflows.ts";
import type { Transaction } from "../../world/disk.ts";
import { rowsStatement } from "../../world/session.ts";

export * from "../../../../src/store/messages/attempts.batch.ts";

export const finishAttempts = rowsStatement(
  "finishAttempts",
  () => undefined,
  async (tx, results: AttemptResult[]): Promise<void> => {
    for (const { id, finished_at, outcome, reason, provider_message_id } of results) {
      const after = { finished_at, outcome, reason, provider_message_id };
      await tx.change<AttemptRow>("attempts", id, () => after);
    }
  },
);

async function endLost(tx: Transaction, messages: RowKey[], now: Date): Promise<void> {
  const ids = new Set(messages.map(({ id }) => id));
  const ended = { outcome: "unknown", finished_at: now, reason: "the process ended during the call" };
  const open = await tx.lockWhere<AttemptRow>("attempts", (row) => ids.has(row.message_id) && row.outcome === null);
  for (const row of open) tx.put("attempts", row.id, { ...row, ...ended });
}

export const endLostAttempts = rowsStatement("endLostAttempts", () => undefined, endLost);

type Tried = Pick<StoredMessage, "environment_id" | "id" | "round">;

export const summarizeAttempts = rowsStatement(
  "summarizeAttempts",
  () => [],
  async (tx, messages: Tried[], now: Date): Promise<AttemptSummary[]> => {
    await endLost(tx, messages, now);
    return messages.flatMap(({ id, round }) => {
      const own = tx.where<AttemptRow>("attempts", (row) => row.message_id === id && row.round === round);
      return [...Map.groupBy(own, (row) => row.integration_id)].map(([integration_id, tries]) => {
        const unknown = tries.flatMap(({ outcome, started_at }) => (outcome === "unknown" ? [+started_at] : []));
        const unknown_at = unknown.length === 0 ? null : new Date(Math.max(...unknown));
        return { message_id: id, integration_id, attempts: tries.length, unknown_at };
      });
    });
  },
);

type Owned = Pick<StoredMessage, "id" | "notification_id" | "job_id" | "event_id" | "workflow_id" | "subscriber_id">;

export const findDeliveryStates = rowsStatement(
  "findDeliveryStates",
  () => [],
  (tx, messages: Owned[]): DeliveryState[] =>
    messages.map((message) => {
      const job = tx.get<JobRow>("jobs", message.job_id!)!;
      const workflow = tx.get<WorkflowRow>("workflows", message.workflow_id);
      const [subscriber] = tx.where<SubscriberRow>("subscribers", ({ id }) => id === message.subscriber_id);
      const event = tx.get<EventRow>("events", message.event_id);
      return {
        message_id: message.id,
        job_status: job.status,
        step_index: job.step_index,
        workflow_version_id: tx.get<NotificationRow>("notifications", message.notification_id)!.workflow_version_id,
        workflow: workflow?.workflow_id ?? null,
        subscriber: subscriber?.subscriber_id ?? null,
        transaction_id: event?.transaction_id ?? null,
        trace_context: event?.trace_context ?? null,
        stopped: workflow?.deleted_at
          ? "the workflow was deleted"
          : !subscriber
            ? "the subscriber was deleted"
            : job.status === "canceled"
              ? "the step was canceled"
              : null,
      };
    }),
);

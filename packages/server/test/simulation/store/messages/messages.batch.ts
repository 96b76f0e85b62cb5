import { retractedErrorId } from "../../../../src/store/events/event-cancel.ts";
import type { JobKey, RowKey } from "../../../../src/store/keys.ts";
import type { MessageOutcome, Sibling, WrittenOutcome } from "../../../../src/store/messages/messages.batch.ts";
import type { StoredMessage } from "../../../../src/store/messages/messages.ts";
import { rowsStatement } from "../../world/session.ts";

export * from "../../../../src/store/messages/messages.batch.ts";

export const holdPendingMessages = rowsStatement(
  "holdPendingMessages",
  () => [],
  (tx, keys: RowKey[]): Promise<StoredMessage[]> => {
    const ids = new Set(keys.map(({ id }) => id));
    return tx.lockWhere<StoredMessage>("messages", ({ id, status }) => ids.has(id) && status === "pending");
  },
);

export const findSentMessages = rowsStatement(
  "findSentMessages",
  () => [],
  (tx, keys: RowKey[]): StoredMessage[] => {
    const ids = new Set(keys.map(({ id }) => id));
    return tx.where<StoredMessage>(
      "messages",
      ({ id, status, outgoing }) => ids.has(id) && status === "sent" && outgoing !== null,
    );
  },
);

const keepsOutgoing = (status: string, { channel }: StoredMessage): boolean =>
  status === "pending" || status === "error" || (status === "sent" && (channel === "chat" || channel === "push"));

export const recordOutcomes = rowsStatement(
  "recordOutcomes",
  () => new Map<string, WrittenOutcome>(),
  async (tx, outcomes: MessageOutcome[]): Promise<Map<string, WrittenOutcome>> => {
    const written = new Map<string, WrittenOutcome>();
    for (const { environment_id, id, ...outcome } of outcomes.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      const row = await tx.change<StoredMessage>("messages", id, (message) => {
        if (message.status !== "pending" && outcome.status !== "sent") return undefined;
        return {
          ...outcome,
          error_id: message.error_id === retractedErrorId ? message.error_id : outcome.error_id,
          outgoing: keepsOutgoing(outcome.status, message) ? message.outgoing : null,
        };
      });
      if (row) written.set(id, { is_retracted: row.error_id === retractedErrorId });
    }
    return written;
  },
);

export const findSiblings = rowsStatement(
  "findSiblings",
  () => [],
  (tx, jobs: JobKey[]): Sibling[] => {
    const ids = new Set(jobs.map((job) => job.job_id));
    return tx
      .where<StoredMessage>("messages", (row) => ids.has(row.job_id!) && ["chat", "push"].includes(row.channel))
      .map(({ id, job_id, status, provider_id, error_text }) => ({ id, job_id, status, provider_id, error_text }));
  },
);

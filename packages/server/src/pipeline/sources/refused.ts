// Rows of an outbox that were refused: kept as failed tasks of the kind `relay`, with their secrets encrypted.
import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { firstIdAt } from "../../lib/ids.ts";
import type { Secrets } from "../../lib/secrets.ts";
import { storableText } from "../../lib/text/storable-text.ts";
import { insertFailedTasks } from "../../store/events/failed-tasks.ts";
import type { ClaimedRow } from "../../store/sources/outbox.ts";
import { openOverrides, openRecipient, sealOverrides, sealRecipient } from "../encrypted-parts.ts";
import type { RelayTask } from "../tasks.ts";

export type Refusal = { row: ClaimedRow; reason: string };

const maxReason = 2_000;

/** A row that comes again, because its relay died before it was deleted, gets the same id and is stored once. */
export async function setAsideRows(
  tx: Ctx,
  { environmentId, sourceId }: { environmentId: string; sourceId: string },
  refusals: Refusal[],
): Promise<void> {
  if (refusals.length === 0) return;
  const now = tx.now();
  const tasks = refusals.map(({ row, reason }) => ({
    id: taskIdOf(sourceId, row, now),
    environment_id: environmentId,
    kind: "relay" as const,
    data: toTask(tx.secrets, sourceId, row) as unknown as JsonObject,
    error: storableText(reason, maxReason) || "refused",
    attempts: 1,
    created_at: now,
  }));
  await insertFailedTasks(tx.db, tasks);
  tx.metrics.failedTasks.inc({ kind: "relay" }, refusals.length);
}

/** A UUIDv7 of the time at which the row was written, with bits of a hash instead of random ones. */
function taskIdOf(sourceId: string, { id, transaction_id, created_at }: ClaimedRow, now: Date): string {
  const isPast = created_at instanceof Date && created_at < now && created_at.getTime() > 0;
  const hash = createHash("sha256").update(`${sourceId} ${transaction_id} ${id}`).digest("hex");
  return `${firstIdAt(isPast ? created_at : now).slice(0, 14)}7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}

const toTask = (secrets: Secrets, sourceId: string, row: ClaimedRow): RelayTask => ({
  sourceId,
  transactionId: String(row.transaction_id),
  kind: String(row.kind),
  // What is too long to be read is not kept either.
  body: isJsonObject(row.body)
    ? mapSecrets(row.body, {
        recipient: (given) => sealRecipient(secrets, given as never),
        overrides: (given) => sealOverrides(secrets, given as never),
      })
    : {},
});

/** The row that a task was made of. Without a key: it is tried alone. */
export const fromTask = (secrets: Secrets, { transactionId, kind, body }: RelayTask, now: Date): ClaimedRow => ({
  id: 0,
  transaction_id: transactionId,
  kind,
  key: null,
  body: mapSecrets(body, {
    recipient: (given) => openRecipient(secrets, given as never),
    overrides: (given) => openOverrides(secrets, given as never),
  }),
  created_at: now,
  bytes: 0,
});

type SecretParts = { recipient(given: JsonObject): object; overrides(given: unknown): unknown };

/** Recipients have addresses of devices and chats, overrides anything. */
function mapSecrets({ to, actor, overrides, ...rest }: JsonObject, map: SecretParts): JsonObject {
  const mapOne = (given: unknown) => (isJsonObject(given) ? map.recipient(given) : given);
  const isMapped = isJsonObject(overrides) || typeof overrides === "string";
  return {
    ...rest,
    ...(to !== undefined && { to: Array.isArray(to) ? to.map(mapOne) : mapOne(to) }),
    ...(actor !== undefined && { actor: mapOne(actor) }),
    ...(overrides !== undefined && { overrides: isMapped ? map.overrides(overrides) : overrides }),
  };
}

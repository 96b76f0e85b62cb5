import type { AttemptRow } from "../../../../src/store/messages/messages.ts";
import { statement } from "../../world/session.ts";

export * from "../../../../src/store/messages/messages.ts";

export const listAttempts = statement("listAttempts", (tx, _environmentId: string, ids: string[], limit: number) =>
  tx.where<AttemptRow>("attempts", (row) => ids.includes(row.message_id)).slice(0, limit),
);

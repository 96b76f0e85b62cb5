import type { AttemptRow } from "../../../../src/store/messages/messages.ts";
import { statement } from "../../world/session.ts";

export * from "../../../../src/store/messages/messages.ts";

export const listAttempts = statement("listAttempts", (tx, _environmentId: string, ids: string[], limit: number) =>
  tx
    .where<AttemptRow>("attempts", (row) => ids.includes(row.message_id))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, limit),
);

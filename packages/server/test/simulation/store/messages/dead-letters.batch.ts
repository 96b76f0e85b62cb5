import type { NewDeadLetter } from "../../../../src/store/messages/dead-letters.batch.ts";
import { rowsStatement } from "../../world/session.ts";

export * from "../../../../src/store/messages/dead-letters.batch.ts";

export const insertDeadLetters = rowsStatement(
  "insertDeadLetters",
  () => undefined,
  async (tx, letters: NewDeadLetter[]): Promise<void> => {
    for (const letter of letters) await tx.insert("dead_letters", letter.id, { ...letter, status: "open" });
  },
);

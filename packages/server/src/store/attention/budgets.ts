// The attention budgets of an environment.
import type { AttentionBudget } from "@tidings/contract";
import type { Db } from "../db.ts";

/** An empty list for an environment without any. */
export async function findBudgets(db: Db, environmentId: string): Promise<AttentionBudget[]> {
  const row = await db
    .selectFrom("environments")
    .where("id", "=", environmentId)
    .select("attention")
    .executeTakeFirst();
  return row?.attention ?? [];
}

export async function setBudgets(
  db: Db,
  environmentId: string,
  { budgets, now }: { budgets: AttentionBudget[]; now: Date },
): Promise<void> {
  await db
    .updateTable("environments")
    .set({ attention: budgets.length > 0 ? JSON.stringify(budgets) : null, updated_at: now })
    .where("id", "=", environmentId)
    .execute();
}

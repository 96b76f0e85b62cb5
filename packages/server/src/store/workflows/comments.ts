// Comments of members on the steps of a workflow.
import type { Selectable } from "kysely";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";

export type CommentRow = Selectable<Tables["step_comments"]>;

/** The newest ones, oldest first. */
export async function listComments(
  db: Db,
  environmentId: string,
  { workflowId, limit }: { workflowId: string; limit: number },
): Promise<CommentRow[]> {
  const rows = await db
    .selectFrom("step_comments")
    .where("environment_id", "=", environmentId)
    .where("workflow_id", "=", workflowId)
    .orderBy("id", "desc")
    .limit(limit)
    .selectAll()
    .execute();
  return rows.reverse();
}

export async function countComments(db: Db, environmentId: string, workflowId: string): Promise<number> {
  const { count } = await db
    .selectFrom("step_comments")
    .where("environment_id", "=", environmentId)
    .where("workflow_id", "=", workflowId)
    .select((query) => query.fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export const insertComment = (db: Db, environmentId: string, row: Omit<CommentRow, "environment_id">) =>
  db
    .insertInto("step_comments")
    .values({ environment_id: environmentId, ...row })
    .returningAll()
    .executeTakeFirstOrThrow();

type CommentKey = { workflowId: string; id: string };

/** `resolved`: null opens the comment again. */
export const resolveComment = (
  db: Db,
  environmentId: string,
  { workflowId, id }: CommentKey,
  resolved: { at: Date; by: string } | null,
): Promise<CommentRow | undefined> =>
  db
    .updateTable("step_comments")
    .set({ resolved_at: resolved?.at ?? null, resolved_by_name: resolved?.by ?? null })
    .where("environment_id", "=", environmentId)
    .where("workflow_id", "=", workflowId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();

export async function deleteComment(db: Db, environmentId: string, { workflowId, id }: CommentKey): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("step_comments")
    .where("environment_id", "=", environmentId)
    .where("workflow_id", "=", workflowId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

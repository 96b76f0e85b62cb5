// What a run of the retention works with, and what it has done so far.
import type { RetentionClassName } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import type { DeletedRows } from "../rules/retention.ts";

export type RetentionCtx = Pick<Ctx, "config" | "db" | "log" | "metrics" | "now" | "newId">;

/** Rows that were deleted, and names of partitions that were dropped. */
export type Tally = { deleted: DeletedRows; partitions: string[] };

export function addRows({ deleted }: Tally, name: RetentionClassName, rows: number): void {
  if (rows > 0) deleted[name] = (deleted[name] ?? 0) + rows;
}

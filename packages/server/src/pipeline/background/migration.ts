// What a rewrite in the background is.
import type { Ctx } from "../../context.ts";

export type BackgroundTools = Pick<Ctx, "db" | "secrets">;

export type BackgroundMigration = {
  /** Its tables, from which the number of rows is estimated. */
  tables: readonly string[];
  /**
   * Rewrites the rows from `key` on, in the transaction of `tools`; null: from the first one. Returns how many rows it
   * read, and where the next batch begins; null: there is none.
   */
  runBatch(tools: BackgroundTools, key: unknown): Promise<{ rows: number; next: unknown }>;
};

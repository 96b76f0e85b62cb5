// The key of a group of events at a digest or throttle step, as SQL. Rows are locked in the order of this key, so that
// two batches with the same groups cannot deadlock.
import { type RawBuilder, sql } from "kysely";
export const groupColumns = { environment_id: "uuid", step_id: "uuid", subscriber_id: "uuid", group_key: "text" };

/** The columns of the key, of the table with this alias. */
export function groupKey(alias?: string): RawBuilder<unknown> {
  const prefix = alias === undefined ? "" : `${alias}.`;
  return sql.raw(
    Object.keys(groupColumns)
      .map((column) => `${prefix}${column}`)
      .join(", "),
  );
}

/** True for rows of the same group. */
export const isSameGroup = (a: string, b: string): RawBuilder<unknown> => sql`(${groupKey(a)}) = (${groupKey(b)})`;

// A signal and a wait that looks back for it could each begin before the other is committed, and miss each other. Both
// take this lock until they end, in one order.
import { type RawBuilder, sql } from "kysely";

export type SignalName = { environment_id: string; subscriber_id: string; signal: string };

export function takeSignalLocks(names: readonly SignalName[]): RawBuilder<unknown> {
  const keys = names.map((one) => `signal ${one.environment_id} ${one.subscriber_id} ${one.signal}`);
  return sql`select pg_advisory_xact_lock(h) from (
    select distinct hashtextextended(k, 0) as h from unnest(${keys}::text[]) as k order by h) as locks`;
}

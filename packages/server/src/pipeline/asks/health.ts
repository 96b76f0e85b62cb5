// The stored circuit breaker of a target as the rules of the breaker read it.
import type { CallBreaker } from "../../store/tables.ts";
import { type Health, healthy } from "../deliver/breaker.ts";

type StoredHealth = Pick<CallBreaker, "state" | "failures" | "probes" | "opened_at" | "next_probe_at">;

/** A target without a row has not failed. */
export const healthOf = (row: Partial<StoredHealth> | undefined): Health =>
  row?.state
    ? {
        state: row.state,
        failures: row.failures ?? 0,
        probes: row.probes ?? 0,
        openedAt: row.opened_at ?? null,
        nextProbeAt: row.next_probe_at ?? null,
      }
    : healthy;

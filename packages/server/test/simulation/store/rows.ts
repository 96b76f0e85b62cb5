// The keys of the simulated tables, and the values of columns that an insert leaves out.
import type { Row } from "../world/disk.ts";

const keys: Record<string, string[]> = {
  transaction_ids: ["transaction_id"],
  digest_windows: ["step_id", "subscriber_id", "group_key"],
  digest_passes: ["step_id", "subscriber_id", "group_key"],
  throttle_windows: ["step_id", "subscriber_id", "group_key"],
  message_expiries: ["message_id"],
  integration_health: ["integration_id"],
  subscribers: ["subscriber_id"],
  run_waits: ["job_id"],
};

export const keyOf = (table: string, row: Row): string => (keys[table] ?? ["id"]).map((name) => row[name]).join(" ");

const defaults: Record<string, Row> = {
  events: {
    expanded_at: null,
    canceled_at: null,
    open_walks: 1,
    held_events: null,
    refusal: null,
    trace_context: null,
    started_by: null,
    supersede_key: null,
    priority: null,
  },
  notifications: { later_details: null },
  messages: {
    seen_at: null,
    read_at: null,
    last_seen_at: null,
    last_read_at: null,
    archived_at: null,
    snoozed_until: null,
    provider_message_id: null,
    recipients: null,
    round: 0,
    replayed_at: null,
    delivered_at: null,
  },
  attempts: { finished_at: null, outcome: null, reason: null, provider_message_id: null },
};

export const defaultsOf = (table: string): Row => defaults[table] ?? {};

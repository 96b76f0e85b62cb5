// The catalogue of execution details: every decision and outcome of a job, in words a person can read. A job stores the
// short name, the time and the particulars; the text, status and source come from here when it is read.
import type { executionSources, executionStatuses } from "@tidings/contract";
import type { StoredDetail } from "../../store/tables.ts";

type Entry = {
  text: string;
  status: (typeof executionStatuses)[number];
  source: (typeof executionSources)[number];
};

const entry = (text: string, status: Entry["status"], source: Entry["source"] = "Internal"): Entry => ({
  text,
  status,
  source,
});

export const details = {
  step_created: entry("Step created", "Pending"),
  step_queued: entry("Step queued", "Pending"),
  step_delayed: entry("Step delayed", "Pending"),
  delay_finished: entry("Delay finished", "Success"),
  step_digested: entry("Step digested", "Success"),
  digest_started: entry("Digest started", "Pending"),
  digest_sent_on: entry("Digest sent its events on", "Success"),
  digest_merged: entry("Merged into a waiting digest", "Success"),
  filtered_by_workflow: entry("Step filtered by workflow preferences", "Success"),
  filtered_by_dashboard: entry("Step filtered by dashboard preferences", "Success"),
  filtered_by_subscriber_global: entry("Step filtered by subscriber global preferences", "Success"),
  filtered_by_subscriber_workflow: entry("Step filtered by subscriber workflow preferences", "Success"),
  step_canceled: entry("Step canceled", "Warning"),
  start_sending: entry("Start sending message", "Pending"),
  integration_selected: entry("Integration selected", "Pending"),
  next_integration: entry("Next integration selected after a failure", "Warning"),
  no_integration: entry("No active integration for the channel", "Failed", "Credentials"),
  severity_overridden: entry("Severity overridden", "Success"),
  render_failed: entry("Message content could not be rendered", "Failed", "Payload"),
  message_created: entry("Message created", "Pending"),
  message_sent: entry("Message sent", "Success"),
  provider_retry: entry("Provider error, will be repeated", "Warning"),
  provider_error: entry("Provider error", "Failed"),
  no_email: entry("Subscriber has no email address", "Failed", "Payload"),
  delay_invalid: entry("Delay settings are not valid", "Failed", "Payload"),
  digest_invalid: entry("Digest settings are not valid", "Failed", "Payload"),
  wait_too_long: entry("Wait is longer than allowed", "Failed", "Payload"),
} as const satisfies Record<string, Entry>;

export type DetailName = keyof typeof details;

type Particulars = { providerId?: string; isRetry?: boolean; raw?: Record<string, unknown> };

/** A detail as a job stores it: one-letter members, because every job carries several. */
export function detail(name: DetailName, at: Date, particulars: Particulars = {}): StoredDetail {
  const stored: StoredDetail = { d: name, t: at.getTime() };
  if (particulars.providerId) stored.p = particulars.providerId;
  if (particulars.isRetry) stored.y = true;
  if (particulars.raw) stored.r = particulars.raw;
  return stored;
}

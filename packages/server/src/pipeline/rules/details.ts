// The catalogue of execution details: the text of every decision and outcome of a job. A job stores the short name, the time
// and the particulars; text, status and source are looked up here when the job is read.
import type { executionSources, executionStatuses } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
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
  // A delay by another name: the text of both is the same.
  waiting_for_provider: entry("Step delayed", "Pending"),
  waiting_for_receipt: entry("Step delayed", "Pending"),
  step_held: entry("Step held until the subscriber's schedule opens", "Pending"),
  step_extended: entry("Step extended to the subscriber's schedule", "Pending"),
  delay_finished: entry("Delay finished", "Success"),
  step_digested: entry("Step digested", "Success"),
  digest_started: entry("Digest started", "Pending"),
  digest_sent_on: entry("Digest sent its events on", "Success"),
  digest_closed_early: entry("Digest closed before its time", "Success"),
  digest_merged: entry("Merged into a waiting digest", "Success"),
  digest_alone: entry("Digest skipped, first event in the look-back window", "Success"),
  throttle_passed: entry("Throttle passed", "Success"),
  throttled: entry("Throttle limit reached", "Success"),
  throttle_past: entry("Throttle window lies in the past", "Warning"),
  throttle_invalid: entry("Throttle settings are not valid, the event was let through", "Warning", "Payload"),
  custom_done: entry("Custom step finished", "Success"),
  skipped_by_condition: entry("Step skipped by its condition", "Success"),
  skipped_by_bridge: entry("Step skipped by its code", "Success"),
  not_reached_in_bridge: entry("Step skipped, its code did not run it for this event", "Success"),
  bridge_asked: entry("Bridge asked for the content of the step", "Pending"),
  bridge_answered: entry("Bridge answered", "Success"),
  bridge_retry: entry("Bridge did not answer, will be asked again", "Warning"),
  bridge_failed: entry("Bridge gave no content for the step", "Failed"),
  condition_passed: entry("Step condition let the step run", "Success"),
  condition_failed: entry("Step condition could not be evaluated", "Failed", "Payload"),
  filtered_by_workflow: entry("Step filtered by workflow preferences", "Success"),
  filtered_by_dashboard: entry("Step filtered by dashboard preferences", "Success"),
  filtered_by_subscriber_global: entry("Step filtered by subscriber global preferences", "Success"),
  filtered_by_subscriber_workflow: entry("Step filtered by subscriber workflow preferences", "Success"),
  outside_schedule: entry("Step skipped, outside the subscriber's schedule", "Success"),
  step_canceled: entry("Step canceled", "Warning"),
  start_sending: entry("Start sending message", "Pending"),
  integration_selected: entry("Integration selected", "Pending"),
  next_integration: entry("Next integration selected after a failure", "Warning"),
  no_integration: entry("No active integration for the channel", "Failed", "Credentials"),
  named_integration_missing: entry("Named integration not found or inactive", "Failed", "Credentials"),
  tenant_selected: entry("Tenant selected", "Success"),
  tenant_missing: entry("Tenant not found", "Failed"),
  layout_selected: entry("Layout selected", "Success"),
  layout_missing: entry("Layout not found", "Failed"),
  severity_overridden: entry("Severity overridden", "Success"),
  override_ignored: entry("Override ignored", "Warning", "Payload"),
  attachment_not_inline: entry("Attachment not shown inline", "Warning", "Payload"),
  override_invalid: entry("Override is not valid", "Failed", "Payload"),
  render_failed: entry("Message content could not be rendered", "Failed", "Payload"),
  message_created: entry("Message created", "Pending"),
  message_sent: entry("Message sent", "Success"),
  message_deleted: entry("Message deleted before it was sent", "Warning"),
  provider_retry: entry("Provider error, will be repeated", "Warning"),
  provider_error: entry("Provider error", "Failed"),
  // A provider error by another name: the address is at fault.
  recipient_refused: entry("Provider error", "Failed"),
  device_token_removed: entry("Device token is no longer valid and was removed from the subscriber", "Warning"),
  dead_letter: entry("Message moved to dead letters", "Failed"),
  replayed: entry("Message replayed from dead letters", "Pending"),
  resent: entry("Sent again by hand", "Pending"),
  letter_resolved: entry("Provider has the message after all, dead letter closed", "Success"),
  recipient_suppressed: entry("Recipient address is suppressed", "Failed", "Payload"),
  copy_suppressed: entry("Copy left out, its address is suppressed", "Warning", "Payload"),
  copies_refused: entry("Copies refused by the provider", "Warning"),
  no_email: entry("Subscriber has no email address", "Warning", "Payload"),
  no_phone: entry("Subscriber has no phone number", "Warning", "Payload"),
  no_device_tokens: entry("Subscriber has no device tokens", "Warning", "Payload"),
  no_chat_channel: entry("Subscriber has no channel for this provider", "Warning", "Payload"),
  no_webhook_url: entry("Webhook URL for the chat channel is missing", "Warning", "Payload"),
  some_chats_failed: entry("Some chat channels failed", "Warning"),
  some_devices_failed: entry("Some devices failed", "Warning"),
  all_chats_failed: entry("All chat channels failed", "Failed"),
  all_devices_failed: entry("All devices failed", "Failed"),
  delay_invalid: entry("Delay settings are not valid", "Failed", "Payload"),
  digest_invalid: entry("Digest settings are not valid", "Failed", "Payload"),
  wait_too_long: entry("Wait is longer than allowed", "Failed", "Payload"),
  delivered: entry("Message delivered", "Success", "Webhook"),
  opened: entry("Message opened", "Success", "Webhook"),
  clicked: entry("Message clicked", "Success", "Webhook"),
  dismissed: entry("Message dismissed", "Success", "Webhook"),
  bounced: entry("Message bounced", "Failed", "Webhook"),
  dropped: entry("Message dropped", "Failed", "Webhook"),
  rejected: entry("Message rejected", "Failed", "Webhook"),
  blocked: entry("Message blocked", "Failed", "Webhook"),
  reported_as_spam: entry("Message reported as spam", "Failed", "Webhook"),
  deferred: entry("Message deferred by the provider", "Warning", "Webhook"),
  unsubscribed: entry("Recipient unsubscribed", "Warning", "Webhook"),
  seen: entry("Message seen", "ReadConfirmation"),
  read: entry("Message read", "ReadConfirmation"),
  snoozed: entry("Message snoozed", "Success"),
  unsnoozed: entry("Message unsnoozed", "Success"),
} as const satisfies Record<string, Entry>;

export type DetailName = keyof typeof details;

/** The entry of a stored detail; undefined for a name that an older version stored and the catalogue no longer has. */
export const findEntry = ({ d }: StoredDetail): Entry | undefined => entries[d];

const entries: Readonly<Record<string, Entry | undefined>> = details;

type Particulars = { providerId?: string; isRetry?: boolean; raw?: JsonObject };

/** A detail as a job stores it: one-letter members, because every job carries several. */
export function detail(name: DetailName, at: Date, particulars: Particulars = {}): StoredDetail {
  const stored: StoredDetail = { d: name, t: at.getTime() };
  if (particulars.providerId) stored.p = particulars.providerId;
  if (particulars.isRetry) stored.y = true;
  if (particulars.raw) stored.r = particulars.raw;
  return stored;
}

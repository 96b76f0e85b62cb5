// The catalogue of execution details: the text of every decision and outcome of a job. A job stores the short name, the
// time and the particulars; text, status, source and decider are looked up when the job is read. The details of one
// step type are in its file; steps/catalogue.ts has all of them.
import type { Decider, executionSources, executionStatuses } from "@tidings/contract";
import type { JsonObject } from "../../lib/json.ts";
import type { StoredDetail } from "../../store/tables.ts";

/** `person`: what the subscriber is called; `be`: "is" in a dry run. */
type ReasonWords = { person: string; be: "was" | "is" };

/** What is known about a detail in addition to its text. */
type Meaning = {
  source: (typeof executionSources)[number];
  /** What decided. A detail without it decides nothing: it notes what was done. */
  by?: Decider;
  /** `until` among its particulars is the end of a wait. */
  isWait?: boolean;
  /** The reason as part of a sentence, from the particulars; default: the detail's text. */
  reason?: (raw: JsonObject, words: ReasonWords) => string;
  /** The sentence while the step waits. `next`: what is sent afterwards, such as "one email". */
  waiting?: (until: string, next: string, raw: JsonObject, person: string) => string;
};

export type DetailEntry = Meaning & { text: string; status: (typeof executionStatuses)[number] };

export const entry = (text: string, status: DetailEntry["status"], meaning: Partial<Meaning> = {}): DetailEntry => ({
  text,
  status,
  source: "Internal",
  ...meaning,
});

export const details = {
  step_created: entry("Step created", "Pending"),
  step_queued: entry("Step queued", "Pending"),
  // A delay by another name: the text of both is the same.
  waiting_for_provider: entry("Step delayed", "Pending", { by: "integration", isWait: true }),
  waiting_for_receipt: entry("Step delayed", "Pending", { by: "provider", isWait: true }),
  step_held: entry("Step held until the subscriber's schedule opens", "Pending", { by: "schedule", isWait: true }),
  arm_not_taken: entry("Step skipped, the run took another arm", "Success", { by: "branch" }),
  step_extended: entry("Step extended to the subscriber's schedule", "Pending", { by: "schedule" }),
  wait_fast_forwarded: entry("Wait fast-forwarded by a test", "Success"),
  skipped_by_condition: entry("Step skipped by its condition", "Success", { by: "condition" }),
  skipped_by_bridge: entry("Step skipped by its code", "Success", { by: "bridge" }),
  not_reached_in_bridge: entry("Step skipped, its code did not run it for this event", "Success", { by: "bridge" }),
  bridge_asked: entry("Bridge asked for the content of the step", "Pending", { by: "bridge" }),
  bridge_answered: entry("Bridge responded", "Success"),
  bridge_retry: entry("Bridge did not respond, will be asked again", "Warning", { by: "bridge" }),
  bridge_failed: entry("Bridge gave no content for the step", "Failed", { by: "bridge" }),
  condition_passed: entry("Step condition let the step run", "Success"),
  condition_failed: entry("Step condition could not be evaluated", "Failed", { source: "Payload", by: "condition" }),
  filtered_by_workflow: entry("Step filtered by workflow preferences", "Success", { by: "workflow" }),
  filtered_by_dashboard: entry("Step filtered by dashboard preferences", "Success", { by: "workflow" }),
  filtered_by_category: entry("Step filtered by the defaults of the category", "Success", { by: "workflow" }),
  filtered_by_subscriber_category: entry("Step filtered by subscriber category preferences", "Success", {
    by: "preference",
  }),
  filtered_by_subscriber_global: entry("Step filtered by subscriber global preferences", "Success", {
    by: "preference",
  }),
  filtered_by_subscriber_workflow: entry("Step filtered by subscriber workflow preferences", "Success", {
    by: "preference",
  }),
  outside_schedule: entry("Step skipped, outside the subscriber's schedule", "Success", { by: "schedule" }),
  step_canceled: entry("Step canceled", "Warning"),
  subscriber_erased: entry("Step canceled, the subscriber was erased", "Warning", { by: "subscriber" }),
  start_sending: entry("Start sending message", "Pending"),
  integration_selected: entry("Integration selected", "Pending"),
  next_integration: entry("Next integration selected after a failure", "Warning"),
  no_integration: entry("No active integration for the channel", "Failed", {
    source: "Credentials",
    by: "integration",
  }),
  named_integration_missing: entry("Named integration not found or inactive", "Failed", {
    source: "Credentials",
    by: "integration",
  }),
  tenant_selected: entry("Tenant selected", "Success"),
  tenant_missing: entry("Tenant not found", "Failed", { by: "tenant" }),
  layout_selected: entry("Layout selected", "Success"),
  words_missing: entry("No words in the subscriber's language, those of the service are English", "Success"),
  layout_missing: entry("Layout not found", "Failed", { by: "step" }),
  severity_overridden: entry("Severity overridden", "Success"),
  override_ignored: entry("Override ignored", "Warning", { source: "Payload" }),
  attachment_not_inline: entry("Attachment not shown inline", "Warning", { source: "Payload" }),
  override_invalid: entry("Override is not valid", "Failed", { source: "Payload", by: "event" }),
  render_failed: entry("Message content could not be rendered", "Failed", { source: "Payload", by: "step" }),
  secret_left_empty: entry("A secret variable was left empty, it may not be in content", "Warning"),
  message_created: entry("Message created", "Pending"),
  message_sent: entry("Message sent", "Success"),
  message_deleted: entry("Message deleted before it was sent", "Warning"),
  provider_retry: entry("Provider error, will be repeated", "Warning", { by: "integration" }),
  provider_error: entry("Provider error", "Failed", { by: "integration" }),
  // A provider error by another name: the address is wrong.
  recipient_refused: entry("Provider error", "Failed", { by: "subscriber" }),
  device_token_removed: entry("Device token is no longer valid and was removed from the subscriber", "Warning", {
    by: "subscriber",
  }),
  dead_letter: entry("Message moved to dead letters", "Failed", { by: "integration" }),
  replayed: entry("Message replayed from dead letters", "Pending"),
  resent: entry("Sent again by hand", "Pending"),
  letter_resolved: entry("Provider has the message after all, dead letter closed", "Success"),
  recipient_suppressed: entry("Recipient address is suppressed", "Failed", { source: "Payload", by: "suppression" }),
  copy_suppressed: entry("Copy left out, its address is suppressed", "Warning", { source: "Payload" }),
  copies_refused: entry("Copies refused by the provider", "Warning"),
  no_email: entry("Subscriber has no email address", "Warning", { source: "Payload", by: "subscriber" }),
  no_phone: entry("Subscriber has no phone number", "Warning", { source: "Payload", by: "subscriber" }),
  no_device_tokens: entry("Subscriber has no device tokens", "Warning", { source: "Payload", by: "subscriber" }),
  no_chat_channel: entry("Subscriber has no channel for this provider", "Warning", {
    source: "Payload",
    by: "subscriber",
  }),
  no_webhook_url: entry("Webhook URL for the chat channel is missing", "Warning", {
    source: "Payload",
    by: "subscriber",
  }),
  some_chats_failed: entry("Some chat channels failed", "Warning"),
  some_devices_failed: entry("Some devices failed", "Warning"),
  all_chats_failed: entry("All chat channels failed", "Failed", { by: "integration" }),
  all_devices_failed: entry("All devices failed", "Failed", { by: "integration" }),
  wait_too_long: entry("Wait is longer than allowed", "Failed", { source: "Payload", by: "step" }),
  delivered: entry("Message delivered", "Success", { source: "Webhook" }),
  opened: entry("Message opened", "Success", { source: "Webhook" }),
  clicked: entry("Message clicked", "Success", { source: "Webhook" }),
  dismissed: entry("Message dismissed", "Success", { source: "Webhook" }),
  bounced: entry("Message bounced", "Failed", { source: "Webhook", by: "provider" }),
  dropped: entry("Message dropped", "Failed", { source: "Webhook", by: "provider" }),
  rejected: entry("Message rejected", "Failed", { source: "Webhook", by: "provider" }),
  blocked: entry("Message blocked", "Failed", { source: "Webhook", by: "provider" }),
  reported_as_spam: entry("Message reported as spam", "Failed", { source: "Webhook", by: "subscriber" }),
  deferred: entry("Message deferred by the provider", "Warning", { source: "Webhook", by: "provider" }),
  unsubscribed: entry("Recipient unsubscribed", "Warning", { source: "Webhook", by: "subscriber" }),
  seen: entry("Message seen", "ReadConfirmation"),
  read: entry("Message read", "ReadConfirmation"),
  snoozed: entry("Message snoozed", "Success"),
  unsnoozed: entry("Message unsnoozed", "Success"),
  expired: entry("Message expired and was deleted", "Success"),
  taken_back_in_flight: entry("Retracted while the provider was being called", "Pending"),
  taken_back_removed: entry("Retracted: the in-app message was removed", "Success"),
  taken_back_replaced: entry("Retracted: the in-app message was replaced by the correction", "Success"),
  taken_back_deleted: entry("Retracted: the message was deleted", "Success"),
  taken_back_edited: entry("Retracted: the message was changed to the correction", "Success"),
  taken_back_removal_sent: entry("Retracted: the device was asked to remove the notification", "Success"),
  taken_back_corrected: entry("Could not be unsent: the message stays; a correction was sent", "Warning"),
  taken_back_cannot_unsend: entry("Could not be unsent: the message stays", "Warning"),
  taken_back_failed: entry("Could not be retracted: the provider refused", "Failed", { by: "provider" }),
  superseded: entry("Replaced by a later event with the same key", "Success"),
} satisfies Record<string, DetailEntry>;

export type DetailName = keyof typeof details;

type Particulars = { providerId?: string; isRetry?: boolean; raw?: JsonObject };

/** A detail as a job stores it: one-letter members, because every job carries several. */
function store(name: string, at: Date, particulars: Particulars = {}): StoredDetail {
  const stored: StoredDetail = { d: name, t: at.getTime() };
  if (particulars.providerId) stored.p = particulars.providerId;
  if (particulars.isRetry) stored.y = true;
  if (particulars.raw) stored.r = particulars.raw;
  return stored;
}

export const detail: (name: DetailName, at: Date, particulars?: Particulars) => StoredDetail = store;

/** `detail` for the details that a step type adds to the catalogue. */
export const detailOf = <Name extends string>(
  _own: Readonly<Record<Name, DetailEntry>>,
): ((name: Name, at: Date, particulars?: Particulars) => StoredDetail) => store;

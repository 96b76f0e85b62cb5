import type { StoredReceipt, WebhookDelivery, WebhookEventType } from "@tidings/contract";

type Result = StoredReceipt["result"];
type Reason = NonNullable<StoredReceipt["reason"]>;
type Change = StoredReceipt["changes"][number];

const events: Record<WebhookEventType, string> = {
  "message.sent": "A provider accepted a message",
  "message.failed": "A message could not be delivered",
  "message.delivered": "A provider reported delivery",
  "message.seen": "An in-app message was seen",
  "message.read": "… was read",
  "message.unread": "… was marked unread",
  "message.archived": "… was archived",
  "message.unarchived": "… was unarchived",
  "message.snoozed": "… was snoozed",
  "message.unsnoozed": "… returned from a snooze",
  "message.deleted": "A message was deleted",
  "preference.updated": "A preference was set",
  "workflow.created": "A workflow was created",
  "workflow.updated": "A workflow was changed",
  "workflow.deleted": "A workflow was deleted",
  "workflow.published": "A workflow was published to this environment",
};

const statuses: Record<WebhookDelivery["status"], string> = {
  pending: "Pending",
  delivered: "Delivered",
  failed: "Failed",
};

const results: Record<Result, string> = {
  applied: "Applied",
  duplicate: "Duplicate",
  waiting: "Waiting",
  ignored: "Ignored",
  refused: "Rejected",
};

const reasons: Record<Reason, string> = {
  bad_signature:
    "The signature is missing or invalid. Compare the integration's signing key with the one at the provider.",
  unknown_integration:
    "The integration does not exist, or it does not accept reports. Correct the URL at the provider.",
  unknown_message:
    "This integration has no message with this id. It may have been sent from elsewhere with the same account.",
  unreadable: "The body is not JSON.",
  no_report: "The request contains no delivery report.",
};

const changes: Record<Change, string> = {
  delivered: "marked as delivered",
  failed: "message failed",
  confirmed: "confirmed as sent",
  resolved: "dead letter closed",
  suppressed: "address suppressed",
  detail: "noted in the run",
};

export const words = {
  title: "Webhooks",
  lead: "Notify your servers of messages, preferences and workflows, and see what providers report about messages.",
  tabs: { endpoints: "Endpoints", receipts: "Provider reports" },
  events,
  statuses,
  results,
  reasons,
  changes,
  testEvent: "A test event",
  add: "Add endpoint",
  none: "No endpoints yet",
  noneText: "An endpoint is a URL of yours that receives events. Requests are signed and retried for a day.",
  list: "Endpoints",
  all: "All events",
  types: (count: number) => (count === 1 ? "1 event type" : `${count} event types`),
  on: "On",
  health: { healthy: "Healthy", failing: "Failing", idle: "No calls yet" },
  failing: (failures: number, error: string | undefined, pending: number) =>
    [
      failures === 1 ? "The last call failed" : `The last ${failures.toLocaleString()} calls failed`,
      error && `: ${error}`,
      pending > 0 && `. ${pending.toLocaleString()} ${pending === 1 ? "event is waiting" : "events are waiting"}`,
    ]
      .filter(Boolean)
      .join(""),
  lastSuccess: (age: string) => `last success ${age}`,
  off: "Off",
  disabled: "Disabled",
  turnOn: (url: string) => `${url} is on`,
  menu: (url: string) => `Actions for ${url}`,
  open: "Open",
  edit: "Change",
  delete: "Delete endpoint",
  deleteTitle: "Delete this endpoint?",
  deleteText: "Pending deliveries are dropped, and its secret is erased.",
  deleted: "Endpoint deleted",
  change: "Change",
  changeTitle: "Change this endpoint?",
  form: {
    addTitle: "Add endpoint",
    editTitle: "Edit endpoint",
    url: "URL",
    urlHint: "https, or http in development. Called with POST.",
    which: "Events",
    every: "All events",
    some: "Selected events",
    choose: "Choose at least one event",
    save: "Save",
    add: "Add endpoint",
  },
  secret: {
    title: "Endpoint secret",
    text: "Requests are signed with it. Copy it now: it will not be shown again.",
    rotatedText:
      "For 24 hours, requests are signed with both the old and the new secret. Update your receiver in that time.",
    label: "Secret",
    done: "I have copied it",
    rotate: "Rotate secret",
    rotateTitle: "Rotate this endpoint's secret?",
  },
  one: {
    health: "Health",
    lastSuccess: "Last success",
    never: "None in the last 30 days",
    lastFailure: "Last failure",
    failures: "Consecutive failures",
    failingSince: "Failing since",
    pending: "Waiting",
    back: "Webhooks",
    disabledTitle: (reason: string) => `This endpoint was disabled automatically: ${reason}.`,
    disabledText: "Fix the receiver, send a test, turn the endpoint on again, and redeliver what it missed.",
    offText: "You turned this endpoint off. Events are not stored for it in the meantime.",
    turnOn: "Turn on again",
    turnOff: "Turn off",
    test: "Send a test",
    tested: (status: number | undefined) =>
      status === undefined ? "The receiver did not respond" : `The receiver returned ${status}`,
    testGood: "The test event was accepted",
    settings: "Endpoint",
    created: "Created",
    changed: "Changed",
    id: "Id",
  },
  deliveries: {
    title: "Deliveries",
    none: "No deliveries yet",
    noneText: "The first event appears here. Send a test to see whether the receiver responds.",
    noMatch: "No deliveries with this status",
    noMatchText: "Deliveries are kept for 30 days.",
    filter: "Status",
    any: "Any",
    clear: "Show all",
    attempts: (count: number) => (count === 1 ? "1 attempt" : `${count} attempts`),
    next: "Next attempt",
    last: "Last attempt",
    request: "Request",
    headers: "Headers",
    headersNote: "The timestamp and signature are new for each attempt.",
    body: "Body",
    answer: "Response",
    noAnswer: "No response",
    emptyAnswer: "The response body was empty.",
    event: "Event",
    again: "Deliver again",
    againDone: "Queued for delivery",
    since: "Redeliver failed",
    sinceTitle: "Redeliver failed deliveries",
    sinceText:
      "Permanently failed deliveries are sent again, oldest first, with the same event ids. Pending ones are not affected.",
    sinceLabel: "Failed since",
    ranges: { "1h": "1 hour ago", "24h": "24 hours ago", "7d": "7 days ago", "30d": "30 days ago" },
    replayed: (count: number) =>
      count === 1 ? "1 delivery queued again" : `${count.toLocaleString()} deliveries queued again`,
    more: "There are more. Repeat this to include them.",
    needsOn: "The endpoint is off. Turn it on first.",
  },
  receipts: {
    text: "Delivery reports from providers in the last 7 days. Each integration's page shows its report URL.",
    list: "Provider reports",
    none: "No reports yet",
    noneText: "Register an integration's report URL with its provider, and bounces, opens and complaints appear here.",
    openIntegrations: "Open integrations",
    noMatch: "No matching reports",
    noMatchText: "Choose another integration or result.",
    clear: "Show all",
    integration: "Integration",
    result: "Result",
    any: "Any",
    request: "A request",
    unknownIntegration: "an unknown integration",
    waitingText:
      "Its message is unknown or still being sent. The report takes effect once it is sent, within a few minutes.",
    duplicateText: "The same report was received and applied before.",
    nothing: "changed nothing",
    message: "Message",
    externalId: "Provider's id",
    recipient: "Recipient",
    excerpt: "Raw request (excerpt)",
    run: "View run",
    time: "Received",
    openIntegration: "Open integration",
  },
} as const;

const number = (value: number): string => value.toLocaleString();

export const words = {
  title: "Statistics",
  lead: "What was sent and what was not, by the hour it was created.",
  ranges: { "24h": "24 hours", "7d": "7 days", "30d": "30 days" },
  times: { "24h": "the last 24 hours", "7d": "the last 7 days", "30d": "the last 30 days" },
  channel: "Channel",
  any: "All",
  clear: "Clear filters",
  only: { workflow: (name: string) => `Workflow: ${name}`, provider: (name: string) => `Provider: ${name}` },
  noProvider: "No provider",
  deletedWorkflow: "A deleted workflow",
  none: "Nothing has been sent yet",
  noneText: "Send your first event, and it is counted here within seconds.",

  figures: {
    label: "Figures",
    sent: "Sent",
    sentNote: "accepted by a provider, or in the inbox",
    delivered: "Delivered",
    opened: "Opened",
    failed: "Failed",
    failedNote: (refused: number) =>
      refused === 0 ? "none rejected by a provider" : `${number(refused)} rejected by a provider`,
    skipped: "Skipped",
    skippedNote: "on purpose",
    held: "Held by the budget",
    heldNote: (share: string) => `${share} of messages`,
    waiting: "Waiting",
    waitingNote: (age: string) => `the oldest for ${age}`,
    captured: "Captured",
    capturedNote: "kept in the mailbox, not sent",
    latency: "Time to accept",
    latencyNote: (p95: string) => `median · 95 % within ${p95}`,
    ofSent: (share: string) => `${share} of sent`,
  },

  charts: {
    messages: (unit: string) => `Messages by ${unit}`,
    latency: (unit: string) => `Time until the provider accepted, by ${unit}`,
    hour: "hour",
    day: "day",
    sent: "Sent",
    failed: "Failed",
    captured: "Captured",
    p50: "Median (p50)",
    p95: "95th percentile (p95)",
    start: "Start",
    utcDays: "Days start at midnight UTC.",
  },

  tables: {
    providers: "By provider",
    providersText:
      "If one provider fails more than others on its channel, it is the cause. If all fail, the cause is on your side.",
    workflows: "By workflow",
    channels: "By channel",
    skipped: "Skipped, by reason",
    provider: "Provider",
    workflow: "Workflow",
    sent: "Sent",
    delivered: "Delivered",
    opened: "Opened",
    failed: "Failed",
    skippedColumn: "Skipped",
    held: "Held",
    heldCell: (held: number, share: string) => `${number(held)} (${share})`,
    captured: "Captured",
    attempts: "Failed attempts",
    waiting: "Waiting",
    share: "Rejected",
    p50: "p50",
    p95: "p95",
    noValue: "–",
    reason: "Reason",
    steps: "Steps",
    onlyThis: (name: string) => `Show only ${name}`,
  },

  reasons: {
    skipped_by_condition: "The step's condition",
    filtered_by_workflow: "The workflow's preferences",
    filtered_by_dashboard: "Preferences set by your team",
    filtered_by_category: "The category's defaults",
    filtered_by_subscriber_category: "The subscriber turned the category off",
    filtered_by_subscriber_global: "The subscriber turned the channel off",
    filtered_by_subscriber_workflow: "The subscriber turned this workflow off",
    outside_schedule: "Outside the subscriber's schedule",
    throttled: "A throttle limit",
    no_email: "No email address",
    no_phone: "No phone number",
    no_device_tokens: "No device",
    no_chat_channel: "No chat channel",
    no_webhook_url: "A chat channel without a webhook URL",
    recipient_suppressed: "The address is suppressed",
    attention_rolled_up: "Over the attention budget: rolled up",
    attention_dropped: "Over the attention budget: dropped",
    roll_up_empty: "A roll-up without items",
    unknown: "Unknown",
  } as Record<string, string>,

  judgement: {
    nothing: (time: string) => `Nothing was sent in ${time}`,
    waiting: (messages: string, count: number, age: string) =>
      `${messages} ${count === 1 ? "is" : "are"} waiting, the oldest for ${age}`,
    attempts: (name: string, count: number) =>
      count === 1 ? `1 attempt through ${name} failed` : `${number(count)} attempts through ${name} failed`,
    alsoCaptured: (captured: number) =>
      captured === 1
        ? "1 more was captured in the mailbox and not sent."
        : `${number(captured)} more were captured in the mailbox and not sent.`,
    onlyCaptured: (time: string, captured: number) =>
      captured === 1
        ? `1 message was captured in the mailbox in ${time}, and none were sent`
        : `${number(captured)} messages were captured in the mailbox in ${time}, and none were sent`,
    skipped: (count: number) => `${number(count)} steps were skipped; the reasons are below.`,
    noFailure: (time: string, sent: number) =>
      `Nothing failed in ${time}: ${sent === 1 ? "1 message was" : `${number(sent)} messages were`} sent`,
    ours: (time: string, failed: number) =>
      failed === 1
        ? `The only failure in ${time} happened before a provider was called`
        : `All ${number(failed)} failures in ${time} happened before a provider was called`,
    oursText:
      "The provider is not the cause: addresses are missing, content cannot be rendered, or no integration is active.",
    all: (time: string, name: string, refused: number, asked: number) =>
      `All failures in ${time} come from ${name}: ${number(refused)} of ${number(asked)} rejected`,
    most: (time: string, name: string, refused: number, asked: number) =>
      `Most failures in ${time} come from ${name}: ${number(refused)} of ${number(asked)} rejected`,
    alike: (time: string, names: readonly string[]) =>
      `Failures in ${time} affect ${names.length} providers equally: ${names.join(", ")}`,
    alikeText: "That points to the messages or the addresses rather than to one provider.",
    several: (time: string, failed: number) => `${number(failed)} failures in ${time} have several causes`,
    part: (name: string, refused: number, asked: number) => `${name} rejected ${number(refused)} of ${number(asked)}`,
    fine: (name: string, sent: number) => `${name} rejected none of ${number(sent)}`,
    before: (count: number) => `${number(count)} failed before a provider was called`,
    see: "View failures",
  },
} as const;

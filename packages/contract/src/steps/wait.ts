import { amount, closed, defineStep, kinds, plainText, result, show, skipEditor, text, unit } from "./kit.ts";

/** What a wait can wait for on an earlier message. */
export const messageEvents = ["seen", "read", "clicked", "delivered", "bounced"] as const;
export type MessageEvent = (typeof messageEvents)[number];

/** How far back a wait may look for a signal: 7 days. */
export const maxLookBackMinutes = 10_080;

const then = { type: "string", enum: ["continue", "end"], default: "continue" };

const until = {
  signal: {
    type: "object",
    additionalProperties: false,
    properties: {
      name: { ...text, maxLength: 128 },
      key: { ...plainText, maxLength: 512 },
      lookBackMinutes: { type: "integer", minimum: 1, maximum: maxLookBackMinutes },
    },
    required: ["name"],
  },
  message: {
    type: "object",
    additionalProperties: false,
    properties: { stepId: text, event: { type: "string", enum: [...messageEvents] } },
    required: ["stepId", "event"],
  },
  onEvent: then,
  onTimeout: then,
};

export default defineStep({
  label: "Wait",
  kind: "wait",
  position: 12,
  controls: kinds(
    { type: "regular", properties: { ...until, amount, unit }, required: ["amount", "unit"] },
    { type: "timed", properties: { ...until, cron: text }, required: ["cron"] },
    { type: "dynamic", properties: { ...until, dynamicKey: text }, required: ["dynamicKey"] },
  ),
  ui: {
    group: "WAIT",
    properties: {
      signal: show("WAIT_SIGNAL"),
      message: show("WAIT_MESSAGE"),
      type: show("WAIT_TIMEOUT_TYPE", "regular"),
      amount: show("WAIT_TIMEOUT_AMOUNT"),
      unit: show("WAIT_TIMEOUT_UNIT", "minutes"),
      cron: show("WAIT_TIMEOUT_CRON", ""),
      dynamicKey: show("WAIT_TIMEOUT_DYNAMIC_KEY", ""),
      onEvent: show("WAIT_ON_EVENT", "continue"),
      onTimeout: show("WAIT_ON_TIMEOUT", "continue"),
      ...skipEditor,
    },
  },
  results: () =>
    closed({
      reason: { type: "string", enum: ["signal", "message", "timeout"] },
      data: { type: "object", additionalProperties: true },
      at: result.text,
    }),
});

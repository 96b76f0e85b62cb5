import { amount, closed, defineStep, kinds, plainText, result, show, skipEditor, text } from "./kit.ts";

const unit = { type: "string", enum: ["minutes", "hours", "days"] };
const threshold = { type: "integer", minimum: 1, maximum: 100, default: 1 };

export default defineStep({
  label: "Throttle",
  kind: "gate",
  position: 8,
  controls: kinds(
    {
      type: "fixed",
      properties: { amount, unit, threshold, throttleKey: plainText },
      required: ["amount", "unit"],
    },
    {
      type: "dynamic",
      properties: { dynamicKey: text, threshold, throttleKey: plainText },
      required: ["dynamicKey"],
    },
  ),
  ui: {
    group: "THROTTLE",
    properties: {
      type: show("THROTTLE_TYPE", "fixed"),
      amount: show("THROTTLE_WINDOW"),
      unit: show("THROTTLE_UNIT", "minutes"),
      dynamicKey: show("THROTTLE_DYNAMIC_KEY", "payload.timestamp"),
      threshold: show("THROTTLE_THRESHOLD", 1),
      throttleKey: show("THROTTLE_KEY", ""),
      ...skipEditor,
    },
  },
  results: () =>
    closed({
      throttled: result.flag,
      executionCount: result.number,
      threshold: result.number,
      throttledUntil: result.text,
    }),
});

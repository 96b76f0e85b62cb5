import { amount, closed, defineStep, flag, kinds, show, skipEditor, text, unit } from "./kit.ts";

export default defineStep({
  label: "Delay",
  kind: "wait",
  position: 7,
  controls: kinds(
    { type: "regular", properties: { amount, unit, extendToSchedule: flag }, required: ["amount", "unit"] },
    { type: "timed", properties: { cron: text, extendToSchedule: flag }, required: ["cron"] },
    { type: "dynamic", properties: { dynamicKey: text, extendToSchedule: flag }, required: ["dynamicKey"] },
  ),
  ui: {
    group: "DELAY",
    properties: {
      type: show("DELAY_TYPE", "regular"),
      amount: show("DELAY_AMOUNT"),
      unit: show("DELAY_UNIT", "seconds"),
      cron: show("DELAY_CRON", ""),
      dynamicKey: show("DELAY_DYNAMIC_KEY", ""),
      extendToSchedule: show("EXTEND_TO_SCHEDULE", false),
      ...skipEditor,
    },
  },
  results: () => closed({}),
});

import { cron, defineStep, extend, kindOf, span, summarizeWait, timeKey } from "./kit.ts";

const kinds = {
  regular: "For a fixed time",
  timed: "Until a time of day or week",
  dynamic: "Until a time in the payload",
};

export default defineStep({
  icon: "timer",
  startValues: { type: "regular", amount: 1, unit: "hours" },
  fields: [kindOf("Waits", kinds), ...span("", ["regular"]), cron, timeKey, extend],
  summary: summarizeWait,
  ends: "Delay ends",
});

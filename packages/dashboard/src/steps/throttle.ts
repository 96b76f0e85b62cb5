import { defineStep, kindOf, span, timeKey, timeOf, units } from "./kit.ts";

const windowUnits = { minutes: units.minutes, hours: units.hours, days: units.days };

export default defineStep({
  icon: "gauge",
  startValues: { type: "fixed", amount: 1, unit: "hours", threshold: 1 },
  fields: [
    kindOf("Window", { fixed: "Of a fixed length", dynamic: "Until a time in the payload" }),
    ...span("", ["fixed"], windowUnits),
    timeKey,
    {
      path: "threshold",
      label: "Lets through",
      hint: "Events per subscriber and window. The rest are skipped.",
      kind: "amount",
    },
    {
      path: "throttleKey",
      label: "Count separately by",
      hint: "A path such as payload.orderId. Leave empty to count all of a subscriber's events together.",
      kind: "plain",
      isPath: true,
    },
  ],
  summary: (values) => `${Number(values.threshold ?? 1)} in ${timeOf(values) || "a window"}`,
});

import { frequencyNames } from "../outcomes/channel-names.ts";
import { cron, defineStep, extend, kindOf, span, summarizeWait } from "./kit.ts";

const [lookBackAmount, lookBackUnit] = span("lookBackWindow.", ["regular"]).map((field) => ({
  ...field,
  isMore: true,
}));

export default defineStep({
  icon: "layers",
  startValues: { type: "regular", amount: 1, unit: "hours" },
  fields: [
    kindOf("Collects", { regular: "For a fixed time", timed: "Until a time of day or week" }),
    ...span("", ["regular"]),
    cron,
    {
      path: "digestKey",
      label: "Group by",
      hint: "A path such as payload.threadId: one digest per value. Leave empty for one per subscriber.",
      kind: "plain",
      isPath: true,
    },
    {
      ...lookBackAmount!,
      label: "Look-back window",
      hint: "Collects only if another event arrived within this time. Leave empty to collect every event.",
    },
    lookBackUnit!,
    extend,
    {
      path: "allowFrequencyChoice",
      label: "Recipients may choose how often",
      hint: "On their preference page and in their inbox. Without a choice, the time above applies.",
      kind: "flag",
    },
    {
      path: "frequencies",
      label: "They choose from",
      hint: "Daily digests are sent at 9:00 in their time zone, weekly ones on Mondays, unless the time above names another.",
      kind: "several",
      choices: frequencyNames,
      needs: "allowFrequencyChoice",
    },
  ],
  summary: summarizeWait,
  ends: "Digest closes",
  // As if it had collected this event as often as is assumed.
  sampleResult: (payload, eventCount) => ({
    events: Array.from({ length: eventCount }, () => ({ id: "preview", time: new Date(0).toISOString(), payload })),
    eventCount,
  }),
});

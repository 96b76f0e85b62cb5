import { digestFrequencies } from "../frequencies.ts";
import {
  amount,
  closed,
  controls,
  defineStep,
  flag,
  kinds,
  plainText,
  result,
  show,
  skipEditor,
  text,
  unit,
} from "./kit.ts";

/** Subscribers may choose how often they get the digest: any of these, or all four if the list is absent. */
const frequencyChoice = {
  allowFrequencyChoice: flag,
  frequencies: {
    type: "array",
    items: { type: "string", enum: [...digestFrequencies] },
    minItems: 1,
    uniqueItems: true,
  },
};

export default defineStep({
  label: "Digest",
  kind: "wait",
  position: 6,
  controls: kinds(
    {
      type: "regular",
      properties: {
        amount,
        unit,
        lookBackWindow: controls({ amount, unit }, { required: ["amount", "unit"] }),
        digestKey: plainText,
        extendToSchedule: flag,
        ...frequencyChoice,
      },
      required: ["amount", "unit"],
    },
    {
      type: "timed",
      properties: { cron: text, digestKey: plainText, extendToSchedule: flag, ...frequencyChoice },
      required: ["cron"],
    },
  ),
  ui: {
    group: "DIGEST",
    properties: {
      type: show("DIGEST_TYPE", "regular"),
      amount: show("DIGEST_AMOUNT"),
      unit: show("DIGEST_UNIT", "seconds"),
      lookBackWindow: {
        component: "DIGEST_AMOUNT",
        properties: { amount: show("DIGEST_AMOUNT"), unit: show("DIGEST_UNIT", "seconds") },
      },
      digestKey: show("DIGEST_KEY", ""),
      cron: show("DIGEST_CRON", ""),
      extendToSchedule: show("EXTEND_TO_SCHEDULE", false),
      ...skipEditor,
    },
  },
  results: ({ payload }) =>
    closed({
      eventCount: result.number,
      countSummary: result.text,
      sentenceSummary: result.text,
      events: { type: "array", items: closed({ id: result.text, time: result.text, payload }) },
    }),
});

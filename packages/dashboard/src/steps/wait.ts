import { cron, defineStep, kindOf, span, summarizeWait, timeKey, type Values } from "./kit.ts";

const events = {
  seen: "is seen",
  read: "is read",
  clicked: "is clicked",
  delivered: "is delivered",
  bounced: "bounces",
};
const then = { continue: "the run continues", end: "the run ends" };
const member = (values: Values, name: string, key: string): string =>
  String((values[name] as Values | undefined)?.[key] ?? "");

export default defineStep({
  icon: "pause",
  hasOwnForm: true,
  fields: [
    { path: "signal.name", label: "Signal", hint: "The name that your product sends", kind: "plain" },
    {
      path: "signal.key",
      label: "Only with this key",
      hint: "Such as {{ payload.orderId }}: the signal has to name the same",
      kind: "line",
    },
    {
      path: "signal.lookBackMinutes",
      label: "Look back (minutes)",
      hint: "A signal that arrived so recently counts, too",
      kind: "amount",
    },
    { path: "message.stepId", label: "Message of the step", kind: "part" },
    { path: "message.event", label: "Until it", kind: "choice", choices: events },
    kindOf("Times out", {
      regular: "After a length of time",
      timed: "At a time of day",
      dynamic: "At a time in the payload",
    }),
    ...span("", ["regular"]),
    cron,
    timeKey,
    { path: "onEvent", label: "When it happens", kind: "choice", choices: then, fallback: "continue" },
    {
      path: "onTimeout",
      label: "When the time is over",
      kind: "choice",
      choices: then,
      fallback: "continue",
    },
  ],
  startValues: { amount: 1, unit: "hours" },
  ends: "Wait times out",
  summary: (values) => {
    const signal = member(values, "signal", "name");
    const step = member(values, "message", "stepId");
    const what = [signal && `signal ${signal}`, step && `message of ${step}`].filter(Boolean).join(" or ");
    return `${what || "nothing yet"}, at most ${summarizeWait(values)}`;
  },
});

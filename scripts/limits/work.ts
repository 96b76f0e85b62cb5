// Limits of content, of the pipeline and of delivery.
import { maxBrowsers, maxWorkflowDepth } from "@tidings/contract";
import { constant } from "./constants.ts";
import { byDefault, count, megabytes, named, type Row, timeIn } from "./values.ts";

const budget = `the budget of one step (${named("work.ts", "workPerStep")} units)`;
const stepFails = "the step fails";

export const contentLimits: Row[] = [
  {
    limit: "work of one step (condition, templates, HTML)",
    value: `${named("work.ts", "workPerStep")} units, at most about 20 ms on a fast core and 50 ms on a slow one`,
    beyond:
      "the step of that run fails, with the reason in its execution details; other runs continue ([templates.md](templates.md#limits))",
  },
  { limit: "CPU time of one step", value: timeIn("work.ts", "maxCpuMs"), beyond: "the same" },
  {
    limit: "output of one template",
    value: megabytes(constant("bounded-liquid.ts", "outputLimit")),
    beyond: stepFails,
  },
  {
    limit: "one template",
    value:
      `${named("liquid.ts", "maxTags")} tags, ${named("liquid.ts", "maxTagCharacters")} characters inside them, ` +
      `${named("liquid.ts", "maxTemplateLength")} characters`,
    beyond: "an issue when it is saved; the step fails",
  },
  {
    limit: "unknown names in one template",
    value: `tags times the characters inside them up to ${named("template-names.ts", "maxCountedCharacters")} (500 tags with 10,000 characters)`,
    beyond: "misspelled names are missing from the step's issues",
  },
  { limit: "depth of HTML", value: `${named("html-size.ts", "maxDepth")} levels`, beyond: stepFails },
  {
    limit: "style sheets",
    value:
      `${named("inline-css.ts", "maxSheetLength")} characters, ${named("sheets.ts", "maxSelectors")} selectors, ` +
      `${named("inline-css.ts", "maxWork")} comparisons`,
    beyond: "the sheet is not inlined",
  },
  { limit: "condition", value: `${named("conditions.ts", "maxDepth")} levels`, beyond: "422" },
  {
    limit: "conditions of one subscriber's topic subscriptions",
    value: budget,
    beyond: "the subscription counts as not matching",
  },
  {
    limit: "`payloadSchema`",
    value: `${named("payload-schema.ts", "maxSchemaLength")} characters, ${named("payload-schema.ts", "maxSchemaDepth")} levels`,
    beyond: "422",
  },
  {
    limit: "pattern in a `payloadSchema`",
    value: `${named("patterns.ts", "maxPatternLength")} characters, RE2 syntax`,
    beyond: "422 that names path and pattern",
  },
  {
    limit: "work to check one payload",
    value: budget,
    beyond: "`payload: takes too much work to check against the payloadSchema`",
  },
];

export const pipelineLimits: Row[] = [
  {
    limit: "evaluation in one batch",
    value:
      `${timeIn("progress.ts", "maxBatchMs")} or ${count(constant("progress.ts", "maxBatchContent") / 1_000_000)} million characters of content; ` +
      `yields to other work every ${timeIn("pauses.ts", "intervalMs")}`,
    beyond: "the remaining runs continue in new tasks",
  },
  {
    limit: "tries of a task that fails",
    value: named("set-aside.ts", "trigger"),
    beyond: "it is split; an item that fails alone becomes a failed task ([delivery.md](delivery.md#failed-tasks))",
  },
  {
    limit: "workflows that start each other",
    value: `${maxWorkflowDepth} deep`,
    beyond: "the step fails ([start and update](start-and-update.md#workflows-that-start-each-other))",
  },
  {
    limit: "delay, digest and wait",
    value: `${byDefault("TIDINGS_MAX_WAIT_DAYS")} days`,
    setting: "TIDINGS_MAX_WAIT_DAYS",
    beyond: "the step fails: `Wait is longer than allowed`",
  },
  {
    limit: "expiry of an in-app message",
    value: `${named("expiry.ts", "maxExpiryDays")} days ahead`,
    beyond: "the step fails: `Expiry of the message is not valid`",
  },
  {
    limit: "snooze",
    value: `${byDefault("TIDINGS_MAX_SNOOZE_DAYS")} days`,
    setting: "TIDINGS_MAX_SNOOZE_DAYS",
    beyond: "422",
  },
  {
    limit: "an environment's share at each stage",
    value: `${named("fair-queue.ts", "sharePerSecond")} units of cost per second (a recipient 1, a call 4)`,
    beyond: `under load its tasks run later, by at most ${timeIn("fair-queue.ts", "maxLagMs")}; nothing is rejected`,
  },
  {
    limit: "concurrent provider calls in one [thread](scale.md#threads)",
    value: `${count(byDefault("TIDINGS_DELIVERY_WINDOW"))}; at most half for one environment, a quarter for one integration, a sixteenth for a slow one`,
    setting: "TIDINGS_DELIVERY_WINDOW",
    beyond: "messages wait in the queue; waiting does not count as an attempt",
  },
  {
    limit: "concurrent webhook calls in one thread",
    value: `${named("webhooks/stage.ts", "window")}, shared in the same way`,
    beyond: "deliveries wait",
  },
  {
    limit: "concurrent HTTP requests of steps, and calls of bridges, in one thread",
    value: `${named("asks/stage.ts", "window")} each, a quarter for one host`,
    beyond: "the steps wait",
  },
  {
    limit: "HTTP request of a step",
    value: `${count(byDefault("TIDINGS_REQUEST_TIMEOUT"))} s for an attempt, 1 MB of response, ${named("requests/response.ts", "maxResultLength")} characters of result`,
    setting: "TIDINGS_REQUEST_TIMEOUT",
    beyond: "a timeout is retried; otherwise the step fails ([http-requests.md](http-requests.md))",
  },
  {
    limit: "calls per second for an integration (`maxPerSecond`)",
    value: "the provider's known limit",
    setting: "per integration",
    beyond: `across all processes; messages wait in the queue for up to ${timeIn("pacing.ts", "maxWaitMs")} and try again`,
  },
  {
    limit: "browsers of a subscriber that the inbox subscribes to push",
    value: count(maxBrowsers),
    beyond: "another one replaces the oldest",
  },
  {
    limit: "messages of one push or chat step",
    value: named("sending.ts", "maxMessages"),
    beyond: "`Some devices failed`, `Some chat channels failed`",
  },
];

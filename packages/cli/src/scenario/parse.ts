// Reads scenario files. Every error is reported with file, line and column; a key that the format does not have is one.
import {
  budgetedClasses,
  channels,
  digestFrequencies,
  expectedOutcomes,
  maxBudgets,
  overflowWords,
  reportedChannels,
  type Scenario,
  windowUnits,
} from "@tidings/contract";
import { isMap, isNode, isScalar, LineCounter, type Node, parseAllDocuments } from "yaml";
import { CliError } from "../failure.ts";
import {
  type Add,
  anyObject,
  anything,
  type Check,
  count,
  flag,
  isoTime,
  list,
  matcher,
  moment,
  momentOrRange,
  object,
  oneOf,
  record,
  text,
} from "./checks.ts";

export type ScenarioFile = { file: string; line: number; scenario: Scenario };

export function parseScenarios(file: string, text: string): ScenarioFile[] {
  const counter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: counter, uniqueKeys: true });
  const faults: string[] = [];
  const scenarios: ScenarioFile[] = [];
  const placed = (offset: number, message: string) => {
    const { line, col } = counter.linePos(offset);
    faults.push(`${file}:${line}:${col} ${message}`);
  };
  for (const document of Array.isArray(documents) ? documents : []) {
    for (const { message, pos } of document.errors) placed(pos[0], message.split("\n")[0]!);
    if (document.errors.length > 0) continue;
    const add = (node: Node | null, message: string) => placed(node?.range?.[0] ?? document.range?.[0] ?? 0, message);
    const before = faults.length;
    checkScenario(document.contents, add);
    if (faults.length > before) continue;
    const { line } = counter.linePos(document.contents?.range?.[0] ?? 0);
    scenarios.push({ file, line, scenario: document.toJS({ maxAliasCount: 100 }) as Scenario });
  }
  if (faults.length === 0 && scenarios.length === 0) faults.push(`${file}:1:1 the file has no scenario`);
  if (faults.length > 0)
    throw new CliError(faults.slice(0, 20).join("\n"), { fix: "docs/testing.md describes the format." });
  return scenarios;
}

const subscriber = object(
  {
    ...Object.fromEntries(
      ["subscriberId", "firstName", "lastName", "email", "phone", "avatar", "locale", "timezone"].map((name) => [
        name,
        text,
      ]),
    ),
    data: anyObject,
    preferences: record(
      object({
        ...Object.fromEntries(channels.map((channel) => [channel, flag])),
        digestFrequency: oneOf(digestFrequencies),
      }),
    ),
    schedule: anyObject,
    channels: list(oneOf(["chat"]), 1),
  },
  ["subscriberId"],
);

const marks = ["seen", "read", "archive"] as const;
const reports = ["delivered", "clicked", "bounced"] as const;
const verbs = ["trigger", "broadcast", "cancel", "signal", ...marks, ...reports] as const;
const ofEvents = ["payload", "overrides", "actor", "context", "tenant", "transactionId"];
const besides: Record<(typeof verbs)[number], readonly string[]> = {
  trigger: ["to", ...ofEvents],
  broadcast: ofEvents,
  cancel: [],
  signal: ["to", "key", "data", "reached"],
  seen: ["workflow"],
  read: ["workflow"],
  archive: ["workflow"],
  delivered: ["workflow", "channel"],
  clicked: ["workflow", "channel"],
  bounced: ["workflow", "channel"],
};

const action: Check = (node, words, add) => {
  object(
    {
      at: moment,
      ...Object.fromEntries(verbs.map((verb) => [verb, text])),
      to: anything,
      payload: anyObject,
      overrides: anyObject,
      actor: text,
      context: anyObject,
      tenant: anything,
      transactionId: text,
      workflow: text,
      channel: oneOf(reportedChannels),
      key: text,
      data: anyObject,
      reached: count,
    },
    ["at"],
  )(node, words, add);
  if (!isMap(node)) return;
  const given = verbs.filter((verb) => node.has(verb));
  if (given.length > 1) return add(node, `an entry of "when" has one of ${verbs.join(", ")}`);
  const [verb] = given;
  const allowed = verb ? besides[verb] : [];
  const companions = Object.values(besides).flat();
  for (const { key } of node.items) {
    const name = String(isScalar(key) ? key.value : key);
    if (name !== "at" && name !== verb && !allowed.includes(name) && companions.includes(name))
      add(isNode(key) ? key : node, `"${name}" does not belong to ${verb ? `"${verb}"` : 'an entry with "at" alone'}`);
  }
  if ((verb === "trigger" || verb === "signal") && !node.has("to")) add(node, `"${verb}" needs "to"`);
};

const message = object(
  {
    to: text,
    channel: oneOf(channels.filter((channel) => channel !== "push")),
    at: momentOrRange,
    subject: matcher,
    body: matcher,
    links: list(text, 100),
    code: matcher,
  },
  ["to", "channel"],
);

const step = object(
  {
    to: text,
    workflow: text,
    step: text,
    outcome: oneOf(expectedOutcomes),
    reason: matcher,
    arm: text,
    variant: text,
  },
  ["to", "step"],
);

const status: Check = (node, words, add) => {
  if (!isScalar(node) || !Number.isInteger(node.value) || Number(node.value) < 100 || Number(node.value) > 599)
    add(node, `${words} has to be an HTTP status, such as 200`);
};

const budget = object(
  {
    channel: oneOf(channels),
    classes: list(oneOf(budgetedClasses), budgetedClasses.length),
    limit: count,
    window: object({ amount: count, unit: oneOf(windowUnits) }, ["amount", "unit"]),
    overflow: oneOf(overflowWords),
    rollUpAt: text,
  },
  ["channel", "limit", "window"],
);

const given = object(
  {
    time: isoTime,
    subscribers: list(subscriber, 100),
    topics: record(list(text, 100)),
    variables: record(text),
    responses: record(record(object({ status, body: anything }))),
    variants: record(record(text)),
    attention: list(budget, maxBudgets),
  },
  ["time"],
);

const scenarioShape = object(
  {
    name: text,
    given,
    when: list(action, 200),
    until: moment,
    // biome-ignore lint/suspicious/noThenProperty: a member of the format; nothing waits for this table
    then: list(message, 500),
    steps: list(step, 500),
  },
  ["name", "given", "when", "then"],
);

const checkScenario = (node: Node | null, add: Add): void => scenarioShape(node, "the scenario", add);

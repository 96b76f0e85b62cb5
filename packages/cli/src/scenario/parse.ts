// Reads scenario files. Every error is reported with file, line and column; a key that the format does not have is one.
import { channels, digestFrequencies, type Scenario } from "@tidings/contract";
import { isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from "yaml";
import { CliError } from "../failure.ts";
import { parseDuration } from "../time.ts";

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

type Add = (node: Node | null, message: string) => void;
type Check = (node: Node | null, words: string, add: Add) => void;

/** An object with these members and no others. */
const object =
  (members: Record<string, Check>, required: readonly string[] = []): Check =>
  (node, words, add) => {
    if (!isMap(node)) return add(node, `${words} has to be an object`);
    const found = new Set<string>();
    for (const { key, value } of node.items) {
      const name = String(isScalar(key) ? key.value : key);
      const check = Object.hasOwn(members, name) ? members[name] : undefined;
      found.add(name);
      if (check) check(isNode(value) ? value : null, name, add);
      else
        add(
          isNode(key) ? key : node,
          `${words}: "${name}" is unknown. Expected one of ${Object.keys(members).join(", ")}`,
        );
    }
    for (const name of required) if (!found.has(name)) add(node, `${words}: "${name}" is missing`);
  };

/** An object with any names. */
const record =
  (member: Check): Check =>
  (node, words, add) => {
    if (!isMap(node)) return add(node, `${words} has to be an object`);
    for (const { key, value } of node.items)
      member(isNode(value) ? value : null, String(isScalar(key) ? key.value : key), add);
  };

const list =
  (item: Check, most: number): Check =>
  (node, words, add) => {
    if (!isSeq(node)) return add(node, `${words} has to be a list`);
    if (node.items.length > most) add(node, `${words} has more than ${most} entries`);
    for (const entry of node.items) item(isNode(entry) ? entry : null, words, add);
  };

const text: Check = (node, words, add) => {
  if (!isScalar(node) || typeof node.value !== "string" || node.value === "") add(node, `${words} has to be a text`);
};

const flag: Check = (node, words, add) => {
  if (!isScalar(node) || typeof node.value !== "boolean") add(node, `${words} has to be true or false`);
};

const anyObject: Check = (node, words, add) => {
  if (!isMap(node)) add(node, `${words} has to be an object`);
};

const anything: Check = () => undefined;

const oneOf =
  (words: readonly string[]): Check =>
  (node, name, add) => {
    if (!isScalar(node) || !words.includes(node.value as string))
      add(node, `${name} has to be one of ${words.join(", ")}`);
  };

const isoTime: Check = (node, words, add) => {
  if (!isScalar(node) || typeof node.value !== "string" || Number.isNaN(Date.parse(node.value)))
    add(node, `${words} has to be a time, such as "2026-03-02T09:00:00Z"`);
};

const moment: Check = (node, words, add) => {
  const given = isScalar(node) ? node.value : null;
  const isMoment =
    typeof given === "string" && ((given.startsWith("+") && parseDuration(given) !== null) || isIso(given));
  if (!isMoment) add(node, `${words} has to be "+0m", "+1d2h" or a time, such as "2026-03-02T09:00:00Z"`);
};

const isIso = (given: string): boolean => /^\d{4}-\d\d-\d\d/.test(given) && !Number.isNaN(Date.parse(given));

const range = object({ from: moment, to: moment }, ["from", "to"]);
const momentOrRange: Check = (node, words, add) => (isMap(node) ? range : moment)(node, words, add);

const matcher: Check = (node, words, add) => {
  if (!isMap(node)) return text(node, words, add);
  object({ contains: text, matches: text })(node, words, add);
  const pattern = node.get("matches");
  if (node.items.length !== 1) return add(node, `${words} has to have "contains" or "matches", and one of them`);
  if (typeof pattern !== "string") return;
  try {
    new RegExp(pattern, "su");
  } catch (error) {
    add(node, `${words}: ${(error as Error).message}`);
  }
};

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

const verbs = ["trigger", "broadcast", "cancel", "read", "archive"] as const;
const ofEvents = ["payload", "overrides", "actor", "context", "tenant", "transactionId"];
const besides: Record<(typeof verbs)[number], readonly string[]> = {
  trigger: ["to", ...ofEvents],
  broadcast: ofEvents,
  cancel: [],
  read: ["workflow"],
  archive: ["workflow"],
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
    },
    ["at"],
  )(node, words, add);
  if (!isMap(node)) return;
  const given = verbs.filter((verb) => node.has(verb));
  if (given.length > 1) return add(node, `an entry of "when" has one of ${verbs.join(", ")}`);
  const [verb] = given;
  const allowed = verb ? besides[verb] : [];
  for (const { key } of node.items) {
    const name = String(isScalar(key) ? key.value : key);
    if (name !== "at" && name !== verb && !allowed.includes(name) && [...ofEvents, "to", "workflow"].includes(name))
      add(isNode(key) ? key : node, `"${name}" does not belong to ${verb ? `"${verb}"` : 'an entry with "at" alone'}`);
  }
  if (verb === "trigger" && !node.has("to")) add(node, '"trigger" needs "to"');
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

const scenarioShape = object(
  {
    name: text,
    given: object({ time: isoTime, subscribers: list(subscriber, 100), topics: record(list(text, 100)) }, ["time"]),
    when: list(action, 200),
    until: moment,
    // biome-ignore lint/suspicious/noThenProperty: a member of the format; nothing waits for this table
    then: list(message, 500),
  },
  ["name", "given", "when", "then"],
);

const checkScenario = (node: Node | null, add: Add): void => scenarioShape(node, "the scenario", add);

// The rules behind the workflow editor: fields of steps, conditions, changes of two people, undo.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type DecidedBy, stepDefinitions, stepTypes } from "@tidings/contract";
import { changeHistory, startHistory } from "../src/drafts/history.ts";
import { lineDiff } from "../src/drafts/line-diff.ts";
import { readRule, writeRule } from "../src/fields/conditions.ts";
import { identifierFrom } from "../src/fields/identifier.ts";
import { jsonFault } from "../src/fields/json-fault.ts";
import { showsContent } from "../src/screens/layouts/shows-content.ts";
import { differencesOf, mergeDrafts } from "../src/screens/workflows/editor/differences.ts";
import { readRefusals } from "../src/screens/workflows/editor/issues.ts";
import { changeStep, type Draft, type DraftStep, newStep, withValue } from "../src/screens/workflows/editor/model.ts";
import { momentsOf, stateOf } from "../src/screens/workflows/simulator/axis.ts";
import { findFix } from "../src/screens/workflows/simulator/reasons.ts";
import { editorSteps } from "../src/steps/registry.gen.ts";

type Schema = { properties?: Record<string, Schema>; oneOf?: Schema[]; enum?: string[] };

/** Paths of the values that a schema has, without `skip`, which the conditions edit. */
function pathsOf(schema: Schema, prefix = ""): string[] {
  const branches = schema.oneOf ?? [schema];
  return branches.flatMap(({ properties = {} }) =>
    Object.entries(properties)
      .filter(([name]) => name !== "skip")
      .flatMap(([name, inner]) => (inner.properties ? pathsOf(inner, `${prefix}${name}.`) : [`${prefix}${name}`])),
  );
}

test("the form of each step type has the fields that the contract has", () => {
  for (const type of stepTypes) {
    const wanted = [...new Set(pathsOf(stepDefinitions[type].controls as Schema))].sort();
    const shown = editorSteps[type].fields.map(({ path }) => path).sort();
    assert.deepEqual(shown, wanted, type);
  }
});

test("the kinds of a step type are those of the contract", () => {
  for (const type of stepTypes) {
    const branches = (stepDefinitions[type].controls as Schema).oneOf;
    if (!branches) continue;
    const kinds = branches.flatMap(({ properties }) => properties?.type?.enum ?? []);
    const field = editorSteps[type].fields.find(({ path }) => path === "type");
    assert.deepEqual(Object.keys(field?.choices ?? {}), kinds);
    assert.equal(field?.fallback, kinds[0]);
  }
});

const rules: [rule: object, isLines: boolean][] = [
  [{ "==": [{ var: "payload.plan" }, "pro"] }, true],
  [{ "!": [{ "==": [{ var: "payload.plan" }, "pro"] }] }, true],
  [{ and: [{ ">": [{ var: "payload.total" }, 10] }, { notNull: [{ var: "subscriber.phone" }] }] }, true],
  [{ or: [{ "==": [{ var: "payload.code" }, "12"] }, { "!!": [{ var: "steps.a.read" }] }] }, true],
  [{ in: [{ var: "payload.plan" }, ["a", "b"]] }, true],
  [{ "==": [{ var: "payload.plan" }, null] }, true],
  [{ "!": { var: "payload.plan" } }, true],
  [{ "==": [{ var: "subscriber.phone" }, ""] }, true],
  [{ "==": ["pro", { var: "payload.plan" }] }, false],
  [{ and: [{ or: [{ "!!": [{ var: "a" }] }, { "!!": [{ var: "b" }] }] }, { "!!": [{ var: "c" }] }] }, true],
  [{ "==": [{ var: "payload.a" }, { var: "payload.b" }] }, true],
  [{ or: [{ and: [{ or: [{ and: [{ "!!": [{ var: "a" }] }] }] }] }] }, false],
  [{ "==": [{ var: ["payload.plan", "free"] }, "pro"] }, false],
  [{ some: [{ var: "payload.items" }, { ">": [{ var: "price" }, 5] }] }, false],
  [{ in: [{ var: "payload.plan" }, ["a, b"]] }, false],
  [{ "<": [1, { var: "payload.n" }, 5] }, false],
];

test("a condition that is read into lines is written as the same rule; others are left alone", () => {
  for (const [rule, isLines] of rules) {
    const condition = readRule(rule);
    assert.equal(condition !== null, isLines, JSON.stringify(rule));
    if (!condition) continue;
    assert.deepEqual(readRule(writeRule(condition)), condition);
    if (!("!" in rule && !Array.isArray(rule["!"]))) assert.deepEqual(writeRule(condition), rule);
  }
});

const step = (key: string, controlValues: Record<string, unknown> = {}): DraftStep => ({
  key,
  _id: key,
  stepId: key,
  name: key,
  type: "email",
  controlValues,
  active: true,
  shouldStopOnFail: false,
});

const base: Draft = {
  name: "Welcome",
  description: "",
  tags: [],
  active: true,
  validatePayload: false,
  payloadSchema: null,
  isTranslationEnabled: false,
  severity: "none",
  outsideSchedule: "hold",
  onUnknownOutcome: "may_duplicate",
  objectives: {},
  searchKeys: [],
  categoryId: null,
  isCommercial: false,
  messageClass: "transactional",
  priority: "normal",
  preferences: { user: null, workflow: { all: { enabled: true } } },
  steps: [step("a", { subject: "Hi", body: "one" }), step("b"), step("c")],
};
const values = (draft: Draft, key: string, changed: Record<string, unknown>) =>
  changeStep(draft, key, {
    controlValues: { ...draft.steps.find((one) => one.key === key)?.controlValues, ...changed },
  });
const insertStep = (draft: Draft, added: DraftStep, index: number): Draft => ({
  ...draft,
  steps: draft.steps.toSpliced(index, 0, added),
});
const moveStep = (draft: Draft, from: number, to: number): Draft => ({
  ...draft,
  steps: draft.steps.toSpliced(from, 1).toSpliced(to, 0, draft.steps[from]!),
});
const removeStep = (draft: Draft, key: string): Draft => ({
  ...draft,
  steps: draft.steps.filter((one) => one.key !== key),
});
const keysOf = ({ steps }: Draft) => steps.map(({ key }) => key).join("");

test("changes of two people in different fields are put together", () => {
  const mine = { ...values(base, "a", { subject: "Hello" }), name: "Welcome you" };
  const theirs = insertStep(values(base, "a", { body: "two" }), step("d"), 1);
  const { draft, clashes } = mergeDrafts(base, mine, theirs);
  assert.deepEqual(clashes, []);
  assert.equal(draft.name, "Welcome you");
  assert.deepEqual(draft.steps[0]?.controlValues, { subject: "Hello", body: "two" });
  assert.equal(keysOf(draft), "adbc");
});

test("what both changed is named, and mine is kept", () => {
  const mine = removeStep(values(base, "a", { subject: "Mine" }), "b");
  const theirs = values(values(base, "a", { subject: "Theirs" }), "b", { subject: "New" });
  const { draft, clashes } = mergeDrafts(base, mine, theirs);
  assert.deepEqual(clashes, ["a: controlValues.subject", "b"]);
  assert.equal(draft.steps[0]?.controlValues.subject, "Mine");
  assert.equal(keysOf(draft), "abc");
});

test("a removal and an order are kept when the other one left them alone", () => {
  assert.equal(keysOf(mergeDrafts(base, removeStep(base, "b"), base).draft), "ac");
  assert.equal(keysOf(mergeDrafts(base, base, removeStep(base, "b")).draft), "ac");
  assert.equal(keysOf(mergeDrafts(base, moveStep(base, 2, 0), base).draft), "cab");
  assert.equal(keysOf(mergeDrafts(base, base, moveStep(base, 2, 0)).draft), "cab");
  assert.equal(keysOf(mergeDrafts(base, moveStep(base, 2, 0), insertStep(base, step("d"), 3)).draft), "cdab");
});

test("differences name fields, places, additions and removals", () => {
  const after = removeStep(moveStep(values(base, "a", { subject: "Hello" }), 0, 2), "b");
  const { settings, steps } = differencesOf(base, { ...after, name: "X" });
  assert.deepEqual(settings, [{ field: "name", before: "Welcome", after: "X" }]);
  assert.deepEqual(
    steps.map(({ kind, stepId, fields }) => [kind, stepId, fields.map(({ field }) => field).join()]),
    [
      ["moved", "c", ""],
      ["changed", "a", "controlValues.subject"],
      ["removed", "b", ""],
    ],
  );
});

test("typing in one field is undone at once, and a new change ends the way forward", () => {
  let history = startHistory(base);
  const change = (draft: Draft, field: string, at: number) => {
    history = changeHistory(history, { kind: "change", draft, field, at });
  };
  change({ ...base, name: "W" }, "name", 0);
  change({ ...base, name: "We" }, "name", 200);
  change({ ...base, name: "We", tags: ["x"] }, "tags", 300);
  history = changeHistory(history, { kind: "undo" });
  assert.equal(history.present.name, "We");
  history = changeHistory(history, { kind: "undo" });
  assert.equal(history.present.name, "Welcome");
  history = changeHistory(history, { kind: "redo" });
  assert.equal(history.present.name, "We");
  change({ ...base, name: "Other" }, "name", 9_000);
  assert.equal(changeHistory(history, { kind: "redo" }), history);
});

test("a new step has a free name and identifier; an emptied value takes its object with it", () => {
  assert.equal(newStep("email", []).stepId, "email");
  assert.equal(newStep("email", [newStep("email", [])]).stepId, "email-2");
  assert.deepEqual(withValue({ redirect: { url: "/a" } }, "redirect.url", undefined), {});
  assert.deepEqual(withValue({}, "redirect.url", "/a"), { redirect: { url: "/a" } });
});

test("a text that is no JSON is told with its line", () => {
  assert.equal(jsonFault('{ "a": 1 }'), "");
  assert.match(jsonFault('{\n  "a": 1\n  "b": 2\n}'), /^line 3: expected ',' or '}'/);
  assert.match(jsonFault('{\n  "a": 1,\n'), /^line 3: expected double-quoted/);
});

test("a layout shows its content, or not, before the service is asked", () => {
  const shows = (body: string, editorType: "html" | "block" = "html") => showsContent({ body, editorType });
  assert.deepEqual(
    ["{{content}}", "<b>{{- content | raw }}</b>", "{% if payload.x %}{{ content }}{% endif %}"].map((one) =>
      shows(one),
    ),
    [true, true, true],
  );
  assert.deepEqual(
    ["", "<p>no content</p>", "{{ payload.a }} content", "{{ contents }}"].map((one) => shows(one)),
    [false, false, false, false],
  );
  assert.equal(shows('{"type":"doc","content":[{"type":"variable","attrs":{"id":"content"}}]}', "block"), true);
  assert.equal(shows('{"type":"doc","content":[]}', "block"), false);
});

test("identifiers keep letters that Unicode does not take apart, and steps are counted as steps", () => {
  assert.equal(identifierFrom("Größe & Maß, STRAẞE, Ørsted"), "grosse-mass-strasse-orsted");
  const steps = Array.from({ length: 60 }, (_, index) => step(`s${index}`));
  const [refusal] = readRefusals({ steps: "steps must contain no more than 20 elements" }, {
    steps,
  } as unknown as Draft);
  assert.equal(refusal?.message, "A workflow can have up to 20 steps (this one has 60).");
});

test("texts are compared line by line, with long stretches left out", () => {
  const before = Array.from({ length: 20 }, (_, line) => `line ${line}`).join("\n");
  const lines = lineDiff(before, before.replace("line 10", "line ten"));
  assert.deepEqual(
    lines.filter(({ kind }) => kind !== "same"),
    [
      { kind: "gap", text: "…" },
      { kind: "removed", text: "line 10" },
      { kind: "added", text: "line ten" },
      { kind: "gap", text: "…" },
    ],
  );
});

test("at a moment of a simulated run, steps are behind, being decided, waited for or ahead", () => {
  const at = (minutes: number) => new Date(minutes * 60_000).toISOString();
  const steps = [0, 60, 60].map((minutes, index) => ({
    stepId: String(index),
    name: "",
    type: "email" as const,
    outcome: "sent" as const,
    reason: "",
    at: at(minutes),
    messages: [],
  }));
  const run = { time: at(0), recipients: [{ steps }] } as never;
  assert.deepEqual(momentsOf(run), [0, 3_600_000]);
  assert.deepEqual(
    [0, 1, 2].map((index) => stateOf(steps, index, 0)),
    ["now", "waiting", "ahead"],
  );
  assert.deepEqual(
    [0, 1, 2].map((index) => stateOf(steps, index, 3_600_000)),
    ["past", "now", "now"],
  );
});

test("a reason of a dry-run leads to the setting that decided", () => {
  const linkOf = (decidedBy: DecidedBy) => {
    const explained = { stepId: "mail", name: "", type: "email", outcome: "skipped", reason: "" } as const;
    const fix = findFix({ ...explained, messages: [], decidedBy }, "ada", "welcome");
    return [fix?.link.to, JSON.stringify(fix?.link.search ?? {})].join(" ");
  };
  const subscriber = "/subscribers/$subscriberId";
  const workflow = "/workflows/$workflowId";
  assert.equal(linkOf({ kind: "preference", id: "ada" }), `${subscriber} {"tab":"preferences"}`);
  assert.equal(linkOf({ kind: "workflow", id: "welcome" }), `${workflow} {"tab":"settings"}`);
  assert.equal(linkOf({ kind: "condition", id: "mail" }), `${workflow} {"step":"mail"}`);
  assert.equal(linkOf({ kind: "subscriber", id: "ada" }), `${subscriber} {"tab":"profile"}`);
  assert.equal(linkOf({ kind: "integration" }), "/integrations {}");
});

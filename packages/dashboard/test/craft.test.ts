// What the editor does with steps of several places: uses of an identifier, copies, starters, search and replace.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dropOldDrafts } from "../src/drafts/draft-store.ts";
import { type Draft, type DraftStep, newStep } from "../src/screens/workflows/editor/model.ts";
import { starters, withStarter } from "../src/screens/workflows/editor/starters.ts";
import { pastedSteps } from "../src/screens/workflows/flow/copied-steps.ts";
import { findUses, renameUses } from "../src/screens/workflows/flow/step-uses.ts";
import { findHits, replaceIn, searchedLayout, searchedWorkflow } from "../src/screens/workflows/replace/replace.ts";

const step = (stepId: string, controlValues: Record<string, unknown> = {}): DraftStep => ({
  key: stepId,
  stepId,
  name: stepId,
  type: "email",
  controlValues,
  active: true,
  shouldStopOnFail: false,
});
const draftOf = (steps: DraftStep[]) => ({ steps }) as Draft;

test("an identifier is renamed wherever it is used, and nowhere else", () => {
  const draft = draftOf([
    step("mail-2"),
    step("a", {
      subject: "{{ steps.mail.events.size }} and {{ steps['mail'].eventCount }} but {{ steps.mail-2.read }}",
      body: "steps.mailing, mysteps.mail, {{ payload.mail }}",
      skip: { and: [{ "!!": [{ var: "steps.mail.read" }] }, { "==": [{ var: "steps.mail" }, 1] }] },
      data: { list: ["{{steps.mail}}"] },
    }),
  ]);
  assert.deepEqual(
    findUses(draft.steps, "mail").map(({ path }) => path),
    ["subject", "skip", "data.list.0"],
  );
  const [untouched, changed] = renameUses(draft, "mail", "letter").steps;
  assert.equal(untouched, draft.steps[0]);
  assert.deepEqual(changed!.controlValues, {
    subject: "{{ steps.letter.events.size }} and {{ steps['letter'].eventCount }} but {{ steps.mail-2.read }}",
    body: "steps.mailing, mysteps.mail, {{ payload.mail }}",
    skip: { and: [{ "!!": [{ var: "steps.letter.read" }] }, { "==": [{ var: "steps.letter" }, 1] }] },
    data: { list: ["{{steps.letter}}"] },
  });
  assert.deepEqual(findUses(renameUses(draft, "mail", "letter").steps, "mail"), []);
});

test("a pasted step keeps its content, and takes another name where its own is taken", () => {
  const { key: _key, ...copied } = step("welcome", { subject: "Hi" });
  const [alone] = pastedSteps({ step: copied, workflow: "Other" }, []) as [DraftStep];
  assert.deepEqual([alone.stepId, alone.controlValues], ["welcome", { subject: "Hi" }]);
  const [beside] = pastedSteps({ step: copied, workflow: "Other" }, [alone]) as [DraftStep];
  assert.notEqual(beside.stepId, "welcome");
  assert.notEqual(beside.key, alone.key);
  assert.equal(beside._id, undefined);
});

test("every starter adds steps that refer to each other", () => {
  for (const starter of starters) {
    const { draft, first } = withStarter(draftOf([newStep("in_app", [])]), starter);
    assert.equal(draft.steps.length, 1 + starter.parts.length);
    assert.equal(draft.steps[1], first);
    assert.equal(new Set(draft.steps.map(({ stepId }) => stepId)).size, draft.steps.length);
  }
  const { draft } = withStarter(draftOf([]), starters.find(({ id }) => id === "unread")!);
  const [message, , mail] = draft.steps;
  assert.deepEqual(mail!.controlValues.skip, { "!!": [{ var: `steps.${message!.stepId}.read` }] });
});

test("search shows each place once, and replaces texts as they are written", () => {
  const subject = "Acme, acme (ACME)";
  const parts = [
    { place: "a", values: { subject, body: "x".repeat(50) } },
    { place: "b", values: { n: 3 } },
  ];
  const search = { text: "acme", isCaseSensitive: false };
  const [hit, ...more] = findHits(parts, search);
  assert.deepEqual(more, []);
  assert.deepEqual([hit!.path, hit!.count, hit!.match, hit!.after], ["subject", 3, "Acme", ", acme (ACME)"]);
  assert.equal(findHits(parts, { ...search, isCaseSensitive: true })[0]!.count, 1);
  const changed = replaceIn(parts[0]!.values, { text: "(ACME)", isCaseSensitive: true }, "$& Co.");
  assert.equal(changed.subject, "Acme, acme $& Co.");
  assert.equal(replaceIn(parts[1]!.values, search, "x"), parts[1]!.values);
  assert.deepEqual(findHits(parts, { text: "", isCaseSensitive: true }), []);
});

test("in a block document, texts, addresses and conditions are replaced, and it stays a document", () => {
  const button = { type: "button", attrs: { text: "left", url: "https://left.example", alignment: "left" } };
  const showIfKey = { "==": [{ var: "payload.left" }, true] };
  const paragraph = { type: "paragraph", attrs: { showIfKey }, content: [{ type: "text", text: "left, left" }] };
  const body = JSON.stringify({ type: "doc", content: [paragraph, button] });
  const search = { text: "left", isCaseSensitive: true };
  assert.deepEqual(
    findHits([{ place: "Email", values: { body } }], search).map(({ path, count }) => [path, count]),
    [["body", 5]],
  );
  const replacement = 'a "quoted"\nline';
  const changed = JSON.parse(replaceIn({ body }, search, replacement).body);
  assert.deepEqual(changed.content[1].attrs, {
    text: replacement,
    url: `https://${replacement}.example`,
    alignment: "left",
  });
  assert.equal(changed.content[0].content[0].text, `${replacement}, ${replacement}`);
  assert.deepEqual(changed.content[0].attrs.showIfKey["=="][0], { var: `payload.${replacement}` });
  assert.equal(replaceIn({ body }, { text: "paragraph", isCaseSensitive: true }, "x").body, body);
});

test("workflows are searched with name, description and texts; layouts too", () => {
  const search = { text: "Acme", isCaseSensitive: true };
  const translations = { en_US: { greeting: "Hi from Acme" }, de_DE: { greeting: "Hallo" } };
  const steps = [{ stepId: "mail", type: "email" as const, controlValues: { subject: "Acme" } }];
  const workflow = searchedWorkflow({ workflowId: "w", name: "Acme", description: "By Acme", steps, translations });
  assert.deepEqual(
    findHits(workflow.parts, search).map(({ place, path, locale }) => [place, path, locale]),
    [
      ["Workflow", "name", undefined],
      ["Workflow", "description", undefined],
      ["mail", "subject", undefined],
      ["Texts in en_US", "greeting", "en_US"],
    ],
  );
  const layout = searchedLayout({ layoutId: "l", name: "Acme", body: "<p>Acme</p>", translations });
  assert.equal(findHits(layout.parts, search).length, 3);
});

test("drafts in the browser go after 90 days, and what is not a draft with them", (context) => {
  const now = Date.parse("2026-06-30T12:00:00Z");
  const stored = new Map([
    ["tidings.draft.1.e.p.new", JSON.stringify({ at: "2026-04-02T12:00:00Z" })],
    ["tidings.draft.1.e.p.old", JSON.stringify({ at: "2026-04-01T11:00:00Z" })],
    ["tidings.draft.1.e.p.broken", "{"],
    ["tidings.draft.1.e.p.other", JSON.stringify({ at: "lately" })],
    ["tidings.theme", "dark"],
  ]);
  const storage = {
    get length() {
      return stored.size;
    },
    key: (index: number) => [...stored.keys()][index] ?? null,
    getItem: (key: string) => stored.get(key) ?? null,
    removeItem: (key: string) => stored.delete(key),
  };
  const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
  context.after(() => {
    if (before) Object.defineProperty(globalThis, "localStorage", before);
  });
  dropOldDrafts(now);
  assert.deepEqual([...stored.keys()], ["tidings.draft.1.e.p.new", "tidings.theme"]);
});

// Steps as a tree: whatever is done to them, every step has a place that the service accepts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { armFaults, earlierSteps, heldOutVariant } from "@tidings/contract";
import fc from "@tidings/testkit/properties";
import type { DraftStep } from "../src/screens/workflows/editor/model.ts";
import { copyOf, pastedSteps } from "../src/screens/workflows/flow/copied-steps.ts";
import {
  changeArms,
  type Fate,
  inOrder,
  insertSteps,
  moveStep,
  nextPlace,
  type Place,
  placeOf,
  removeStep,
  renameStep,
  treeOf,
} from "../src/screens/workflows/flow/tree.ts";
import { schemaOf, templateFault } from "../src/screens/workflows/forms/json-template.ts";
import { heldOutVariant as ownHeldOut, shareOf } from "../src/screens/workflows/forms/variants.ts";

const step = (stepId: string, arm?: string, arms?: string[]): DraftStep => ({
  key: `key-${stepId}`,
  stepId,
  name: stepId,
  type: arms ? "branch" : "in_app",
  controlValues: arms ? { arms: arms.map((id) => ({ id, condition: {} })) } : {},
  active: true,
  shouldStopOnFail: false,
  ...(arm !== undefined && { arm }),
});
const idsOf = (steps: readonly DraftStep[]) =>
  steps.map(({ stepId, arm }) => (arm === undefined ? stepId : `${arm}:${stepId}`)).join(" ");

const example = [
  step("first"),
  step("b", undefined, ["x", "y"]),
  step("inX", "b/x"),
  step("deep", "b/x", ["p"]),
  step("inP", "deep/p"),
  step("inElse", "b/else"),
  step("last"),
];

/** Every place that steps have, and the end of each arm. */
const placesOf = (steps: readonly DraftStep[]): Place[] => {
  const arms = [undefined, ...steps.flatMap((one) => armPaths(one))];
  return [
    ...arms.map((arm): Place => ({ arm, before: undefined })),
    ...steps.map(({ key, arm }): Place => ({ arm, before: key })),
  ];
};
const armPaths = (one: DraftStep): string[] => treeOf([one])[0]!.arms.map(({ path }) => path);

const change = fc.oneof(
  fc.record({ kind: fc.constant("insert" as const), at: fc.nat(), isBranch: fc.boolean() }),
  fc.record({ kind: fc.constant("move" as const), at: fc.nat(), of: fc.nat() }),
  fc.record({ kind: fc.constant("shift" as const), of: fc.nat(), way: fc.constantFrom(1 as const, -1 as const) }),
  fc.record({ kind: fc.constant("remove" as const), of: fc.nat(), fate: fc.constantFrom<Fate>("removed", "kept") }),
  fc.record({ kind: fc.constant("duplicate" as const), of: fc.nat() }),
  fc.record({ kind: fc.constant("rename" as const), of: fc.nat() }),
  fc.record({ kind: fc.constant("arms" as const), of: fc.nat(), fate: fc.constantFrom<Fate>("removed", "kept") }),
);

test("any changes one after the other keep every step in a place that the service accepts", () => {
  const run = (changes: readonly (typeof change extends fc.Arbitrary<infer C> ? C : never)[]) => {
    let steps: DraftStep[] = example;
    let count = 0;
    for (const one of changes) {
      const chosen = "of" in one && steps.length > 0 ? steps[one.of % steps.length] : undefined;
      const keys = new Set(steps.map(({ key }) => key));
      const places = placesOf(steps);
      if (one.kind === "insert" && steps.length < 40) {
        const added = step(`new${count++}`, undefined, one.isBranch ? ["x", "y"] : undefined);
        steps = insertSteps(steps, places[one.at % places.length]!, [added]) ?? steps;
      }
      if (!chosen) continue;
      if (one.kind === "move") steps = moveStep(steps, chosen.key, places[one.at % places.length]!) ?? steps;
      if (one.kind === "shift") {
        const place = nextPlace(steps, chosen.key, one.way);
        if (place) {
          const here = placeOf(steps, chosen.key);
          const moved = moveStep(steps, chosen.key, place);
          assert.ok(moved, "a next place can be used");
          // The way back is the same.
          const back = nextPlace(moved, chosen.key, one.way === 1 ? -1 : 1);
          assert.deepEqual(back, here);
          steps = moved;
        }
      }
      if (one.kind === "move" || one.kind === "shift")
        assert.deepEqual(new Set(steps.map(({ key }) => key)), keys, "a move loses nothing");
      if (one.kind === "remove") {
        const left = removeStep(steps, chosen.key, one.fate);
        assert.ok(!left.some(({ key }) => key === chosen.key));
        if (one.fate === "kept") assert.equal(left.length, steps.length - 1);
        steps = left;
      }
      if (one.kind === "duplicate" && steps.length < 20) {
        const added = pastedSteps(copyOf(steps, chosen, "This")!, steps);
        const next = insertSteps(steps, placeOf(steps, chosen.key)!, added);
        assert.equal(next?.length, steps.length + added.length);
        steps = next!;
      }
      if (one.kind === "rename") steps = renameStep(steps, chosen.key, `renamed${count++}`);
      if (one.kind === "arms" && chosen.type === "branch") {
        const arms = (chosen.controlValues.arms as unknown[]).slice(1);
        const left = changeArms(steps, chosen.key, { values: { arms }, fate: one.fate });
        if (one.fate === "kept") assert.equal(left.length, steps.length);
        steps = left;
      }
      assert.deepEqual(armFaults(steps), [], idsOf(steps));
      assert.deepEqual(inOrder(steps), steps);
      assert.equal(new Set(steps.map(({ stepId }) => stepId)).size, steps.length);
      assert.equal(new Set(steps.map(({ key }) => key)).size, steps.length);
    }
  };
  fc.assert(fc.property(fc.array(change, { maxLength: 30 }), run), { numRuns: 300 });
});

test("a step moves by keyboard into an arm, along it, and out of it", () => {
  const seen: string[] = [];
  let steps: DraftStep[] | null = [step("a"), step("b", undefined, ["x"]), step("inX", "b/x"), step("z")];
  for (let place: Place | undefined; steps; ) {
    seen.push(idsOf(steps));
    place = nextPlace(steps, "key-a", 1);
    steps = place ? moveStep(steps, "key-a", place) : null;
  }
  assert.deepEqual(seen, [
    "a b b/x:inX z",
    "b b/x:a b/x:inX z",
    "b b/x:inX b/x:a z",
    "b b/x:inX b/else:a z",
    "b b/x:inX a z",
    "b b/x:inX z a",
  ]);
});

test("a branch is not moved into itself, nor deeper than three", () => {
  assert.equal(moveStep(example, "key-b", { arm: "deep/p", before: undefined }), null);
  assert.equal(moveStep(example, "key-b", { arm: undefined, before: "key-b" }), null);
  const deep = [
    step("one", undefined, ["x"]),
    step("two", "one/x", ["x"]),
    step("three", "two/x", ["x"]),
    step("in3", "three/x"),
  ];
  assert.equal(insertSteps(deep, { arm: "three/x", before: undefined }, [step("new")])?.length, 5);
  const branch = [step("four", undefined, ["x"]), step("in4", "four/x")];
  assert.equal(insertSteps(deep, { arm: "three/x", before: undefined }, branch), null);
});

test("a removed branch takes its steps along, or leaves them where it was", () => {
  assert.equal(idsOf(removeStep(example, "key-b")), "first last");
  assert.equal(idsOf(removeStep(example, "key-b", "kept")), "first inX deep deep/p:inP inElse last");
});

test("the steps of an arm follow its id", () => {
  const arms = ["left", "y"].map((id) => ({ id, condition: {} }));
  const renamed = changeArms(example, "key-b", { values: { arms }, renamed: { from: "x", to: "left" } });
  assert.equal(idsOf(renamed), "first b b/left:inX b/left:deep deep/p:inP b/else:inElse last");
});

test("a copied branch brings its steps, and they refer to the copies", () => {
  const wait = step("wait", "b/x");
  const steps: DraftStep[] = [
    step("b", undefined, ["x"]),
    { ...step("mail", "b/x"), controlValues: { body: "{{ steps.b.arm }} {{ steps.other.read }}" } },
    { ...wait, type: "wait", controlValues: { message: { stepId: "mail", event: "read" } } },
  ];
  const added = pastedSteps(copyOf(steps, steps[0]!, "This")!, steps);
  assert.equal(idsOf(added), "b-2 b-2/x:mail-2 b-2/x:wait-2");
  assert.equal(added[1]!.controlValues.body, "{{ steps.b-2.arm }} {{ steps.other.read }}");
  assert.deepEqual(added[2]!.controlValues.message, { stepId: "mail-2", event: "read" });
  const alone = pastedSteps(copyOf(steps, steps[1]!, "This")!, []);
  assert.deepEqual([alone.length, alone[0]!.stepId, alone[0]!.arm], [1, "mail", undefined]);
});

test("another identifier is known to the steps of its arms and to waits for its message", () => {
  const wait: DraftStep = { ...step("w"), type: "wait", controlValues: { message: { stepId: "inX", event: "read" } } };
  assert.equal(
    idsOf(renameStep(example, "key-b", "plan")),
    "first plan plan/x:inX plan/x:deep deep/p:inP plan/else:inElse last",
  );
  const renamed = renameStep([...example, wait], "key-inX", "hello");
  assert.deepEqual(renamed.at(-1)!.controlValues.message, { stepId: "hello", event: "read" });
});

test("shares add up, without the people who are held out", () => {
  const all = [{ id: "a", weight: 3 }, { id: "b" }, { id: "off", weight: 0 }];
  assert.deepEqual(
    all.map((one) => shareOf(one, all, 20)),
    ["60 %", "20 %", "0 %"],
  );
  assert.equal(ownHeldOut, heldOutVariant);
});

test("JSON with variables is checked as it will be, and a sample gives its schema", () => {
  for (const text of ["", '{ "a": {{ payload.n }}, "b": "x {{ y }} \\" z" }', "{% if a %}{{% endif %}", "[1]"])
    assert.equal(templateFault(text), "", text);
  for (const text of ['{ "a": }', '{ "a": {{ payload.n }', '{ "a": {{ x }} "b": 1 }'])
    assert.notEqual(templateFault(text), "", text);
  assert.deepEqual(schemaOf({ a: [{ b: 1.5 }], c: null, d: true, e: [] }), {
    type: "object",
    properties: {
      a: { type: "array", items: { type: "object", properties: { b: { type: "number" } } } },
      c: {},
      d: { type: "boolean" },
      e: { type: "array" },
    },
  });
});

test("inside an arm, the steps of other arms cannot have run", () => {
  const before = (stepId: string) =>
    earlierSteps(
      example,
      example.findIndex((one) => one.stepId === stepId),
    )
      .map((one) => one.stepId)
      .join(" ");
  assert.equal(before("inP"), "first b inX deep");
  assert.equal(before("inElse"), "first b");
  assert.equal(before("last"), "first b inX deep inP inElse");
});

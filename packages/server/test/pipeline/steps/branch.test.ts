// Branches: which arm a run takes, which steps it leaves out, and where steps may be placed.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { armFaults, elseArm, type PlacedStep, readArm } from "@tidings/contract";
import fc from "@tidings/testkit/properties";
import { advance } from "../../../src/pipeline/run/advance.ts";
import type { Run } from "../../../src/pipeline/run/run.ts";
import { factsOf, now, runOf, statuses, step } from "../../support/runs.ts";

const orderIs = (order: number) => ({ "==": [{ var: "payload.order" }, order] });
const branch = (stepId: string, arms: object[], more: object = {}) => step("branch", { arms }, { stepId, ...more });
const inApp = (arm?: string) => step("in_app", { body: "x" }, { arm });

const advanced = (run: Run): Run => {
  advance(run, factsOf(), now);
  return run;
};

describe("which arm is taken", () => {
  const two = [
    { id: "six", condition: orderIs(6) },
    { id: "seven", name: "Seven", condition: orderIs(7) },
    { id: "any", condition: { "!!": [1] } },
  ];

  test("the first that is true; the steps of the others are skipped, those behind follow", () => {
    const run = advanced(
      runOf([branch("b", two), inApp("b/six"), inApp("b/seven"), inApp("b/any"), inApp("b/else"), inApp()]),
    );
    assert.deepEqual(statuses(run), ["completed", "skipped", "completed", "skipped", "skipped", "completed"]);
    assert.deepEqual(run.jobs[0]!.output, { arm: "seven" });
    assert.deepEqual(run.jobs[1]!.newDetails[0]!.r, { branch: "b", arm: "six", taken: "seven" });
  });

  test("without a true one, else", () => {
    const run = advanced(runOf([branch("b", two.slice(0, 1)), inApp("b/six"), inApp("b/else")]));
    assert.deepEqual(statuses(run), ["completed", "skipped", "completed"]);
  });

  test("an arm without a condition is not taken", () => {
    const run = advanced(runOf([branch("b", [{ id: "a" }, { id: "b", condition: {} }]), inApp("b/a"), inApp("b/b")]));
    assert.deepEqual(run.jobs[0]!.output, { arm: elseArm });
    assert.deepEqual(statuses(run), ["completed", "skipped", "skipped"]);
  });

  test("a branch that is skipped or fails takes no arm, and the run goes on behind it", () => {
    const skipped = advanced(
      runOf([step("branch", { arms: two, skip: { "==": [1, 1] } }, { stepId: "b" }), inApp("b/else"), inApp()]),
    );
    assert.deepEqual(statuses(skipped), ["skipped", "skipped", "completed"]);
    const failed = advanced(runOf([branch("b", [{ id: "a", condition: { nosuch: 1 } }]), inApp("b/else"), inApp()]));
    assert.deepEqual(statuses(failed), ["failed", "skipped", "completed"]);
    assert.equal(failed.jobs[1]!.newDetails[0]!.r?.reason, "the branch failed");
  });

  test("the choice stays when the person changes while the run waits", () => {
    const isAda = { "==": [{ var: "subscriber.subscriberId" }, "ada"] };
    const run = advanced(
      runOf([
        branch("b", [{ id: "ada", condition: isAda }]),
        step("delay", { amount: 1, unit: "hours" }, { arm: "b/ada" }),
        inApp("b/ada"),
        inApp("b/else"),
      ]),
    );
    run.subscriber = { ...run.subscriber!, subscriber_id: "bob" };
    advance(run, factsOf(), run.jobs[1]!.wakeAt!);
    assert.deepEqual(statuses(run), ["completed", "completed", "completed", "skipped"]);
  });
});

describe("the places of steps", () => {
  const placed = (stepId: string, arm?: string, type = "in_app"): PlacedStep => ({ stepId, type, arm });
  const fork = (stepId: string, arm?: string): PlacedStep => ({
    stepId,
    type: "branch",
    arm,
    controlValues: { arms: [{ id: "a" }, { id: "b" }] },
  });
  const cases: [string, PlacedStep[], RegExp | null][] = [
    ["two arms and a step behind", [fork("f"), placed("x", "f/a"), placed("y", "f/b"), placed("z")], null],
    ["else", [fork("f"), placed("x", "f/else")], null],
    ["three deep", [fork("f"), fork("g", "f/a"), fork("h", "g/b"), placed("x", "h/else"), placed("y", "f/a")], null],
    ["four deep", [fork("f"), fork("g", "f/a"), fork("h", "g/b"), fork("i", "h/a"), placed("x", "i/a")], /3 deep/],
    ["an unknown branch", [placed("x", "f/a")], /there is no step f/],
    ["a branch that comes later", [placed("x", "f/a"), fork("f")], /must come before/],
    ["its own branch", [fork("f", "f/a")], /must come before/],
    ["a step that is no branch", [placed("d"), placed("x", "d/a")], /d is not a branch/],
    ["an unknown arm", [fork("f"), placed("x", "f/c")], /no arm c; it has a, b, else/],
    [
      "behind the end of the group",
      [fork("f"), placed("x", "f/a"), placed("y"), placed("z", "f/b")],
      /does not belong/,
    ],
    [
      "an arm in two parts",
      [fork("f"), placed("x", "f/a"), placed("y", "f/b"), placed("z", "f/a")],
      /follow each other/,
    ],
    [
      "an outer arm in two parts",
      [fork("f"), fork("g", "f/a"), placed("y", "f/b"), placed("z", "g/a")],
      /does not belong/,
    ],
  ];
  for (const [name, steps, message] of cases) {
    test(name, () => {
      const faults = armFaults(steps);
      if (message === null) assert.deepEqual(faults, []);
      else assert.match(faults.at(-1)!.message, message);
    });
  }
});

/** A tree of branches, as an author thinks of it, written as the flat list. */
type Node = { kind: "step" } | { kind: "fork"; arms: [boolean, Node[]][]; otherwise: Node[] };

const tree = fc.letrec<{ node: Node; nodes: Node[] }>((tie) => ({
  nodes: fc.array(tie("node"), { maxLength: 3 }),
  node: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constant<Node>({ kind: "step" }),
    fc.record({
      kind: fc.constant("fork" as const),
      arms: fc.array(fc.tuple(fc.boolean(), tie("nodes")), { minLength: 1, maxLength: 3 }),
      otherwise: tie("nodes"),
    }),
  ),
}));

/** The flat list, and the ids of the steps that run according to the tree. */
function flatten(nodes: Node[]) {
  const steps: ReturnType<typeof step>[] = [];
  const expected: string[] = [];
  const visit = (list: Node[], arm: string | undefined, isTaken: boolean) => {
    for (const node of list) {
      const stepId = `s${steps.length}`;
      if (isTaken) expected.push(stepId);
      if (node.kind === "step") {
        steps.push(step("in_app", { body: "x" }, { stepId, arm }));
        continue;
      }
      const arms = node.arms.map(([isTrue], index) => ({ id: `a${index}`, condition: { "==": [isTrue, true] } }));
      steps.push(step("branch", { arms }, { stepId, arm }));
      const first = node.arms.findIndex(([isTrue]) => isTrue);
      for (const [index, [, inside]] of node.arms.entries())
        visit(inside, `${stepId}/a${index}`, isTaken && index === first);
      visit(node.otherwise, `${stepId}/${elseArm}`, isTaken && first < 0);
    }
  };
  visit(nodes, undefined, true);
  return { steps, expected };
}

test("any tree of branches runs the steps that an interpreter of the tree runs", () => {
  fc.assert(
    fc.property(tree.nodes, (nodes) => {
      const { steps, expected } = flatten(nodes);
      assert.deepEqual(armFaults(steps), []);
      const run = advanced(runOf(steps));
      const ran = run.jobs.filter(({ status }) => status === "completed").map((job) => job.step.stepId);
      assert.deepEqual(ran, expected);
      for (const { step: one, status } of run.jobs) {
        if (status === "skipped") assert.ok(readArm(one.arm!).branch);
      }
    }),
    { numRuns: 300 },
  );
});

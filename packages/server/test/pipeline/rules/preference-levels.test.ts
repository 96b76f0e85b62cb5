// The rule that decides about a channel, against a second reading of the same sentences, over all combinations.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkflowPreference } from "@tidings/contract";
import { details } from "../../../src/pipeline/rules/details.ts";
import {
  decidePreference,
  filterDetail,
  isCritical,
  type PreferenceLevels,
  withChoices,
} from "../../../src/pipeline/rules/preferences.ts";

const maybe = [undefined, true, false] as const;

function* workflowLevels(): Generator<WorkflowPreference> {
  for (const enabled of maybe) {
    for (const readOnly of maybe) {
      for (const email of maybe) yield { all: { enabled, readOnly }, channels: { email: { enabled: email } } };
    }
  }
}

/** Completed levels are laid over each other, weakest first; the last one that says something stays. */
function reference(levels: PreferenceLevels): { enabled: boolean; by: string | null } {
  const complete = (level: WorkflowPreference | null) => level?.channels?.email?.enabled ?? level?.all?.enabled;
  let readOnly = levels.default.all?.readOnly;
  if (levels.user?.all?.readOnly !== undefined) readOnly = levels.user.all.readOnly;
  const layers: [string, boolean | undefined][] = [
    ["workflow", complete(levels.default)],
    ["dashboard", complete(levels.user)],
  ];
  if (!readOnly) {
    layers.push(["subscriber_global", levels.subscriberGlobal?.plain?.email]);
    layers.push(["subscriber_global", levels.subscriberGlobal?.scoped?.email]);
    layers.push(["subscriber_workflow", levels.subscriberWorkflow?.plain?.email]);
    layers.push(["subscriber_workflow", levels.subscriberWorkflow?.scoped?.email]);
  }
  let verdict: { enabled: boolean; by: string | null } = { enabled: true, by: null };
  for (const [by, enabled] of layers) if (enabled !== undefined) verdict = { enabled, by };
  return verdict;
}

test("every combination of levels is decided as the reference does", () => {
  const subscribers: Pick<PreferenceLevels, "subscriberGlobal" | "subscriberWorkflow">[] = [{}];
  for (const a of maybe) {
    for (const b of maybe) {
      for (const c of maybe) {
        for (const d of maybe) {
          subscribers.push({
            subscriberGlobal: { scoped: { email: a }, plain: { email: b } },
            subscriberWorkflow: { scoped: { email: c }, plain: { email: d } },
          });
        }
      }
    }
  }
  let count = 0;
  for (const base of workflowLevels()) {
    for (const user of [null, ...workflowLevels()]) {
      for (const subscriber of subscribers) {
        const levels: PreferenceLevels = { default: base, user, ...subscriber };
        const wanted = reference(levels);
        const decision = decidePreference(levels, "email");
        const { enabled, level } = decision;
        if (enabled !== wanted.enabled || level !== wanted.by) {
          assert.deepEqual({ enabled, by: level }, wanted, JSON.stringify(levels));
        }
        const filtered = filterDetail(decision);
        if (filtered !== (wanted.enabled ? null : `filtered_by_${wanted.by}`)) assert.fail(JSON.stringify(levels));
        count++;
      }
    }
  }
  assert.equal(count, 27 * 28 * 82);
});

test("each level that says no has a text of its own", () => {
  const no = { all: { enabled: false } };
  const choice = (workflow_id: string | null, context_keys: string[] = []) => ({
    workflow_id,
    context_keys,
    channels: { email: false },
  });
  const textOf = (levels: PreferenceLevels) => details[filterDetail(decidePreference(levels, "email"))!].text;
  assert.equal(textOf({ default: no, user: null }), "Step filtered by workflow preferences");
  assert.equal(textOf({ default: {}, user: no }), "Step filtered by dashboard preferences");
  const open = { default: {}, user: null };
  assert.equal(textOf(withChoices(open, [choice(null)], "w", [])), "Step filtered by subscriber global preferences");
  assert.equal(textOf(withChoices(open, [choice("w")], "w", [])), "Step filtered by subscriber workflow preferences");
});

test("choices are looked up with the contexts first and without context second", () => {
  const open = { default: {}, user: null };
  const scoped = { workflow_id: "w", context_keys: ["tenant:a"], channels: { email: false } };
  const plain = { workflow_id: "w", context_keys: [], channels: { email: true, sms: false } };
  const other = { workflow_id: "other", context_keys: [], channels: { email: false } };
  const levels = withChoices(open, [scoped, plain, other], "w", ["tenant:a"]);
  assert.deepEqual(decidePreference(levels, "email"), { enabled: false, level: "subscriber_workflow", isScoped: true });
  assert.deepEqual(decidePreference(levels, "sms"), { enabled: false, level: "subscriber_workflow", isScoped: false });
  assert.equal(decidePreference(withChoices(open, [scoped, plain], "w", []), "email").enabled, true);
  assert.equal(decidePreference(withChoices(open, [scoped, plain], "w", ["tenant:b"]), "email").enabled, true);
  assert.equal(decidePreference(withChoices(open, [other], "w", []), "email").level, null);
});

test("the dashboard's word on readOnly counts before the workflow's", () => {
  const levels = { default: { all: { readOnly: true } }, user: { all: { readOnly: false } } };
  assert.equal(isCritical(levels), false);
  assert.equal(isCritical({ ...levels, user: null }), true);
});

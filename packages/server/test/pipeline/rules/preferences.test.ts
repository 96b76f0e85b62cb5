import assert from "node:assert/strict";
import { test } from "node:test";
import { type Channel, channels, type WorkflowPreference } from "@tidings/contract";
import fc from "@tidings/testkit/properties";
import {
  decidePreference,
  filterDetail,
  isCritical,
  type PreferenceLevels,
  withChoices,
} from "../../../src/pipeline/rules/preferences.ts";
import type { CategoryRule } from "../../../src/store/subscribers/categories.ts";

const filteredBy = (levels: PreferenceLevels, channel: Channel) => filterDetail(decidePreference(levels, channel));

const level = (all?: boolean, email?: boolean): WorkflowPreference =>
  ({
    ...(all === undefined ? {} : { all: { enabled: all } }),
    channels: email === undefined ? {} : { email: { enabled: email } },
  }) as WorkflowPreference;

test("the strongest level that says something about the channel decides", () => {
  const table: [levels: PreferenceLevels, expected: string | null][] = [
    [{ user: null, default: level() }, null],
    [{ user: null, default: level(true) }, null],
    [{ user: null, default: level(false) }, "filtered_by_workflow"],
    [{ user: null, default: level(true, false) }, "filtered_by_workflow"],
    [{ user: null, default: level(false, true) }, null],
    [{ user: level(true), default: level(false) }, null],
    [{ user: level(false), default: level(true) }, "filtered_by_dashboard"],
    [{ user: level(undefined, false), default: level(true) }, "filtered_by_dashboard"],
    [{ user: level(true, false), default: level(true, true) }, "filtered_by_dashboard"],
    [{ user: level(false, true), default: level(false, false) }, null],
    // A level that is silent about the channel leaves the decision to the weaker one.
    [{ user: level(), default: level(false) }, "filtered_by_workflow"],
    [{ user: level(), default: level(true, false) }, "filtered_by_workflow"],
  ];
  for (const [levels, expected] of table) {
    assert.equal(filteredBy(levels, "email"), expected, JSON.stringify(levels));
  }
});

test("a level may be stored without members", () => {
  const bare = {} as WorkflowPreference;
  assert.equal(filteredBy({ user: bare, default: bare }, "in_app"), null);
  assert.equal(isCritical({ user: bare, default: bare }), false);
});

const category = (changes: Partial<CategoryRule> = {}): CategoryRule => ({
  id: "c",
  categoryId: "news",
  name: "News",
  required: false,
  channels: {},
  ...changes,
});

test("a category stands between what the subscriber and the workflow say", () => {
  const off = { email: false };
  const on = { email: true };
  const critical = { all: { readOnly: true } };
  const table: [levels: PreferenceLevels, expected: string | null][] = [
    [{ user: null, default: {}, category: category({ channels: off }) }, "filtered_by_category"],
    [{ user: level(true), default: level(true), category: category({ channels: off }) }, "filtered_by_category"],
    [{ user: level(false), default: {}, category: category({ channels: on }) }, null],
    [{ user: level(false), default: {}, category: category() }, "filtered_by_dashboard"],
    [{ user: null, default: {}, category: category({ channels: off }), subscriberGlobal: { plain: on } }, null],
    [
      {
        user: null,
        default: {},
        category: category(),
        subscriberGlobal: { plain: on },
        subscriberCategory: { plain: off },
      },
      "filtered_by_subscriber_category",
    ],
    [
      {
        user: null,
        default: {},
        category: category(),
        subscriberCategory: { plain: off },
        subscriberWorkflow: { plain: on },
      },
      null,
    ],
    [{ user: null, default: {}, category: category({ required: true }), subscriberWorkflow: { plain: off } }, null],
    [{ user: null, default: {}, category: category({ required: true }), subscriberGlobal: { plain: off } }, null],
    // A required category still has its defaults, and a critical workflow has none.
    [
      {
        user: null,
        default: {},
        category: category({ required: true, channels: off }),
        subscriberGlobal: { plain: on },
      },
      "filtered_by_category",
    ],
    [{ user: null, default: critical, category: category({ channels: off }) }, null],
  ];
  for (const [levels, expected] of table) {
    assert.equal(filteredBy(levels, "email"), expected, JSON.stringify(levels));
  }
  assert.equal(isCritical({ user: null, default: {}, category: category({ required: true }) }), true);
});

const choice = fc.option(fc.boolean(), { nil: undefined });
const scopes = fc.option(fc.record({ scoped: choice, plain: choice }), { nil: undefined });

/** A second reading: rows of `[level, value]` are searched from the strongest to the weakest. */
function interpret(given: {
  readOnly: boolean;
  required: boolean;
  values: Record<string, { scoped?: boolean; plain?: boolean } | undefined>;
  hasCategory: boolean;
}): string | null {
  const rows: [string, boolean | undefined][] = [];
  for (const name of ["subscriber_workflow", "subscriber_category", "subscriber_global"]) {
    if (given.readOnly || (given.hasCategory && given.required)) continue;
    if (name === "subscriber_category" && !given.hasCategory) continue;
    rows.push([name, given.values[name]?.scoped], [name, given.values[name]?.plain]);
  }
  if (given.hasCategory && !given.readOnly) rows.push(["category", given.values.category?.plain]);
  rows.push(["dashboard", given.values.dashboard?.plain], ["workflow", given.values.workflow?.plain]);
  const [name, enabled] = rows.find(([, value]) => value !== undefined) ?? ["", true];
  return enabled ? null : `filtered_by_${name}`;
}

test("choices as they are stored are decided as the second reading does", () => {
  const values = fc.record({
    subscriber_workflow: scopes,
    subscriber_category: scopes,
    subscriber_global: scopes,
    category: scopes,
    dashboard: scopes,
    workflow: scopes,
  });
  fc.assert(
    fc.property(values, fc.boolean(), fc.boolean(), fc.boolean(), (given, readOnly, required, hasCategory) => {
      const ids = { subscriber_workflow: "w", subscriber_category: "c", subscriber_global: null } as const;
      const stored = (Object.keys(ids) as (keyof typeof ids)[]).flatMap((name) =>
        (
          [
            ["scoped", ["tenant:a"]],
            ["plain", []],
          ] as const
        ).flatMap(([scope, context_keys]) => {
          const email = given[name]?.[scope];
          const channels = email === undefined ? {} : { email };
          return [{ workflow_id: ids[name], context_keys: [...context_keys], channels }];
        }),
      );
      const own = (value: { plain?: boolean } | undefined, all: object = {}): WorkflowPreference => ({
        all,
        channels: value?.plain === undefined ? {} : { email: { enabled: value.plain } },
      });
      const email = given.category?.plain;
      const levels = withChoices(
        {
          user: own(given.dashboard),
          default: own(given.workflow, { readOnly }),
          category: hasCategory ? category({ required, channels: email === undefined ? {} : { email } }) : null,
        },
        stored,
        "w",
        ["tenant:a"],
      );
      assert.equal(filteredBy(levels, "email"), interpret({ readOnly, required, hasCategory, values: given }));
    }),
    { numRuns: 2_000 },
  );
});

const flag = fc.option(fc.boolean(), { nil: undefined });
const anyLevel = fc.record({ all: flag, channels: fc.dictionary(fc.constantFrom(...channels), fc.boolean()) }).map(
  ({ all, channels: named }) =>
    ({
      ...(all === undefined ? {} : { all: { enabled: all } }),
      channels: Object.fromEntries(Object.entries(named).map(([name, enabled]) => [name, { enabled }])),
    }) as WorkflowPreference,
);

test("what the dashboard says wins over the workflow, for every channel", () => {
  fc.assert(
    fc.property(anyLevel, anyLevel, fc.constantFrom<Channel>(...channels), (user, fallback, channel) => {
      const said = user.channels?.[channel]?.enabled ?? user.all?.enabled;
      const filtered = filteredBy({ user, default: fallback }, channel);
      if (said === true) assert.equal(filtered, null);
      else if (said === false) assert.equal(filtered, "filtered_by_dashboard");
      else assert.equal(filtered, filteredBy({ user: null, default: fallback }, channel));
    }),
  );
});

test("critical is read from the strongest level that has an opinion", () => {
  const critical = (readOnly?: boolean) => ({ all: { enabled: true, readOnly }, channels: {} }) as WorkflowPreference;
  assert.equal(isCritical({ user: null, default: critical(true) }), true);
  assert.equal(isCritical({ user: critical(false), default: critical(true) }), false);
  assert.equal(isCritical({ user: critical(), default: critical(true) }), true);
  assert.equal(isCritical({ user: critical(true), default: critical(false) }), true);
  assert.equal(isCritical({ user: null, default: critical() }), false);
});

// Random people and rules of audiences, with the values that comparisons of JavaScript treat in odd ways.
import fc from "@tidings/testkit/properties";

const texts = [
  "",
  " ",
  "0",
  "1",
  "5",
  " 5 ",
  "\t5\n",
  "5.",
  ".5",
  ".",
  "+5",
  "-5",
  "-0",
  "005",
  "0x1f",
  "0X1F",
  "0b11",
  "0o17",
  "0x",
  "1e3",
  "1E3",
  "1e400",
  "-1e400",
  "1e-400",
  "1e99999999999",
  "1e-99999999999",
  "0e99999999999",
  "Infinity",
  "-Infinity",
  "infinity",
  "NaN",
  "null",
  "true",
  "false",
  "1_000",
  "1,000",
  "pro",
  "Pro",
  "free",
  "a",
  "b",
  "a,b",
  "ab",
  "[object Object]",
  "é",
  "e\u0301",
  "z",
  "ß",
  "😀",
  "😀x",
  "\ue000",
  "\uffee",
  "\u00a05\u00a0",
  "\ufeff31\u2003",
  "\u180e5",
  "2026-11-01",
  "2026-11-04T10:00:00.000Z",
  "\\302\\240",
  "%",
  "1.7976931348623158e308",
  "1.7976931348623159e308",
  "2.4703282292062327e-324",
  "2.4703282292062328e-324",
  "123456789012345678901234567890",
];
const numbers = [
  0,
  1,
  -1,
  5,
  0.5,
  31,
  14,
  15,
  17,
  1000,
  1e15,
  1e21,
  123456789012345680000,
  1e-6,
  1e-7,
  0.1,
  5e-324,
  1.7976931348623157e308,
  2 ** 53,
  1.5e300,
  -1e21,
  0.000015,
];
const lists: unknown[] = [
  [],
  [null],
  [[]],
  [0],
  [5],
  ["5"],
  ["pro"],
  [["pro"]],
  [[[["pro"]]]],
  ["a", "b"],
  [1, [2, [3]]],
  [{}],
  [true],
  ["a", null, "b"],
  [{ x: "a" }, { x: 5 }],
  [1e21, 1e-7],
  ["pro", "a"],
  ["😀"],
];
const objects: unknown[] = [
  {},
  { x: "a" },
  { x: ["a", "b"], length: 3 },
  { y: null },
  { "": "empty" },
  { x: { x: 5 } },
];

export const constants: unknown[] = [null, true, false, ...texts, ...numbers, ...lists, ...objects];

const day = 86_400_000;
const moment = Date.parse("2026-11-18T10:00:00.000Z");
/** Also exactly whole days ago, in the future, and finer than a millisecond. */
const time = fc.option(
  fc.oneof(
    fc.integer({ min: -2, max: 30 }).map((days) => new Date(moment - days * day).toISOString()),
    fc.integer({ min: -2 * day, max: 30 * day }).map((ms) => new Date(moment - ms).toISOString().replace("Z", "789Z")),
  ),
);

const value = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...constants) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }).filter((json) => isStorable(json)) },
);

/** What the API accepts, and PostgreSQL stores unchanged. */
const isStorable = (json: unknown): boolean => {
  const written = JSON.stringify(json);
  return (
    !written.includes("\\u0000") && !/\\ud[89a-f]/.test(written) && JSON.stringify(JSON.parse(written)) === written
  );
};

const data = fc.option(
  fc.record(
    {
      plan: value,
      seats: value,
      tags: value,
      "odd key": value,
      deep: fc.oneof(value, fc.record({ x: value, y: value })),
    },
    { requiredKeys: [] },
  ),
  { freq: 10 },
);

const choice = fc.option(fc.record({ email: fc.boolean(), in_app: fc.boolean() }, { requiredKeys: [] }), { freq: 2 });
const text = fc.option(fc.constantFrom(...texts), { freq: 4 });

export const person = fc.record({
  firstName: text,
  email: text,
  locale: fc.option(fc.constantFrom("de", "en", "")),
  data,
  isOnline: fc.option(fc.boolean()),
  onlineAt: time,
  readAt: time,
  openedAt: time,
  topics: fc.uniqueArray(fc.constantFrom("a", "b")),
  isVip: fc.boolean(),
  global: choice,
  news: choice,
});
export type Person = typeof person extends fc.Arbitrary<infer T> ? T : never;

const dataPaths = [
  "subscriber.data.plan",
  "subscriber.data.seats",
  "subscriber.data.tags",
  "subscriber.data.tags.length",
  "subscriber.data.odd key",
  "subscriber.data.deep.x",
  "subscriber.data.deep.x.length",
  "subscriber.data.deep.y",
  "subscriber.data.none",
  "subscriber.data.plan.",
];
const preferencePaths = [
  "preferences.global.email",
  "preferences.global.in_app",
  "preferences.workflows.news.email",
  "preferences.workflows.news.sms",
  "preferences.workflows.gone.email",
];
export const fieldPaths = [
  ...dataPaths,
  ...preferencePaths,
  "subscriber.subscriberId",
  "subscriber.firstName",
  "subscriber.email",
  "subscriber.locale",
  "subscriber.isOnline",
  "subscriber.lastOnlineAt",
  "subscriber.createdAt",
  "subscriber.data",
  "topics",
  "activity.lastOnlineAt",
  "activity.lastReadAt",
  "activity.lastOpenedAt",
  "activity.daysSinceOnline",
  "activity.daysSinceRead",
  "activity.daysSinceOpened",
];

const variable = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...dataPaths).map((path) => ({ var: path })) },
  { weight: 4, arbitrary: fc.constantFrom(...fieldPaths).map((path) => ({ var: path })) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...fieldPaths), value).map((args) => ({ var: args })) },
);

/** Objects in rules are operators, apart from the empty one. */
const isPlain = (given: unknown): boolean =>
  typeof given !== "object" ||
  given === null ||
  (Array.isArray(given) ? given.every(isPlain) : Object.keys(given).length === 0);
const literal = fc.constantFrom(...constants.filter(isPlain));

const itemVariable = fc.constantFrom("", "x", "length", "x.length").map((path) => ({ var: path }));

const binary = [
  "==",
  "!=",
  "===",
  "!==",
  "<",
  "<=",
  ">",
  ">=",
  "in",
  "notIn",
  "contains",
  "notContains",
  "beginsWith",
  "notBeginsWith",
  "endsWith",
  "notEndsWith",
];
const operation = (operand: fc.Arbitrary<unknown>) => [
  fc.tuple(fc.constantFrom(...binary), operand, operand).map(([name, a, b]) => ({ [name]: [a, b] })),
  fc.tuple(fc.constantFrom("<", "<="), operand, operand, operand).map(([name, ...args]) => ({ [name]: args })),
  fc
    .tuple(fc.constantFrom("between", "notBetween"), operand, fc.array(operand, { minLength: 1, maxLength: 2 }))
    .map(([name, given, bounds]) => ({ [name]: [given, ...bounds] })),
  fc.tuple(fc.constantFrom("!", "!!", "null", "notNull"), operand).map(([name, given]) => ({ [name]: [given] })),
];

const names = fc.subarray(fieldPaths, { minLength: 1, maxLength: 3 });
const membership = fc.oneof(
  fc
    .tuple(fc.constantFrom("in", "notIn"), fc.constantFrom("a", "b", "c"))
    .map(([name, key]) => ({ [name]: [key, { var: "topics" }] })),
  fc
    .tuple(fc.constantFrom("in", "notIn"), fc.constantFrom("vip", "pros", "named", "gone"))
    .map(([name, key]) => ({ [name]: [key, { var: "audiences" }] })),
  fc
    .tuple(fc.constantFrom("contains", "notContains"), fc.constantFrom("topics", "audiences"))
    .map(([name, root]) => ({ [name]: [{ var: root }, root === "topics" ? "a" : "vip"] })),
);

const { rule } = fc.letrec<{ rule: unknown; operand: unknown; item: unknown }>((tie) => ({
  operand: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 8, arbitrary: variable },
    { weight: 6, arbitrary: literal },
    { weight: 1, arbitrary: fc.array(fc.oneof(variable, literal), { maxLength: 3 }) },
    { weight: 2, arbitrary: tie("rule") },
  ),
  item: fc.oneof(
    { depthSize: "small" },
    ...operation(fc.oneof(itemVariable, literal)),
    fc
      .tuple(fc.constantFrom("some", "all", "none"), itemVariable, tie("item"))
      .map(([name, ...args]) => ({ [name]: args })),
  ),
  rule: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    ...operation(tie("operand")).map((arbitrary) => ({ weight: 4, arbitrary: arbitrary as fc.Arbitrary<unknown> })),
    { weight: 2, arbitrary: membership },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom("and", "or", "if", "?:"), fc.array(tie("rule"), { minLength: 1, maxLength: 4 }))
        .map(([name, args]) => ({ [name]: args })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom("and", "or", "if", "?:"), fc.array(tie("operand"), { minLength: 1, maxLength: 4 }))
        .map(([name, args]) => ({ [name]: args })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom("some", "all", "none"), tie("operand"), tie("item"))
        .map(([name, ...args]) => ({ [name]: args })),
    },
    { weight: 1, arbitrary: names.map((missing) => ({ missing })) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.integer({ min: 0, max: 3 }), names).map((args) => ({ missing_some: args })),
    },
  ),
}));

export const rules: fc.Arbitrary<unknown> = rule;

const plan = { var: "subscriber.data.plan" };
export const oddRules: Record<string, unknown>[] = [
  { "!": plan },
  { "!!": plan },
  { "!!": { var: ["subscriber.data.plan"] } },
  { missing: "subscriber.data.plan" },
  { missing: [["subscriber.email", "subscriber.data.none"]] },
  { in: ["subscriber.email", { missing: ["subscriber.email"] }] },
  { "==": [{ missing: ["subscriber.email", "subscriber.locale"] }, "subscriber.email,subscriber.locale"] },
  { between: [{ var: "subscriber.data.seats" }, [0, 5]] },
  { between: [{ var: "subscriber.data.seats" }, { var: "subscriber.data.tags" }] },
  { "==": [{ and: [plan, { var: "subscriber.data.seats" }] }, "5"] },
  { "==": [{ or: [plan, { var: "subscriber.data.seats" }, []] }, ""] },
  { in: [plan, [{ var: "subscriber.data.seats" }, "pro", null]] },
  { in: [{ var: "subscriber.locale" }, ["de", null]] },
  { notIn: [{ var: "subscriber.locale" }, ["de", null]] },
  { notIn: [plan, ["pro", "5"]] },
  { "==": [{ var: "topics" }, "a,b"] },
  { some: [{ var: "topics" }, { in: [{ var: "" }, ["b", "c"]] }] },
  { all: [{ var: "subscriber.data.tags" }, { "==": [{ var: "x" }, "a"] }] },
  { ">=": [{ var: "activity.daysSinceOnline" }, 14] },
  { "<": [{ var: "activity.daysSinceOnline" }, 14] },
  { "<=": [13.5, { var: "activity.daysSinceRead" }] },
  { "==": [{ var: "activity.daysSinceOpened" }, 5] },
  { "<": [{ var: "subscriber.lastOnlineAt" }, "2026-11-04T10:00:00.000Z"] },
  { ">=": [{ var: "activity.lastReadAt" }, "2026-11-04"] },
  { "<=": ["2026-11-04", { var: "activity.lastOnlineAt" }, "2026-11-10"] },
  {
    and: [{ "==": [plan, "pro"] }, { "==": [{ var: "subscriber.locale" }, "de"] }, { var: "preferences.global.email" }],
  },
  { if: [{ "==": [plan, "pro"] }, true, { "==": [plan, "5"] }, 0, { var: "subscriber.isOnline" }] },
  { "===": [{}, {}] },
  { "==": [{}, "[object Object]"] },
  { ">": [{ var: "subscriber.data.tags.length" }, 1] },
];

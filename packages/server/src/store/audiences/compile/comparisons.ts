// Comparisons of a field with a constant, written so that PostgreSQL finds the people by an index, or compares without
// calling a function. An additional condition may let through more rows than the exact one next to it, never fewer.
import { sql } from "kysely";
import { activityColumn, daysSince, type FieldContext, type Sql, timeOf, type Value } from "./fields.ts";

/** The operator that says the same when both sides change places. */
const mirrored: Readonly<Record<string, string>> = {
  "==": "==",
  "===": "===",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

/** Null where only the functions know. */
export function compareKnown(operator: string, left: Value, right: Value, context: FieldContext): Sql<boolean> | null {
  if (right.constant) return compareWith(operator, left, right.constant.value, right.json, context);
  // A list contains what is in it.
  if (operator === "contains" && Array.isArray(left.constant?.value))
    return compareWith("in", right, left.constant.value, left.json, context);
  const turned = mirrored[operator];
  return left.constant && turned ? compareWith(turned, right, left.constant.value, left.json, context) : null;
}

function compareWith(
  operator: string,
  field: Value,
  value: unknown,
  json: Sql,
  context: FieldContext,
): Sql<boolean> | null {
  if (field.text) return compareText(operator, field.text, value);
  if (field.boolean && (operator === "==" || operator === "===") && typeof value === "boolean")
    return value ? field.boolean : sql<boolean>`(not ${field.boolean})`;
  if (field.days) return typeof value === "number" ? compareDays(operator, field.days, value, context) : null;
  if (field.time) return compareTime(operator, field, value, json);
  return field.data ? compareData(operator, field, value, json) : null;
}

function compareText(operator: string, { sql: text, column }: NonNullable<Value["text"]>, value: unknown) {
  if (operator === "in" && Array.isArray(value)) {
    const texts = value.filter((item) => typeof item === "string");
    const isOneOf = sql<boolean>`(${inSmallLetters(column, text, texts)}${text} is not null
      and ${indexed(column, text)} = any(${texts}::text[]))`;
    return value.includes(null) ? sql<boolean>`(${text} is null or ${isOneOf})` : isOneOf;
  }
  if (typeof value !== "string") return null;
  if (operator === "beginsWith")
    return sql<boolean>`(${text} is not null and starts_with(${text} collate "C", ${value}))`;
  if (operator !== "==" && operator !== "===") return null;
  return sql<boolean>`(${inSmallLetters(column, text, [value])}${text} is not null and ${indexed(column, text)} = ${value})`;
}

/** Identifiers and addresses have an index of their small letters. */
const inSmallLetters = (column: string, text: Sql, values: readonly string[]): Sql =>
  column === "email" || column === "subscriber_id"
    ? sql`lower(${text}) = any(array(select lower(v) from unnest(${values}::text[]) v)) and `
    : sql``;

/** The index of locales is in the order of their bytes, which finds those that begin with a language. */
const indexed = (column: string, text: Sql): Sql => (column === "locale" ? sql`${text} collate "C"` : text);

const signs: Readonly<Record<string, Sql>> = {
  "<": sql`<`,
  "<=": sql`<=`,
  ">": sql`>`,
  ">=": sql`>=`,
  "==": sql`=`,
  "===": sql`=`,
};

const dayMs = 86_400_000;
/** Times of PostgreSQL are finer than those of JavaScript. */
const slackMs = 2;
const maxDays = 100_000;

/** "Never" counts as 0 days where numbers are ordered, and equals no number. */
function compareDays(operator: string, activity: NonNullable<Value["days"]>, value: number, { now }: FieldContext) {
  const sign = signs[operator];
  if (!sign) return null;
  const isEqual = operator === "==" || operator === "===";
  const isLater = operator === ">" || operator === ">=";
  if (activity !== "online") {
    // Never does not reach a positive number of days, so those who did can be looked up.
    if (!isEqual && !(isLater && value > 0)) return null;
    const since = daysSince(sql`a.${activityColumn(activity)}`, now);
    return sql<boolean>`exists (select 1 from subscriber_activity a
      where a.subscriber_id = s.id and ${since} ${sign} ${value}::float8)`;
  }
  const time = timeOf(activity);
  const days = daysSince(time, now);
  if (isEqual) return sql<boolean>`(${time} is not null and ${days} = ${value}::float8)`;
  const exact = sql<boolean>`coalesce(${days}, 0) ${sign} ${value}::float8`;
  if (Math.abs(value) > maxDays) return sql<boolean>`(${exact})`;
  if (isLater && value > 0)
    return sql<boolean>`(${time} is not null and ${time} <= ${at(now, -value * dayMs + slackMs)} and ${exact})`;
  if (isLater) return sql<boolean>`(${exact})`;
  return sql<boolean>`((${time} is null or ${time} >= ${at(now, -(value + 1) * dayMs - slackMs)}) and ${exact})`;
}

const at = (now: Date, ms: number): Sql => sql`${new Date(now.getTime() + ms)}::timestamptz`;

const isoTime = /^(?!0000)\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{3}Z)?$/;

/** Times compare as texts; with the text of a time, in the order of the times. */
function compareTime(operator: string, { time, json }: Value, value: unknown, constantJson: Sql) {
  const orders = ["<", "<=", ">", ">="];
  if (!orders.includes(operator) || typeof value !== "string" || !isoTime.test(value)) return null;
  const limit = new Date(value);
  if (Number.isNaN(limit.getTime()) || !limit.toISOString().startsWith(value)) return null;
  const isBefore = operator === "<" || operator === "<=";
  const bound = isBefore ? sql`<= ${at(limit, slackMs)}` : sql`>= ${at(limit, -slackMs)}`;
  const exact = isBefore
    ? sql`audience_before(${json}, ${constantJson}, ${sql.lit(operator === "<=")})`
    : sql`audience_before(${constantJson}, ${json}, ${sql.lit(operator === ">=")})`;
  const column = timeOf(time!);
  return sql<boolean>`(${column} is not null and ${column} ${bound} and ${exact})`;
}

/** Bodies of requests are not nested deeper. */
const maxDepth = 200;

/**
 * The same for `data`, whose index knows the texts at a path. A list that has one text equals this text, however deep
 * it is, so the condition for the index looks into lists.
 */
function compareData(operator: string, { data, json, optional }: Value, value: unknown, constantJson: Sql) {
  const path = data!;
  if (path.includes("length")) return null;
  if (typeof value === "number") return compareNumber(operator, json, value, constantJson);
  if (operator === "in" && Array.isArray(value)) {
    const isAnyText = value.length > 0 && value.every((item) => typeof item === "string");
    if (!isAnyText) return null;
    const hint = path.length > 0 && value.length <= 20 ? sql`${found(path, value, 0)} and ` : sql``;
    return sql<boolean>`(${hint}jsonb_typeof(${json}) = 'string' and ${json} #>> '{}' = any(${value}::text[]))`;
  }
  if (typeof value !== "string") return null;
  if (operator === "===")
    return sql<boolean>`(${found(path, [value], 0)} and coalesce(${optional} = ${constantJson}, false))`;
  if (operator !== "==") return null;
  const exact = sql`(${json} = ${constantJson} or (jsonb_typeof(${json}) <> 'string'
    and audience_equals(${json}, ${constantJson})))`;
  const isWord = !value.includes(",") && Number.isNaN(Number(value)) && value !== "[object Object]";
  return isWord ? sql<boolean>`(${found(path, [value], maxDepth)} and ${exact})` : sql<boolean>`${exact}`;
}

/**
 * Whether one of the texts is at the path of `data`, or in lists there up to this depth. Null data has none. Going into
 * lists takes long, so it is asked first whether there is a list.
 */
function found(path: string[], texts: readonly string[], depth: number): Sql<boolean> {
  const place = `$${path.map((name) => `.${JSON.stringify(name)}`).join("")}`;
  const isOneOf = (at: string) => texts.map((text) => `${at} == ${JSON.stringify(text)}`).join(" || ");
  const inLists = ` || (${place}.type() == "array" && (${isOneOf(`${place}${"[*]".repeat(depth)}`)}))`;
  const query = depth > 0 ? isOneOf(place) + inLists : isOneOf(place);
  return sql<boolean>`(s.data is not null and s.data @@ ${query}::jsonpath)`;
}

const general: Readonly<Record<string, (a: Sql, b: Sql) => Sql>> = {
  "<": (a, b) => sql`audience_before(${a}, ${b}, false)`,
  "<=": (a, b) => sql`audience_before(${a}, ${b}, true)`,
  ">": (a, b) => sql`audience_before(${b}, ${a}, false)`,
  ">=": (a, b) => sql`audience_before(${b}, ${a}, true)`,
  "==": (a, b) => sql`audience_equals(${a}, ${b})`,
  "===": (a, b) => sql`audience_same(${a}, ${b})`,
};

/**
 * Numbers that have a double are compared as such, without calling a function for each person. PostgreSQL would raise
 * an error for those that are too large or too small.
 */
function compareNumber(operator: string, json: Sql, value: number, constantJson: Sql): Sql<boolean> | null {
  const [sign, compare] = [signs[operator], general[operator]];
  if (!sign || !compare) return null;
  return sql<boolean>`(case when jsonb_typeof(${json}) <> 'number' then ${compare(json, constantJson)}
    when (${json})::numeric = 0 or abs((${json})::numeric) between 1e-300 and 1e300
      then (${json})::float8 ${sign} ${value}::float8
    else ${compare(json, constantJson)} end)`;
}

// The fields of rules in SQL, over the alias `s` of `subscribers`.
import { type RawBuilder, sql } from "kysely";
import type { ActivityKind, RuleField } from "../../../lib/audiences/fields.ts";

export type Sql<T = unknown> = RawBuilder<T>;

/**
 * A value of a rule: `json` is never SQL's null. Where more is known about it, comparisons can be written so that they
 * are cheap, and served by an index.
 */
export type Value = {
  json: Sql;
  /** Null where the member is missing, which is the case that a default value is for. */
  optional?: Sql;
  constant?: { value: unknown };
  /** A text or null. */
  text?: { sql: Sql; column: string };
  boolean?: Sql<boolean>;
  /** Whole days since then, or null. */
  days?: ActivityKind;
  /** A time as an ISO text, or null. */
  time?: ActivityKind | "created" | "updated";
  /** A path in `s.data`. */
  data?: string[];
};

/** `now`: what days are counted from. */
export type FieldContext = { environmentId: string; now: Date };

const columns = {
  subscriberId: "subscriber_id",
  firstName: "first_name",
  lastName: "last_name",
  email: "email",
  phone: "phone",
  avatar: "avatar",
  locale: "locale",
  timezone: "timezone",
} as const;

const times = { lastOnlineAt: "online", createdAt: "created", updatedAt: "updated" } as const;

export const constant = (value: unknown): Value => ({
  json: sql`${JSON.stringify(value)}::jsonb`,
  constant: { value },
});

const nullJson = sql`'null'::jsonb`;

export function fieldValue(field: Exclude<RuleField, { kind: "audiences" }>, context: FieldContext): Value {
  switch (field.kind) {
    case "text": {
      const column = columns[field.name];
      const text = sql.ref(`s.${column}`);
      return { json: sql`coalesce(to_jsonb(${text}), ${nullJson})`, text: { sql: text, column } };
    }
    case "time":
      return timeValue(times[field.name]);
    case "online": {
      const isOnline = sql<boolean>`coalesce(s.is_online, false)`;
      return { json: sql`to_jsonb(${isOnline})`, boolean: isOnline };
    }
    case "data":
      return dataValue(field.path);
    case "topics":
      return { json: topicList(context) };
    case "preference": {
      const isOn = preference(field, context);
      return { json: sql`to_jsonb(${isOn})`, boolean: isOn };
    }
    case "activityTime":
      return timeValue(field.activity);
    case "activityDays":
      return {
        json: sql`coalesce(to_jsonb(${daysSince(timeOf(field.activity), context.now)}), ${nullJson})`,
        days: field.activity,
      };
  }
}

function timeValue(time: NonNullable<Value["time"]>): Value {
  const text = sql`to_char(${timeOf(time)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return { json: sql`coalesce(to_jsonb(${text}), ${nullJson})`, time };
}

/** Null for never. */
export function timeOf(time: NonNullable<Value["time"]>): Sql {
  if (time === "online") return sql`s.last_online_at`;
  if (time === "created") return sql`s.created_at`;
  if (time === "updated") return sql`s.updated_at`;
  return sql`(select a.${activityColumn(time)} from subscriber_activity a where a.subscriber_id = s.id)`;
}

export const activityColumn = (activity: "read" | "opened"): Sql =>
  sql.ref(activity === "read" ? "last_read_at" : "last_opened_at");

/** Whole days, in milliseconds as JavaScript counts. */
export const daysSince = (time: Sql, now: Date): Sql =>
  sql`floor(extract(epoch from ${now}::timestamptz - date_trunc('milliseconds', ${time})) / 86400)`;

function dataValue(path: string[]): Value {
  if (path.length === 0) return { json: sql`coalesce(s.data, '{}'::jsonb)` };
  const optional = memberOf(sql`s.data`, path);
  return { json: sql`coalesce(${optional}, ${nullJson})`, optional, data: path };
}

/** The member at a path, SQL's null where it is missing. Lists and texts have a length, which `#>` does not know. */
const memberOf = (value: Sql, path: string[]): Sql =>
  path.includes("length") ? sql`audience_member(${value}, ${path}::text[])` : sql`${value} #> ${path}::text[]`;

/** A path relative to the item of an iteration. */
export function itemValue(item: Sql, path: string): Value {
  if (path === "") return { json: item };
  const optional = memberOf(item, path.split("."));
  return { json: sql`coalesce(${optional}, ${nullJson})`, optional };
}

const topicList = ({ environmentId }: FieldContext): Sql => sql`
  (select coalesce(jsonb_agg(distinct t.key order by t.key), '[]') from topic_subscriptions m
   join topics t on t.id = m.topic_id where m.subscriber_id = s.id and t.environment_id = ${environmentId})`;

export const isInTopic = (key: string, { environmentId }: FieldContext): Sql<boolean> => sql<boolean>`
  exists (select 1 from topic_subscriptions m where m.subscriber_id = s.id and m.topic_id =
    (select t.id from topics t where t.environment_id = ${environmentId} and t.key = ${key}))`;

/** The own choice without contexts, for the workflow and then for everything; without one it is on. */
function preference(
  { workflowId, channel }: Extract<RuleField, { kind: "preference" }>,
  { environmentId }: FieldContext,
): Sql<boolean> {
  const choice = (level: Sql) => sql`
    (select (p.channels ->> ${channel})::boolean from subscriber_preferences p
     where p.subscriber_id = s.id and p.context_keys = '{}' and ${level})`;
  const everything = choice(sql`p.workflow_id is null`);
  if (workflowId === null) return sql<boolean>`coalesce(${everything}, true)`;
  const workflow = choice(sql`p.workflow_id = (select w.id from workflows w
    where w.environment_id = ${environmentId} and w.workflow_id = ${workflowId} and w.deleted_at is null)`);
  return sql<boolean>`coalesce(${workflow}, ${everything}, true)`;
}

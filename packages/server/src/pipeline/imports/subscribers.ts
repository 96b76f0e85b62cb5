// A page of imported subscribers: created, or changed in the fields whose cells have a value. A field of `data` is
// merged into the stored data; an empty cell leaves the field unchanged.
import { isDeepStrictEqual } from "node:util";
import { type ImportError, importColumns, isJsonObject, type JsonObject, SubscriberIn } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { isDeeperThan } from "../../lib/json.ts";
import {
  findSubscribersByKeys,
  type RecipientRow,
  type SubscriberFields,
  type SubscriberUpsert,
  upsertSubscribers,
  withFields,
} from "../../store/subscribers/subscribers.ts";
import { lockSubscribers } from "../../store/topics/topic-subscriptions.ts";
import { compileBody, faultsOf, unstorableTexts } from "../../validation.ts";
import { faultyLine, type Line, type PageInput, type PageOutput, readLines } from "./page.ts";

const checkSubscriber = compileBody(SubscriberIn);

/** All others are columns of a report, which are not imported. */
const profileFields: ReadonlySet<string> = new Set(importColumns.subscribers);

/** What helps, by field; the rest of the message says what is wrong. */
const hints: Record<string, string> = {
  subscriberId: "use letters, digits and _ : . - (or an email address)",
  email: "write it as name@example.com",
  locale: "write it as en_US",
  timezone: "use an IANA name such as Europe/Berlin",
  data: 'write a JSON object such as {"plan": "pro"}, of at most 64 KB',
};

export async function importSubscribers(ctx: Ctx, page: PageInput): Promise<PageOutput> {
  const { environmentId, isDryRun } = page;
  const { lines, errors } = readLines(page);
  const keys = lines.flatMap(({ values }) => values.get("subscriberId") ?? []);
  const stored = isDryRun
    ? await findSubscribersByKeys(ctx.db, environmentId, keys)
    : await lockSubscribers(ctx.db, environmentId, keys);
  const byKey = new Map(stored.map((row) => [row.subscriber_id, row]));
  const entries: SubscriberUpsert[] = [];
  const output: PageOutput = { created: 0, updated: 0, unchanged: 0, errors };
  for (const line of lines) {
    const before = byKey.get(line.values.get("subscriberId") ?? "");
    const read = readSubscriber(line, before);
    if ("error" in read) {
      errors.push(read.error);
      continue;
    }
    const { subscriberId, fields } = read;
    if (before && isSame(before, fields)) output.unchanged++;
    else {
      output[before ? "updated" : "created"]++;
      entries.push({ id: ctx.newId(), subscriberId, fields });
    }
  }
  if (isDryRun) return output;
  const written = await upsertSubscribers(ctx.db, environmentId, { entries, now: ctx.now() });
  return withoutErased(output, lines, new Set(written.map((row) => row.subscriber_id)), entries);
}

/** Subscribers who are being erased were not created: their lines are reported, without their content. */
function withoutErased(
  output: PageOutput,
  lines: Line[],
  written: ReadonlySet<string>,
  entries: SubscriberUpsert[],
): PageOutput {
  const missing = new Set(entries.map((entry) => entry.subscriberId).filter((id) => !written.has(id)));
  if (missing.size === 0) return output;
  const refused = lines.filter(({ values }) => missing.has(values.get("subscriberId") ?? ""));
  const message = "The subscriber is being erased: import the line again when the erasure has ended";
  const errors = refused.map(({ row }) => faultyLine({ line: row.line, cells: [] }, "subscriberId", message));
  return { ...output, created: output.created - refused.length, errors: [...output.errors, ...errors] };
}

const isSame = (row: RecipientRow, fields: SubscriberFields): boolean =>
  isDeepStrictEqual(withFields(row, fields), row);

type Read = { error: ImportError } | { subscriberId: string; fields: SubscriberFields };

function readSubscriber({ row, values }: Line, before: RecipientRow | undefined): Read {
  const fields: JsonObject = {};
  let data: JsonObject | undefined;
  for (const [field, text] of values) {
    if (field === "data") {
      const given = parseJson(text);
      if (!isJsonObject(given)) return { error: faultyLine(row, "data", `data is not a JSON object: ${hints.data}`) };
      data = { ...given, ...data };
    } else if (field.startsWith("data.")) data = { ...data, [field.slice("data.".length)]: readValue(text) };
    else if (profileFields.has(field)) fields[field] = text;
  }
  if (data && !isStorable(data)) return { error: faultyLine(row, "data", unstorable) };
  if (data) fields.data = { ...before?.data, ...data };
  if (!checkSubscriber(fields)) {
    const [[field, fault]] = Object.entries(faultsOf(checkSubscriber.errors ?? [])) as [
      [string, { messages: string[] }],
    ];
    const column = field.split(".")[0]!;
    const hint = hints[column];
    return { error: faultyLine(row, column, `${fault.messages.join("; ")}${hint ? `: ${hint}` : ""}`) };
  }
  const { subscriberId, ...profile } = fields as { subscriberId: string } & SubscriberFields;
  return { subscriberId, fields: profile };
}

const maxDepth = 200;
const unstorable = `data has U+0000, half a surrogate pair, or more than ${maxDepth} levels: write plain texts and numbers`;

/** What JSON in a cell may say with escapes, PostgreSQL may refuse to store: the whole page would fail. */
const isStorable = (data: JsonObject): boolean =>
  !isDeeperThan(data, maxDepth) && Object.keys(unstorableTexts(data)).length === 0;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The word or number as JSON has it, else a text. Numbers only in their shortest form: `007` and long ids stay texts.
 */
function readValue(text: string): unknown {
  const value = /^[[{"]|^(?:true|false|null)$/.test(text) ? parseJson(text) : undefined;
  if (value !== undefined) return value;
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}

// What a step `update_subscriber` changes: read from its controls, checked by the rules of the API, and laid over a
// subscriber. Pure.
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, SubscriberPatch, updatableFields } from "@tidings/contract";
import { isDeeperThan } from "../../lib/json.ts";
import { profileColumns, type RecipientRow, withFields } from "../../store/subscribers/subscribers.ts";
import { compileBody, faultsOf, unstorableTexts } from "../../validation.ts";
import { renderJson } from "../render/json-template.ts";
import { RenderError, render } from "../render/liquid.ts";

/** Absent fields stay. `data`: its members replace those of the subscriber, null removes one. */
export type ProfileChange = { fields: Partial<Record<(typeof updatableFields)[number], string>>; data?: JsonObject };

type Fault = { fault: string };

const maxDataDepth = 200;
const checkProfile = compileBody(SubscriberPatch);

/** A field whose text is empty stays unchanged. Errors name the field. */
export function readChange(controlValues: JsonObject, scope: object): ProfileChange | Fault {
  const change: ProfileChange = { fields: {} };
  let field: string = "data";
  try {
    for (const name of updatableFields) {
      field = name;
      const template = controlValues[name];
      const text = typeof template === "string" ? render(template, scope, "text").trim() : "";
      if (text !== "") change.fields[name] = text;
    }
    field = "data";
    const { data } = controlValues;
    if (typeof data === "string" && data.trim() !== "") {
      const value = renderJson(data, scope);
      if (!isJsonObject(value)) return { fault: "data must be a JSON object" };
      change.data = value;
    }
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return { fault: `${field}: ${[error.message, error.position].filter(Boolean).join(", ")}` };
  }
  const fault = faultOf({ ...change.fields });
  if (fault) return { fault };
  if (change.data && isDeeperThan(change.data, maxDataDepth))
    return { fault: `data must not be nested deeper than ${maxDataDepth} levels` };
  const [unstorable] = Object.values(unstorableTexts(change.data ?? {}));
  return unstorable ? { fault: `data: ${unstorable.messages[0]}` } : change;
}

function faultOf(fields: JsonObject): string | null {
  if (checkProfile(fields)) return null;
  return Object.values(faultsOf(checkProfile.errors ?? []))[0]!.messages[0]!;
}

/** A field, or a member of `data` as `data.<name>`, before and after; undefined for a member that is not there. */
export type ChangedField = { name: string; before: unknown; after: unknown };

/** The subscriber after the change, and what is different. */
export function applyChange(
  row: RecipientRow,
  { fields, data }: ProfileChange,
): { row: RecipientRow; changed: ChangedField[] } | Fault {
  const given = Object.entries(data ?? {});
  const removed = new Set(given.flatMap(([name, value]) => (value === null ? name : [])));
  const kept = Object.entries({ ...row.data, ...data }).filter(([name]) => !removed.has(name));
  const merged = given.length > 0 ? Object.fromEntries(kept) : undefined;
  // The size is that of the whole, so it is known only now.
  const fault = merged && faultOf({ data: merged });
  if (fault) return { fault };
  const after = withFields(row, { ...fields, ...(merged && { data: merged }) });
  const own = Object.keys(fields).map((name) => {
    const column = profileColumns[name as keyof typeof profileColumns];
    return { name, before: row[column], after: after[column] };
  });
  const members = given.map(([name]) => ({
    name: `data.${name}`,
    before: row.data?.[name],
    after: removed.has(name) ? undefined : merged![name],
  }));
  const changed = [...own, ...members].filter((one) => !isDeepStrictEqual(one.before, one.after));
  return changed.length > 0 ? { row: after, changed } : { row, changed };
}

// Tables whose rows need more than a replacement of texts.
import { normalizeAddress } from "../../lib/addresses.ts";
import { isUuid } from "../../lib/ids.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { marksPersonalFields, withoutPersonalFields } from "../../lib/personal/personal-fields.ts";
import { leavesOf } from "../../lib/personal/personal-texts.ts";
import { toSearchValue } from "../../lib/search-values.ts";
import { openResponse, sealResponse } from "../../lib/stored-responses.ts";
import { createAddressHashes, isHashedAddress } from "../../lib/suppression-hash.ts";
import { changeEventParts, findPayloadSchemas, findSharedEvents } from "../../store/subscribers/erasure-own.ts";
import { findMessagesAbout, type ScannedRow } from "../../store/subscribers/erasure-scans.ts";
import type { ImportRowCells, StoredRecipient } from "../../store/tables.ts";
import { type ErasureTools, openAny, parse, type Rewrite, redact, redactRow } from "./redaction.ts";

type EventParts = ScannedRow & {
  payload: JsonObject;
  overrides: unknown;
  recipients: StoredRecipient[];
  actor: StoredRecipient | null;
  audience: object | null;
  workflow_id: string;
};

/**
 * The payload of an event: without the fields that its workflow marks as personal; where it marks none and nobody else
 * was a recipient, nothing is left of it; where others were, texts and values of the person are replaced. An event that
 * only mentions the person loses the mention.
 */
export const rewriteEvents: Rewrite = async (tools, rows, table) => {
  const { db, environmentId, person, shell } = tools;
  const events = rows as EventParts[];
  const isPerson = (one: StoredRecipient | null) => one?.subscriberId === person.subscriberId;
  const about = events.filter((row) => row.is_own || row.recipients.some(isPerson) || isPerson(row.actor));
  const shared = await findSharedEvents(
    db,
    environmentId,
    about.map((row) => row.at.id!),
    [...person.ids, shell],
  );
  const schemas = await findPayloadSchemas(db, environmentId, [...new Set(about.map((row) => row.workflow_id))]);
  const isAbout = new Set(about);
  const emptied: string[] = [];
  const renamed: { old: string; next: string }[] = [];
  const values: { id: string; value: string }[] = [];
  const changed = events.flatMap((row) => {
    const id = row.at.id!;
    const isSole =
      isAbout.has(row) &&
      !shared.has(id) &&
      row.recipients.every((one) => isPerson(one) || one.isErased) &&
      (row.audience === null || row.is_own) &&
      (row.is_own || row.recipients.length > 0);
    const next = rewriteEvent(
      tools,
      { ...row, is_own: isAbout.has(row) },
      { isSole, schema: schemas.get(row.workflow_id) },
    );
    if (isSole) emptied.push(id);
    if (next.transaction_id !== row.transaction_id)
      renamed.push({ old: row.transaction_id as string, next: next.transaction_id as string });
    const kept = new Set(leavesOf(next.payload).map(toSearchValue));
    for (const value of new Set(leavesOf(row.payload).map(toSearchValue))) {
      if (value !== undefined && !kept.has(value)) values.push({ id, value });
    }
    return JSON.stringify(pick(next, table.columns)) === JSON.stringify(pick(row, table.columns)) ? [] : [next];
  });
  return { changed, deleted: [], also: await changeEventParts(db, environmentId, { emptied, values, renamed }) };
};

const pick = (row: ScannedRow, columns: object): unknown[] => Object.keys(columns).map((name) => row[name] ?? null);

type EventFacts = { isSole: boolean; schema: object | undefined };

function rewriteEvent(tools: ErasureTools, row: EventParts, { isSole, schema }: EventFacts): EventParts {
  const { secrets, person, pseudonym, everywhere, about } = tools;
  const redactor = row.is_own ? about : everywhere;
  const clean = (value: unknown): unknown => (value === null ? null : redact(secrets, redactor, value));
  const erase = (one: StoredRecipient): StoredRecipient =>
    one.subscriberId === person.subscriberId
      ? { subscriberId: pseudonym, isErased: true }
      : one.isErased
        ? one
        : (clean(one) as StoredRecipient);
  const hasMarks = schema !== undefined && marksPersonalFields(schema);
  const payload = row.is_own && hasMarks ? withoutPersonalFields(schema as JsonObject, row.payload) : row.payload;
  return {
    ...row,
    transaction_id: everywhere.key(row.transaction_id as string),
    payload: isSole && !hasMarks ? {} : (clean(payload) as JsonObject),
    overrides: isSole ? null : cleanOverrides(tools, row.overrides, clean),
    recipients: row.recipients.map(erase),
    actor: row.actor && erase(row.actor),
    audience: clean(row.audience) as object | null,
    tenant: row.tenant === null ? null : everywhere.key(row.tenant as string),
    tenant_fields: isSole ? null : clean(row.tenant_fields),
    context_keys: isSole ? [] : (row.context_keys as string[]).map((key) => contextKey(tools, key)),
    trace_context: isSole ? null : clean(row.trace_context),
  };
}

/** `<type>:<id>`, of which the id is the key of a context. */
function contextKey({ everywhere }: ErasureTools, key: string): string {
  const at = key.indexOf(":") + 1;
  return key.slice(0, at) + everywhere.key(key.slice(at));
}

const addressFields = ["to", "cc", "bcc"];

/** Addresses of the person are taken out of the lists: a mail to `erased_…` could not be sent. */
function withoutAddresses(tools: ErasureTools, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutAddresses(tools, item));
  if (!isObject(value)) return value;
  const isOthers = (one: unknown) => typeof one !== "string" || tools.everywhere.text(one) === one;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (addressFields.includes(name) && Array.isArray(member)) return [name, member.filter(isOthers)];
      return [name, withoutAddresses(tools, member)];
    }),
  );
}

function cleanOverrides(tools: ErasureTools, stored: unknown, clean: (value: unknown) => unknown): unknown {
  if (stored === null) return null;
  const opened = openAny(tools.secrets, stored);
  const changed = clean(withoutAddresses(tools, opened));
  if (JSON.stringify(changed) === JSON.stringify(opened)) return stored;
  return typeof stored === "string" ? tools.secrets.encrypt(JSON.stringify(changed)) : changed;
}

/** Messages of others that mention the person, or were copied to them. */
export const rewriteMessages: Rewrite = (tools, rows, table) => ({
  deleted: [],
  changed: rows.flatMap((row) => {
    if (row.subscriber_id === tools.shell) return [];
    const clean = (value: unknown) => redact(tools.secrets, row.is_about ? tools.about : tools.everywhere, value);
    const outgoing = cleanOverrides(tools, row.outgoing, clean);
    const recipients = (row.recipients as string[] | null)?.filter((one) => tools.everywhere.text(one) === one) ?? null;
    const context_keys = (row.context_keys as string[]).map((key) => contextKey(tools, key));
    const own = { ...row, outgoing, recipients, context_keys };
    const next = redactRow(tools, own, table) ?? own;
    return JSON.stringify(pick(next, table.columns)) === JSON.stringify(pick(row, table.columns)) ? [] : [next];
  }),
});

/** Rows with `context_keys`, which name contexts as their own table does. */
export const rewriteWithContexts: Rewrite = (tools, rows, table) => ({
  deleted: [],
  changed: rows.flatMap((row) => {
    const context_keys = (row.context_keys as string[]).map((key) => contextKey(tools, key));
    const next = redactRow(tools, { ...row, context_keys }, table);
    if (next) return [next];
    return JSON.stringify(context_keys) === JSON.stringify(row.context_keys) ? [] : [{ ...row, context_keys }];
  }),
});

/** Events about the person, with their deliveries, are deleted; others lose the mention. */
export const rewriteWebhookEvents: Rewrite = async (tools, rows, table) => {
  const { db, environmentId, secrets, everywhere, person, shell, pseudonym } = tools;
  const { deleted = [], kept = [] } = Object.groupBy(rows, (row) =>
    everywhere.names(openAny(secrets, row.body)) ? "deleted" : "kept",
  );
  const messageOf = (row: ScannedRow) => messageIdsIn(openAny(secrets, row.body));
  const owner = { ids: [...person.ids, shell], pseudonym };
  const about = await findMessagesAbout(db, environmentId, kept.flatMap(messageOf), owner);
  return {
    deleted: deleted.map((row) => row.at),
    changed: kept.flatMap((row) => {
      const is_about = messageOf(row).some((id) => about.has(id));
      return redactRow(tools, { ...row, is_about }, table) ?? [];
    }),
  };
};

/** The ids of messages that the body of a webhook event names. */
function messageIdsIn(value: unknown): string[] {
  if (!isObject(value)) return [];
  const own = [value._id, value.messageId].filter((id) => typeof id === "string" && isUuid(id)) as string[];
  return [...own, ...Object.values(value).flatMap(messageIdsIn)];
}

/** Lines about the person keep their number only; one that waits is not imported. */
export const rewriteImportPages: Rewrite = ({ person, everywhere }, rows) => {
  const isPersonal = (cells: string[]): boolean =>
    cells.some((cell) => cell === person.subscriberId || everywhere.text(cell) !== cell);
  const reason = "The subscriber was erased";
  const changed = rows.flatMap((row) => {
    const waiting = (row.rows as ImportRowCells[] | null)?.map((line) =>
      isPersonal(line.cells) ? { line: line.line, cells: [], problem: reason } : line,
    );
    const errors = (row.errors as { line: number; cells: string[]; message: string }[]).map((error) =>
      isPersonal([...error.cells, error.message])
        ? { line: error.line, column: null, message: reason, cells: [] }
        : error,
    );
    const next = { ...row, rows: waiting ?? null, errors };
    return JSON.stringify(next) === JSON.stringify(row) ? [] : [next];
  });
  return { changed, deleted: [] };
};

/** A stored response about the person stays as the response to its key, without content. */
export const rewriteStoredResponses: Rewrite = ({ secrets, everywhere, about }, rows) => {
  const changed = rows.flatMap((row) => {
    const key = everywhere.key(row.key as string);
    const text = row.body === null ? null : openResponse(secrets, row.body as string);
    const json = text === null ? undefined : parse(text);
    const redactor = everywhere.names(json) ? about : everywhere;
    const next = json === undefined ? text && redactor.text(text) : JSON.stringify(redactor.json(json));
    const isSame = key === row.key && (json === undefined ? next === text : next === JSON.stringify(json));
    return isSame ? [] : [{ ...row, key, body: next === null ? null : sealResponse(secrets, next) }];
  });
  return { changed, deleted: [] };
};

/** Entries about the person say who did what and when, and no more. */
export const rewriteAuditLog: Rewrite = (tools, rows, table) => {
  const { person, pseudonym, everywhere } = tools;
  const named = (target: unknown): string | null =>
    typeof target === "string"
      ? target
          .split("/")
          .map((part) => (part === person.subscriberId ? pseudonym : everywhere.text(part)))
          .join("/")
      : null;
  const changed = rows.flatMap((row) => {
    if (!row.is_own) return redactRow(tools, row, table) ?? [];
    const target = named(row.target);
    return [{ ...row, target, target_name: null, before: null, after: null, subscriber_id: pseudonym }];
  });
  return { changed, deleted: [] };
};

/** A suppressed address stays suppressed, as a keyed hash. */
export const rewriteSuppressions: Rewrite = ({ secrets, environmentId, everywhere }, rows) => {
  const hashesOf = createAddressHashes(secrets);
  const changed = rows.flatMap((row) => {
    const address = row.address as string;
    const isPersonal = row.is_own || everywhere.text(address) !== address;
    if (isHashedAddress(address) || !isPersonal) return [];
    return [{ ...row, address: hashesOf(environmentId, row.channel as string, normalizeAddress(address))[0] }];
  });
  return { changed, deleted: [] };
};

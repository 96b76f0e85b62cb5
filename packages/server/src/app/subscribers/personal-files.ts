// What the files of a personal export say: rows with the names of the API, encrypted parts opened, secrets masked, and
// other recipients of the same events left out.
import type { Subscriber } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { openText, openValue, type Sealed } from "../../lib/sealed.ts";
import { mask } from "../../lib/secrets.ts";
import { openAddress } from "../../pipeline/encrypted-parts.ts";
import { maskOverrides } from "../../pipeline/rules/overrides.ts";
import { toSubscriber } from "../../pipeline/views.ts";
import type { PersonalPart } from "../../store/subscribers/personal-data.ts";
import type { SubscriberRow } from "../../store/subscribers/subscribers.ts";

export const readme = `This archive has everything that the notification service stores about one person.

profile.json          the profile; tokens and webhook addresses of channels are masked
preferences.json      which channels and workflows the person has switched on or off
topics.json           topics the person subscribes to
endpoints.json        addresses for chat and push, masked
connections.json      connected workspaces, without their keys
contexts.json         contexts that notifications of the person name
events.json           events that the person was a recipient of, with their payload
runs.json             one run for each event, with its steps and what decided about them
messages/             one file per message: .json for what happened to it, .html or .txt for its content
attention.json        when the person was sent messages that an attention budget counts, what waits, and the most
                      messages that the person wants, by channel
audiences.json        fixed audiences that the person is in
activity.json         when the person last read an in-app message, and last opened a message
signals.json          what other programs reported about the person, for runs that wait for it
captured.json         messages of test environments
dead-letters.json     messages that no provider took
receipts.json         what providers reported about the messages
suppressions.json     addresses of the person that nothing is sent to
audit-log.json        changes of the person's data by members, without the members
import-lines.json     lines of imported files, waiting or invalid
webhook-events.json   what was sent to webhooks about the person
manifest.json         when the archive was created, and how many records each file has

Times are in UTC. The files are JSON in UTF-8, with one record on a line.
`;

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Columns that say nothing about the person. */
const left = new Set(["environment_id", "organization_id"]);

const camelMembers = (row: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(row).flatMap(([name, value]) => (left.has(name) ? [] : [[camel(name), value]])));

function maskLeaves(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskLeaves);
  if (!isObject(value)) return value === null || value === undefined ? value : mask;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskLeaves(member)]));
}

export function toProfile(ctx: Ctx, row: SubscriberRow): JsonObject {
  const { channels = [], _organizationId, ...profile }: Subscriber = toSubscriber(ctx.secrets, row, "");
  const masked = channels.map((entry) => ({ ...entry, credentials: maskLeaves(entry.credentials) }));
  return { ...profile, channels: masked };
}

/** A row of the database as the files show it. */
export function toFileRow(ctx: Ctx, part: PersonalPart, row: JsonObject, subscriberId: string): JsonObject {
  const shown = camelMembers(row);
  if (part === "endpoints") return { ...shown, endpoint: maskLeaves(openSealed(ctx, row.endpoint)) };
  if (part === "captured") {
    const content = row.content as JsonObject;
    return { ...shown, content: { ...content, to: openSealed(ctx, content.to) } };
  }
  if (part !== "events") return shown;
  const recipients = row.recipients as JsonObject[];
  const own = recipients.filter((one) => one.subscriberId === subscriberId);
  const actor = row.actor as JsonObject | null;
  return {
    ...shown,
    recipients: own.map(({ channels, ...recipient }) => recipient),
    otherRecipients: recipients.length - own.length,
    actor: actor && { subscriberId: actor.subscriberId },
    overrides: maskOverrides(ctx.secrets, row.overrides as Sealed<JsonObject> | null),
  };
}

const openSealed = (ctx: Ctx, stored: unknown): unknown =>
  stored === null || stored === undefined ? stored : openValue(ctx.secrets, stored as Sealed<object>);

/** The files of one message: `messages/2026-11/2026-11-17T10-00-00Z-email-<id>.json` and its content. */
export function* messageFiles(ctx: Ctx, row: JsonObject): Generator<{ path: string; content: string[] }> {
  const { content, outgoing, ...rest } = row;
  const created = new Date(String(row.created_at)).toISOString();
  const time = created.slice(0, 19).replaceAll(":", "-");
  const base = `messages/${created.slice(0, 7)}/${time}Z-${row.channel}-${row.id}`;
  const stored = { channel: String(row.channel), address: row.address as string | null } as Parameters<
    typeof openAddress
  >[1];
  const isMasked = row.channel === "push" || row.channel === "chat";
  const address = row.address !== null && isMasked ? mask : openAddress(ctx.secrets, stored);
  yield { path: `${base}.json`, content: [JSON.stringify({ ...camelMembers(rest), address }, null, 2)] };
  if (typeof content !== "string" || content === "") return;
  const isHtml = row.channel === "email" || /<[a-z][^>]*>/i.test(content);
  yield { path: `${base}.${isHtml ? "html" : "txt"}`, content: [content] };
}

type WebhookBody = { id: string; type: string; body: string; created_at: Date };

/** Null when the event is not about the person. */
export function webhookEventOf(ctx: Ctx, row: WebhookBody, subscriberId: string): JsonObject | null {
  const text = openText(ctx.secrets, row.body);
  if (!text.includes(JSON.stringify(subscriberId))) return null;
  const body = JSON.parse(text) as JsonObject;
  if (!names(body, subscriberId)) return null;
  return { id: row.id, type: row.type, createdAt: row.created_at.toISOString(), body };
}

const names = (value: unknown, subscriberId: string): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(value).some(
    ([name, member]) => (/subscriberId$/i.test(name) && member === subscriberId) || names(member, subscriberId),
  );

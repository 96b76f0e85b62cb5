// A mail by SMTP, for every adapter that sends this way. SMTP has no request that overrides could be merged into, so
// the overrides that correspond to headers are honoured under the names that mail programs know (`priority`, `list`,
// `inReplyTo`, `references`), `_passthrough.headers` are headers of the mail, and every other member is named as
// ignored.

import type { JsonObject } from "@tidings/contract";
import type { Io, SmtpSettings } from "./io.ts";
import { toMail } from "./mail.ts";
import type { EmailMessage } from "./message.ts";
import { accepted, type Note, type Outcome, rejected, SendError } from "./outcome.ts";

type Headers = Record<string, string>;

export const smtpOverrideNames = { members: ["priority", "list", "inReplyTo", "references"] } as const;

export async function sendBySmtp(
  message: EmailMessage & { from: string },
  settings: SmtpSettings,
  io: Io,
): Promise<Outcome> {
  const mail = toMail({ ...message, headers: headersOf(message) });
  const refusedCopies = await io.smtp(settings).send(mail);
  return accepted(mail.messageId, refusedCopies, ignoredOf(message));
}

function headersOf({ headers = {}, extra = {}, passthrough }: EmailMessage): Headers {
  const { priority, list, inReplyTo, references } = extra;
  const asked: Headers = {
    ...priorityHeaders(priority),
    ...listHeaders(list),
    ...idHeader("In-Reply-To", "inReplyTo", inReplyTo),
    ...idHeader("References", "references", references),
    ...textsOf(passthrough?.headers ?? {}),
  };
  const names = new Set(Object.keys(asked).map((name) => name.toLowerCase()));
  // List-Unsubscribe-Post (one click) belongs to the link that is replaced, so it is removed too.
  if (names.has("list-unsubscribe")) names.add("list-unsubscribe-post");
  const kept = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...asked };
}

function ignoredOf({ extra = {}, passthrough = {} }: EmailMessage): Note[] {
  const known: readonly string[] = smtpOverrideNames.members;
  const names = [
    ...Object.keys(extra).filter((name) => !known.includes(name)),
    ...Object.keys(passthrough.body ?? {}).map((name) => `_passthrough.body.${name}`),
    ...Object.keys(passthrough.query ?? {}).map((name) => `_passthrough.query.${name}`),
  ];
  return names.map((name) => ({ about: "override", name, reason: "A mail sent by SMTP has no such member" }));
}

const fault = (reason: string): SendError => new SendError(rejected("content", `The override ${reason}`));

// The three headers that mail programs read.
const levels: Record<string, string | undefined> = { high: "1 (Highest)", low: "5 (Lowest)" };

function priorityHeaders(value: unknown): Headers {
  if (value === undefined || value === "normal") return {};
  const level = typeof value === "string" && Object.hasOwn(levels, value) ? levels[value] : undefined;
  if (!level) throw fault("priority must be high, normal or low");
  const word = value === "high" ? "High" : "Low";
  return { "X-Priority": level, "X-MSMail-Priority": word, Importance: word };
}

/** One id or a list of them, in angle brackets. */
function idHeader(header: string, name: string, value: unknown): Headers {
  if (value === undefined) return {};
  const ids = [value].flat().flatMap((one) => (typeof one === "string" ? one.split(/\s+/).filter(Boolean) : [""]));
  const isId = (id: string): boolean => /^<?[^\s<>]+>?$/.test(id);
  if (ids.length === 0 || !ids.every(isId)) throw fault(`${name} must be the id of a message or a list of them`);
  return { [header]: ids.map((id) => `<${id.replace(/[<>]/g, "")}>`).join(" ") };
}

const listNames = ["help", "unsubscribe", "subscribe", "post", "owner", "archive", "id"];

/** RFC 2369 and RFC 2919: `{unsubscribe: "https://…", help: {url, comment}, post: […]}`. */
function listHeaders(value: unknown): Headers {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null) throw fault("list must be an object");
  return Object.fromEntries(
    Object.entries(value).map(([name, given]) => {
      if (!listNames.includes(name)) throw fault(`list may have the members ${listNames.join(", ")}`);
      const header = name === "id" ? "List-ID" : `List-${name[0]?.toUpperCase()}${name.slice(1)}`;
      return [
        header,
        [given]
          .flat()
          .map((one) => listEntry(name, one))
          .join(", "),
      ];
    }),
  );
}

function listEntry(name: string, given: unknown): string {
  const { url, comment } = Object(typeof given === "string" ? { url: given } : given) as JsonObject;
  if (typeof url !== "string" || !/^[^\s<>]+$/.test(url)) throw fault(`list.${name} must be an address`);
  const note = typeof comment === "string" ? comment.replace(/[()<>"\\]/g, "") : "";
  if (name === "id") return note ? `"${note}" <${url}>` : `<${url}>`;
  const isMail = !/^[a-z][a-z0-9+.-]*:/i.test(url) && url.includes("@");
  const address = isMail ? `mailto:${url}` : /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `https://${url}`;
  return note ? `<${address}> (${note})` : `<${address}>`;
}

const textsOf = (headers: JsonObject): Headers =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  );

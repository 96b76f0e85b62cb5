// Turns a message into a mail that can be sent: addresses parsed, headers checked, a Message-ID that is the same on
// every attempt. Values that would inject a second recipient or a second header are refused here.

import type { Attachment, EmailMessage, Message } from "./message.ts";
import { rejected, SendError } from "./outcome.ts";

export type Mailbox = {
  name: string;
  address: string;
};

/** A mail ready for the wire. Addresses are parsed: nothing here is split or interpreted again. */
export type Mail = {
  messageId: string;
  from: Mailbox;
  to: Mailbox[];
  cc: Mailbox[];
  bcc: Mailbox[];
  replyTo?: Mailbox;
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
  attachments: Attachment[];
};

// Headers that have a dedicated field or belong to the structure of the message.
const ownHeaders = new Set([
  "from",
  "to",
  "cc",
  "bcc",
  "subject",
  "message-id",
  "mime-version",
  "content-type",
  "content-transfer-encoding",
  "dkim-signature",
]);

export function toMail(message: EmailMessage & { from: string }): Mail {
  const from = parseMailbox(message.from);
  if (!from) throw new SendError(rejected("config", `The sender ${quote(message.from)} is not an email address`));
  const replyTo = message.replyTo ? parseMailbox(message.replyTo) : undefined;
  if (message.replyTo && !replyTo) {
    throw new SendError(rejected("content", `The reply address ${quote(message.replyTo)} is not an email address`));
  }
  return {
    messageId: messageId(message.id, from.address),
    from: { name: oneLine(message.senderName ?? from.name), address: from.address },
    ...toRecipients(message),
    ...(replyTo ? { replyTo } : {}),
    subject: oneLine(message.subject),
    html: message.html,
    text: message.text,
    headers: checkedHeaders(message.headers ?? {}),
    attachments: message.attachments ?? [],
  };
}

/**
 * Every address once, whatever its case, in the first of to, cc and bcc that has it: a provider may refuse a mail that
 * names an address twice, or send it twice. Runs for every provider, before its limits are checked.
 */
export function withUniqueRecipients(message: Message): Message {
  if (message.channel !== "email") return message;
  const seen = new Set<string>();
  const unique = (list: readonly string[]): string[] =>
    list.filter((text) => {
      const address = (parseMailbox(text)?.address ?? text).toLowerCase();
      return !seen.has(address) && seen.add(address);
    });
  const { to, cc, bcc } = message;
  return { ...message, to: unique(to), ...(cc ? { cc: unique(cc) } : {}), ...(bcc ? { bcc: unique(bcc) } : {}) };
}

/** The addresses of a message, parsed; a list without a first recipient or with a wrong address is refused. */
export function toRecipients(message: EmailMessage): Pick<Mail, "to" | "cc" | "bcc"> {
  const to = recipients(message.to);
  if (to.length === 0) throw new SendError(rejected("recipient", "The message has no recipient"));
  return { to, cc: recipients(message.cc ?? []), bcc: recipients(message.bcc ?? []) };
}

/** `Ada <ada@example.com>`, quoted where the name needs it. */
export function formatMailbox({ name, address }: Mailbox): string {
  if (!name) return address;
  return /^[\p{L}\p{N} _'-]+$/u.test(name) ? `${name} <${address}>` : `"${name.replace(/["\\]/g, "")}" <${address}>`;
}

// A display name without quotes may not hold the characters that structure a list of addresses.
const mailbox =
  /^(?:"(?<quoted>[^"\p{Cc}]*)"\s*<(?<a>[^<>]+)>|(?<plain>[^"<>@,;:\\\p{Cc}]*)<(?<b>[^<>]+)>|(?<c>[^<>]+))$/u;
const addrSpec = /^[^\s<>(),;:\\"@\p{Cc}]+@[^\s<>(),;:\\"@\p{Cc}]+$/u;

/** `ada@example.com` or `Ada <ada@example.com>`; one address only, so that a list cannot pass for a recipient. */
export function parseMailbox(text: string): Mailbox | undefined {
  const { quoted, plain, a, b, c } = mailbox.exec(text.trim())?.groups ?? {};
  const address = (a ?? b ?? c ?? "").trim();
  return addrSpec.test(address) ? { name: (quoted ?? plain ?? "").trim(), address } : undefined;
}

function recipients(list: readonly string[]): Mailbox[] {
  return list.map((text) => {
    const parsed = parseMailbox(text);
    if (!parsed) throw new SendError(rejected("recipient", `${quote(text)} is not an email address`));
    return parsed;
  });
}

function checkedHeaders(headers: Record<string, string>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    // RFC 5322: printable ASCII without the colon.
    if (!/^[!-9;-~]+$/.test(name)) throw new SendError(rejected("content", `${quote(name)} is not a header name`));
    if (ownHeaders.has(name.toLowerCase())) {
      throw new SendError(rejected("content", `The header ${name} cannot be set: it follows from the message`));
    }
    checked[name] = oneLine(value);
  }
  return checked;
}

/** Servers detect duplicates by this header, so it must not change between attempts. */
const messageId = (id: string, from: string): string =>
  `<${id.replace(/[^\w.-]/g, "-")}@${from.slice(from.lastIndexOf("@") + 1)}>`;

const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();

const quote = (text: string): string => JSON.stringify(text.slice(0, 100));

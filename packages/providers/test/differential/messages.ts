// The messages that go through an SDK and through our adapter: in a neutral form, which each SDK file translates for
// its SDK, and in the form that the adapter accepts.

import type { JsonObject } from "@tidings/contract";
import type { EmailMessage, PushMessage, SmsMessage } from "../../src/index.ts";
import type { Mailbox } from "../../src/kit/mail.ts";
import { messageId } from "../conformance/case.ts";

type SampleFile = {
  name: string;
  mime: string;
  content: Buffer;
  /** An image that the HTML shows, by this id. */
  cid?: string;
};

export type SampleMail = {
  from: Mailbox;
  /** The addresses that reach the provider: each of them once. */
  to: Mailbox[];
  cc: Mailbox[];
  bcc: Mailbox[];
  replyTo?: Mailbox;
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
  files: SampleFile[];
};

export type SampleSms = {
  from: string;
  to: string;
  text: string;
};

export type SamplePush = {
  token: string;
  title: string;
  body: string;
  data: JsonObject;
};

export type SampleChat = {
  accessToken: string;
  channel: string;
  text: string;
};

const box = (address: string, name = ""): Mailbox => ({ name, address });

const plainMail: SampleMail = {
  from: box("team@example.com", "Team"),
  to: [box("ada@example.com", "Ada Lovelace")],
  cc: [],
  bcc: [],
  subject: "Hello",
  html: "<p>Hello Ada</p>",
  text: "Hello Ada",
  headers: {},
  files: [],
};

/** Every byte there is, NUL and those above 0x7f among them. */
const allBytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));

const hardMail: SampleMail = {
  from: box("team@example.com", "Équipe, Nord"),
  to: [box("ada@example.com", "Ada Löwenherz"), box("b@example.com")],
  cc: [box("c@example.com", "Σωκράτης")],
  bcc: [box("d@example.com", "小林")],
  replyTo: box("help@example.com", "Hilfe & Rat"),
  subject: "Grüße 🎉 an alle, mit einem Betreff, der länger ist als eine Zeile eines Mailkopfs sein darf",
  html: '<p>Grüße <img src="cid:logo@example.com"></p>',
  text: "Grüße",
  headers: { "X-Campaign": "spring", "X-Long": `begin ${"long ".repeat(60)}end` },
  files: [
    { name: "Übersicht 2026.pdf", mime: "application/pdf", content: allBytes },
    { name: "logo.png", mime: "image/png", content: allBytes.subarray(128), cid: "logo@example.com" },
  ],
};

/** With the name in quotes, which is right for every name. */
const written = ({ name, address }: Mailbox): string => (name ? `"${name}" <${address}>` : address);

const toAttachment = ({ cid, ...file }: SampleFile) =>
  cid ? { ...file, contentId: cid, disposition: "inline" as const } : file;

function toEmail(mail: SampleMail): EmailMessage {
  return {
    id: messageId,
    channel: "email",
    from: mail.from.address,
    senderName: mail.from.name,
    to: mail.to.map(written),
    cc: mail.cc.map(written),
    bcc: mail.bcc.map(written),
    ...(mail.replyTo ? { replyTo: written(mail.replyTo) } : {}),
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    headers: mail.headers,
    ...(mail.files.length > 0 ? { attachments: mail.files.map(toAttachment) } : {}),
  };
}

/** Addresses are the same in any case, so a copy of a copy is none: each goes to its first place. */
function withRepeats(message: EmailMessage): EmailMessage {
  return {
    ...message,
    to: [...message.to, "ADA@example.com"],
    cc: ["Ada@Example.com", ...(message.cc ?? [])],
    bcc: [...(message.bcc ?? []), "C@example.com", "b@EXAMPLE.com"],
  };
}

function sms(text: string): Sample<SampleSms, SmsMessage> {
  const sample = { from: "+15550001111", to: "+15552223333", text };
  return { sample, message: { id: messageId, channel: "sms", ...sample } };
}

function push(token: string, title: string, data: JsonObject): Sample<SamplePush, PushMessage> {
  const sample = { token, title, body: "Ein neuer Gruß 🎉", data };
  return { sample, message: { id: messageId, channel: "push", ...sample } };
}

export type Sample<S, M> = {
  sample: S;
  message: M;
};

const accessToken = "xoxb-s3cret-token";

export const samples = {
  email: {
    simple: { sample: plainMail, message: toEmail(plainMail) },
    hard: { sample: hardMail, message: withRepeats(toEmail(hardMail)) },
  },
  sms: {
    simple: sms("Hello Ada"),
    "non-ASCII": sms("Grüße & ein Plus + von “Ada” 🎉\nzweite Zeile"),
    long: sms("Ein langer Text, der in Teilen geschickt wird. ".repeat(12).trim()),
  },
  push: {
    simple: push("ExponentPushToken[abc]", "Hello", {}),
    data: push("ExponentPushToken[abc]", "Grüße", { orderId: "o-1", count: 3, nested: { deep: ["ä", true] } }),
  },
  chat: {
    simple: {
      sample: { accessToken, channel: "C123", text: "Hello *Ada* & <you> 🎉" },
      message: {
        id: messageId,
        channel: "chat",
        target: { kind: "channel", channel: "C123", accessToken },
        text: "Hello *Ada* & <you> 🎉",
      },
    },
  },
} as const;

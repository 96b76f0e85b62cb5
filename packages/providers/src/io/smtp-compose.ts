// The bytes of a mail, put together at once. nodemailer writes a mail as a chain of streams, with a system call for
// each heading, boundary and body; that was more than half of what a mail over SMTP costs. Ours are short texts in
// memory, so they are joined here from nodemailer's own headers, boundaries and encodings, to the same mail
// (test/io/smtp-compose.test.ts).

import { encode as toBase64, wrap as wrapBase64 } from "nodemailer/lib/base64";
import type MimeNode from "nodemailer/lib/mime-node";
import { encode as toQuoted, wrap as wrapQuoted } from "nodemailer/lib/qp";

/** Longer texts are streamed: encoding them at once would block the event loop for too long. */
const maxLength = 64 * 1024;

/** Undefined for what only nodemailer's streams can do: attachments and long texts. */
export function composeShort(mail: MimeNode): Buffer | undefined {
  const text = compose(mail);
  if (text === undefined) return undefined;
  return Buffer.from(text.endsWith("\n") ? text : `${text}${text.endsWith("\r") ? "\n" : "\r\n"}`);
}

function compose(node: MimeNode): string | undefined {
  // Before anything else: boundary and content type of the node are decided on the way.
  const head = `${node.buildHeaders()}\r\n\r\n`;
  const body = node.multipart ? composeParts(node) : composeText(node);
  return body === undefined ? undefined : head + body;
}

function composeParts(node: MimeNode): string | undefined {
  const parts = node.childNodes.map(compose);
  if (parts.includes(undefined)) return undefined;
  const delimiter = `--${node.boundary}`;
  return `${parts.map((part) => `${delimiter}\r\n${part}`).join("\r\n")}\r\n${delimiter}--\r\n`;
}

function composeText(node: MimeNode): string | undefined {
  const content = node.content ?? "";
  if (typeof content !== "string" || content.length > maxLength) return undefined;
  const encoding = content && node.getTransferEncoding();
  if (encoding === "base64") return wrapBase64(toBase64(content));
  return encoding === "quoted-printable" ? wrapQuoted(toQuoted(content)) : content;
}

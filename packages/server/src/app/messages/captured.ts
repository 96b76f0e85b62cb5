// The development mailbox: messages that the capture providers stored instead of sending them.
import type { CapturedMessage, Input, Output } from "@tidings/contract";
import type { ChatTarget, Message } from "@tidings/providers";
import type { Caller, Ctx } from "../../context.ts";
import { findCodes } from "../../lib/codes.ts";
import { findLinks } from "../../lib/links.ts";
import { mapWithPauses } from "../../lib/pauses.ts";
import { openValue, type Sealed, sealValue } from "../../lib/sealed.ts";
import type { Secrets } from "../../lib/secrets.ts";
import { type CapturedRow, deleteCaptured, listCaptured } from "../../store/messages/captured.ts";
import { readCursor, toCursorList } from "../paging.ts";

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"captured.list">,
): Promise<Output<"captured.list">> {
  const { channel, transactionId, subscriberId } = query;
  const filters = { channel, transactionId, subscriberId };
  const page = await listCaptured(ctx.db, caller.environmentId, filters, readCursor(query));
  const captured = await mapWithPauses(page.rows, (row) => toCaptured(ctx, row));
  return toCursorList({ ...page, rows: captured }, (message) => message);
}

/** Messages that one request deletes at most: a full mailbox would keep its transaction open for minutes. */
const maxDeleted = 10_000;

export async function remove(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"captured.delete">,
): Promise<Output<"captured.delete">> {
  const { channel, transactionId, subscriberId } = query;
  const filters = { channel, transactionId, subscriberId };
  return deleteCaptured(ctx.db, caller.environmentId, filters, maxDeleted);
}

type Content = Omit<
  CapturedMessage,
  | "id"
  | "messageId"
  | "channel"
  | "providerId"
  | "integrationIdentifier"
  | "transactionId"
  | "subscriberId"
  | "links"
  | "codes"
  | "createdAt"
>;

/** The stored part of a message. Anyone who has the address of a push or chat message can send to it: it is encrypted. */
export function capturedContent(secrets: Secrets, message: Message): Omit<Content, "to"> & { to: Sealed<string[]> } {
  const content = contentOf(message);
  const isSecret = message.channel === "push" || message.channel === "chat";
  return isSecret ? { ...content, to: sealValue(secrets, content.to) } : content;
}

/** The content and addresses of a message, without the bytes of attachments. */
function contentOf(message: Message): Content {
  switch (message.channel) {
    case "email": {
      const { to, cc, bcc, from, senderName, replyTo, subject, html, text, headers } = message;
      const attachments = message.attachments?.map(({ name, mime, content }) => ({ name, mime, size: content.length }));
      return { to, cc, bcc, from, senderName, replyTo, subject, html, text, headers, attachments };
    }
    case "sms":
      return { to: [message.to], from: message.from, text: message.text };
    case "push":
      return { to: [message.token], subject: message.title, text: message.body };
    case "chat":
      return { to: [addressOf(message.target)], text: message.text };
  }
}

function addressOf(target: ChatTarget): string {
  switch (target.kind) {
    case "webhook":
      return target.webhookUrl;
    case "channel":
      return target.channel;
    case "user":
      return target.user;
    case "phone":
      return target.phone;
  }
}

/** Links and codes are extracted on reading: most captured messages are never read. */
function toCaptured({ secrets }: Ctx, row: CapturedRow): CapturedMessage {
  const stored = row.content as ReturnType<typeof capturedContent>;
  const content: Content = { ...stored, to: openValue(secrets, stored.to) };
  return {
    ...content,
    id: row.id,
    messageId: row.message_id,
    channel: row.channel,
    providerId: row.provider_id,
    integrationIdentifier: row.integration_identifier,
    transactionId: row.transaction_id,
    subscriberId: row.subscriber_id,
    links: findLinks(content),
    codes: findCodes([content.subject, content.text]),
    createdAt: row.created_at.toISOString(),
  };
}

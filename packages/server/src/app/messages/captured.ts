// The development mailbox: messages that the capture providers stored instead of sending them.
import {
  type CapturedMessage,
  capturedSummaryLength,
  type Input,
  maxSearchedCaptured,
  type Output,
} from "@tidings/contract";
import type { ChatTarget, Message } from "@tidings/providers";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { findLinks } from "../../lib/links.ts";
import { mapWithPauses } from "../../lib/load/pauses.ts";
import { openValue, type Sealed, sealValue } from "../../lib/sealed.ts";
import type { Secrets } from "../../lib/secrets.ts";
import { findCodes } from "../../lib/text/codes.ts";
import { attachmentsFor } from "../../pipeline/rules/attachments.ts";
import { findAttachmentsOf } from "../../store/events/events.ts";
import {
  type CapturedRow,
  deleteCaptured,
  deleteCapturedOne,
  findCaptured,
  listCaptured,
} from "../../store/messages/captured.ts";
import { readCursor, toCursorList } from "../paging.ts";

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"captured.list">,
): Promise<Output<"captured.list">> {
  const { channel, transactionId, subscriberId, search, content = "full" } = query;
  const filters = { channel, transactionId, subscriberId };
  const page = await listCaptured(ctx.db, caller.environmentId, filters, {
    ...readCursor(query),
    content,
    search,
    searched: maxSearchedCaptured,
  });
  const captured = await mapWithPauses(page.rows, (row) => {
    const message = toCaptured(ctx, row);
    return content === "full" ? message : toSummary(message);
  });
  return toCursorList({ ...page, rows: captured }, (message) => message);
}

const toSummary = (message: CapturedMessage): CapturedMessage => ({
  ...message,
  text: message.text?.slice(0, capturedSummaryLength),
  links: [],
});

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"captured.retrieve">,
): Promise<Output<"captured.retrieve">> {
  return toCaptured(ctx, await requireCaptured(ctx, caller, params.id));
}

async function requireCaptured(ctx: Ctx, caller: Caller, id: string): Promise<CapturedRow> {
  const row = await findCaptured(ctx.db, caller.environmentId, id);
  if (!row) throw failure("CAPTURED_NOT_FOUND", { id });
  return row;
}

/** The bytes are those of the event, which every mail of it has in the same order. */
export async function retrieveAttachment(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"captured.retrieveAttachment">,
): Promise<Output<"captured.retrieveAttachment">> {
  const row = await requireCaptured(ctx, caller, params.id);
  const listed = (row.content as Partial<Content>).attachments ?? [];
  const index = /^\d{1,3}$/.test(params.index) ? Number(params.index) : -1;
  const stored = index in listed ? await findAttachmentsOf(ctx.db, caller.environmentId, row.event_id) : undefined;
  const file = stored && attachmentsFor(stored, "email")[index];
  if (!file) throw failure("CAPTURED_ATTACHMENT_NOT_FOUND", params);
  const { name, mime, size } = listed[index]!;
  return { name, mime, size, content: file.file };
}

export async function removeOne(ctx: Ctx, caller: Caller, { params }: Input<"captured.deleteOne">): Promise<undefined> {
  const isDeleted = await deleteCapturedOne(ctx.db, caller.environmentId, params.id);
  if (!isDeleted) throw failure("CAPTURED_NOT_FOUND", { id: params.id });
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

/**
 * The stored part of a message. Anyone who has the address of a push or chat message can send to it: it is encrypted.
 */
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

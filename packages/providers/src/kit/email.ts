// What email adapters share: addresses in the form that most APIs accept, attachments, what a provider keeps with a
// mail, and text that a template language leaves alone.

import type { Mail, Mailbox } from "./mail.ts";
import type { Attachment, EmailMessage } from "./message.ts";

/** `{email, name}`, the name only where there is one. */
export function toPerson({ name, address }: Mailbox): { email: string; name?: string } {
  return name ? { email: address, name } : { email: address };
}

/** Undefined for an empty list: many APIs refuse one. */
export function toPeople(mailboxes: readonly Mailbox[]) {
  return nonEmpty(mailboxes.map(toPerson));
}

/** Addresses and content under the names that MailerSend and Mailtrap share. */
export function toJsonMail({ from, to, cc, bcc, replyTo, subject, text, html }: Mail) {
  return {
    from: toPerson(from),
    to: toPeople(to),
    cc: toPeople(cc),
    bcc: toPeople(bcc),
    reply_to: replyTo && toPerson(replyTo),
    subject,
    text: text || undefined,
    html: html || undefined,
  };
}

/** Undefined for an empty list and for an object without members. */
export function nonEmpty<T extends object>(members: T): T | undefined {
  return Object.keys(members).length > 0 ? members : undefined;
}

/** The id by which the HTML refers to the attachment; undefined if it is only attached. */
export function inlineContentId({ contentId, disposition }: Attachment): string | undefined {
  return disposition === "attachment" ? undefined : contentId;
}

/** For APIs that have inline images and other attachments in two lists. */
export function splitInline(attachments: readonly Attachment[] = []) {
  return {
    inline: attachments.flatMap((file) => {
      const id = inlineContentId(file);
      return id === undefined ? [] : [{ ...file, id }];
    }),
    attached: attachments.filter((file) => inlineContentId(file) === undefined),
  };
}

/** What the message is and belongs to, and the caller's own data, as texts of at most `longest` characters. */
export function metadataOf({ id, origin = {}, customData = {} }: EmailMessage, longest = 1000): Record<string, string> {
  const own = {
    tidingsMessageId: id,
    tidingsWorkflowId: origin.workflowId,
    tidingsTransactionId: origin.transactionId,
    tidingsSubscriberId: origin.subscriberId,
  };
  const texts = Object.entries({ ...customData, ...own }).flatMap(([name, value]): [string, string][] => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text ? [[name, text.slice(0, longest).toWellFormed()]] : [];
  });
  return Object.fromEntries(texts);
}

/** The same for tags that may only hold ASCII letters, digits, underscores and hyphens. */
export function tagsOf(message: EmailMessage): [name: string, value: string][] {
  return Object.entries(metadataOf(message, 256)).map(([name, value]) => [plainTag(name), plainTag(value)]);
}

const plainTag = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 256);

/** The workflow, as the one tag that providers group their statistics by. */
export function workflowTag({ origin }: EmailMessage, longest: number): [string] | undefined {
  return origin?.workflowId ? [origin.workflowId.replace(/[^\x20-\x7e]/g, "_").slice(0, longest)] : undefined;
}

/**
 * For providers that render content with Liquid: Liquid marks in the text are printed and not executed, so that input
 * of a subscriber cannot read a profile or call an address from inside the provider.
 */
export function literalLiquid(text: string): string {
  return text.replace(/\{[{%]/g, (mark) => `{{ "${mark}" }}`);
}

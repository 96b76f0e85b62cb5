// What email adapters share: addresses as most APIs take them, attachments, what a provider keeps with a mail, and text
// that a template language leaves alone.

import type { Attachment, EmailMessage } from "./message.ts";
import type { Mailbox } from "./provider.ts";

/** `{email, name}`, the name only where there is one. */
export const person = ({ name, address }: Mailbox): { email: string; name?: string } =>
  name ? { email: address, name } : { email: address };

/** Undefined for an empty list: many APIs refuse one. */
export const people = (mailboxes: readonly Mailbox[]) => filled(mailboxes.map(person));

/** Undefined for an empty list and for an object without members. */
export const filled = <T extends object>(members: T): T | undefined =>
  Object.keys(members).length > 0 ? members : undefined;

/** The id by which the html shows the attachment; undefined where it is only attached. */
export const inlineId = ({ contentId, disposition }: Attachment): string | undefined =>
  disposition === "attachment" ? undefined : contentId;

/** For APIs that have inline images and other attachments in two lists. */
export const byPlace = (attachments: readonly Attachment[] = []) => ({
  inline: attachments.flatMap((file) => {
    const id = inlineId(file);
    return id === undefined ? [] : [{ ...file, id }];
  }),
  attached: attachments.filter((file) => inlineId(file) === undefined),
});

/** What the message is and belongs to, and the caller's own data, as texts of at most `longest` characters. */
export const metadataOf = (
  { id, origin = {}, customData = {} }: EmailMessage,
  longest = 1000,
): Record<string, string> => {
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
};

/** The same for tags that may only hold ASCII letters, digits, underscores and hyphens. */
export const tagsOf = (message: EmailMessage): [name: string, value: string][] =>
  Object.entries(metadataOf(message, 256)).map(([name, value]) => [plainTag(name), plainTag(value)]);

const plainTag = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 256);

/** The workflow, as the one tag that providers group their statistics by. */
export const workflowTag = ({ origin }: EmailMessage, longest: number): [string] | undefined =>
  origin?.workflowId ? [origin.workflowId.replace(/[^\x20-\x7e]/g, "_").slice(0, longest)] : undefined;

/**
 * For providers that run what they are sent through Liquid: marks in a finished text are printed instead of obeyed, so
 * that nobody's input can read a profile or call an address from inside the provider.
 */
export const literalLiquid = (text: string): string => text.replace(/\{[{%]/g, (mark) => `{{ "${mark}" }}`);

/** JSON inside a field of a report; undefined when it is none. */
export const parsed = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
};

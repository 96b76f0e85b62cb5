// What email adapters share: addresses as most APIs take them, and text that a template language leaves alone.

import type { Mailbox } from "./provider.ts";

/** `{email, name}`, the name only where there is one. */
export const person = ({ name, address }: Mailbox): { email: string; name?: string } =>
  name ? { email: address, name } : { email: address };

/** Undefined for an empty list: many APIs refuse one. */
export const people = (mailboxes: readonly Mailbox[]) => filled(mailboxes.map(person));

/** Undefined for an empty list and for an object without members. */
export const filled = <T extends object>(members: T): T | undefined =>
  Object.keys(members).length > 0 ? members : undefined;

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

// Whom a message goes to, and to whom of them nothing is sent any more. A mail may have several recipients: the first of
// `to` is the one it is made for, and without that one it is not sent at all; the others are left out of it.
import type { Message } from "@tidings/providers";
import { normalizeAddress } from "../../lib/addresses.ts";
import type { SuppressedAddress } from "../../store/subscribers/subscribers.batch.ts";
import { fieldsFor } from "./message.ts";

/** A stored message, or one that is yet to be. */
type Addressed = { channel: string; outgoing: object | null };

/** Where the fields of an email or an SMS have addresses. */
type Fields = { to?: string | string[]; cc?: string[]; bcc?: string[] };

const allOf = ({ to = [], cc = [], bcc = [] }: Fields): string[] => [...[to].flat(), ...cc, ...bcc];

/** Everybody it may go to: overrides may differ between providers, and which one sends it is not known yet. */
export function recipientsOf({ channel, outgoing }: Addressed): string[] {
  if (outgoing === null || (channel !== "email" && channel !== "sms")) return [];
  const { perProvider = {}, ...common } = outgoing as Fields & { perProvider?: Record<string, Fields> };
  return [common, ...Object.values(perProvider)].flatMap(allOf);
}

/** `own`: the one it is made for. `copies`: the others. */
export type SuppressedIn = { own: SuppressedAddress | null; copies: SuppressedAddress[] };

/** Who of those it goes to through this provider is suppressed; `found` is what is known of everybody it may go to. */
export function suppressedIn(
  message: Addressed,
  providerId: string,
  found: readonly SuppressedAddress[] = [],
): SuppressedIn {
  if (found.length === 0) return { own: null, copies: [] };
  const byAddress = new Map(found.map((one) => [one.address, one]));
  const [own = "", ...others] = allOf(fieldsFor<Fields>(message, providerId)).map(normalizeAddress);
  return {
    own: byAddress.get(own) ?? null,
    copies: [...new Set(others)].flatMap((address) => byAddress.get(address) ?? []),
  };
}

export function leaveOut(message: Message, copies: readonly SuppressedAddress[]): Message {
  if (copies.length === 0 || message.channel !== "email") return message;
  const gone = new Set(copies.map(({ address }) => address));
  const kept = (list: string[]) => list.filter((one) => !gone.has(normalizeAddress(one)));
  const { to, cc, bcc } = message;
  return { ...message, to: kept(to), cc: cc && kept(cc), bcc: bcc && kept(bcc) };
}

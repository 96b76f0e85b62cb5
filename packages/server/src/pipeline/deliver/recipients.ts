// The recipients of a message, and which of them have a suppressed address. A mail may have several recipients: the
// first of `to` is the one it is for, and if that address is suppressed it is not sent; suppressed copies are
// removed from it.
import type { Message } from "@tidings/providers";
import { normalizeAddress } from "../../lib/addresses.ts";
import type { SuppressedAddress } from "../../store/subscribers/subscribers.batch.ts";
import type { StoredDetail } from "../../store/tables.ts";
import { detail } from "../rules/details.ts";
import { fieldsFor } from "./message.ts";

/** A stored message, or one that is simulated. */
type Addressed = { channel: string; outgoing: object | null };

/** The fields of an email or an SMS that have addresses. */
type AddressFields = { to?: string | string[]; cc?: string[]; bcc?: string[] };

const addressesIn = ({ to = [], cc = [], bcc = [] }: AddressFields): string[] => [...[to].flat(), ...cc, ...bcc];

/**
 * Every address that the message may be sent to: overrides may differ between providers, and failover may change those.
 */
export function listRecipients({ channel, outgoing }: Addressed): string[] {
  if (outgoing === null || (channel !== "email" && channel !== "sms")) return [];
  const { perProvider = {}, ...common } = outgoing as AddressFields & { perProvider?: Record<string, AddressFields> };
  return [common, ...Object.values(perProvider)].flatMap(addressesIn);
}

/** `own`: the recipient the message is for. `copies`: the others. */
type SuppressedRecipients = { own: SuppressedAddress | null; copies: SuppressedAddress[] };

/**
 * The suppressed recipients of the message through this provider; `found`: those among all that `listRecipients`
 * returns.
 */
export function findSuppressedRecipients(
  message: Addressed,
  providerId: string,
  found: readonly SuppressedAddress[] = [],
): SuppressedRecipients {
  if (found.length === 0) return { own: null, copies: [] };
  const byAddress = new Map(found.map((one) => [one.address, one]));
  const [own = "", ...others] = addressesIn(fieldsFor<AddressFields>(message, providerId)).map(normalizeAddress);
  return {
    own: byAddress.get(own) ?? null,
    copies: [...new Set(others)].flatMap((address) => byAddress.get(address) ?? []),
  };
}

export function removeCopies(message: Message, copies: readonly SuppressedAddress[]): Message {
  if (copies.length === 0 || message.channel !== "email") return message;
  const removed = new Set(copies.map(({ address }) => address));
  const keepOthers = (list: string[]) => list.filter((one) => !removed.has(normalizeAddress(one)));
  const { to, cc, bcc } = message;
  return { ...message, to: keepOthers(to), cc: cc && keepOthers(cc), bcc: bcc && keepOthers(bcc) };
}

const causes: Record<SuppressedAddress["reason"], string> = {
  bounce: "a hard bounce",
  complaint: "a complaint",
  manual: "a request",
};

export const suppressionReason = ({ reason, suppression_id }: SuppressedAddress): string =>
  `the address is suppressed after ${causes[reason]} (${suppression_id})`;

/** The particulars of a message that was not sent for it. */
export const suppressionRaw = ({ suppression_id, reason, created_at }: SuppressedAddress) => ({
  suppressionId: suppression_id,
  cause: reason,
  since: created_at.toISOString(),
});

/** One detail for each copy that was removed from a mail. */
export function removedCopyDetails(copies: readonly SuppressedAddress[], at: Date): StoredDetail[] {
  return copies.map((copy) => {
    const { address, suppression_id: suppressionId } = copy;
    return detail("copy_suppressed", at, { raw: { address, reason: suppressionReason(copy), suppressionId } });
  });
}

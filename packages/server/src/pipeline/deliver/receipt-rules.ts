// What a provider's report means: the detail it leaves, whether the message failed after all, whether the address is to
// be left alone from now on; and which of a mail's recipients it is about.
import type { SuppressionReason } from "@tidings/contract";
import type { ReceiptStatus } from "@tidings/providers";
import { normalizeAddress } from "../../lib/addresses.ts";
import type { DetailName } from "../rules/details.ts";

export type Meaning = {
  /** The provider has taken the message: nobody else could report this. */
  isProof?: true;
  detail?: DetailName;
  isDelivery?: true;
  /** The message failed although the provider had taken it. */
  errorId?: "provider_bounced" | "provider_rejected";
  suppress?: SuppressionReason;
};

/**
 * `bounced` is a hard bounce: adapters report what may still arrive as `delayed` or `deferred`, and what was given up for a
 * reason that may pass as `undelivered`. Reports that the message is on its way (accepted, queued, sent) say nothing new,
 * unless nobody knew.
 */
const meanings: Record<ReceiptStatus, Meaning> = {
  created: {},
  accepted: { isProof: true },
  queued: { isProof: true },
  sending: { isProof: true },
  sent: { isProof: true },
  delivered: { isProof: true, detail: "delivered", isDelivery: true },
  opened: { isProof: true, detail: "opened" },
  clicked: { isProof: true, detail: "clicked" },
  dismissed: { isProof: true, detail: "dismissed" },
  delayed: { isProof: true, detail: "deferred" },
  deferred: { isProof: true, detail: "deferred" },
  unsubscribed: { isProof: true, detail: "unsubscribed" },
  complaint: { isProof: true, detail: "reported_as_spam", suppress: "complaint" },
  spam: { isProof: true, detail: "reported_as_spam", suppress: "complaint" },
  bounced: { detail: "bounced", errorId: "provider_bounced", suppress: "bounce" },
  undelivered: { isProof: true, detail: "bounced", errorId: "provider_bounced" },
  dropped: { detail: "dropped", errorId: "provider_rejected" },
  blocked: { detail: "blocked", errorId: "provider_rejected" },
  rejected: { detail: "rejected", errorId: "provider_rejected" },
  failed: { detail: "rejected", errorId: "provider_rejected" },
};

export const meaningOf = (status: ReceiptStatus): Meaning => meanings[status];

export type Concerned = {
  /** It is about the one the message was made for: only then the message itself is delivered, or has failed. */
  isOwn: boolean;
  /** Whom to suppress, if it says so; null when nobody can tell. */
  address: string | null;
};

/** `recipients`: everybody the mail went to, where that is more than its address. */
export type Sent = { address: string | null; recipients: readonly string[] | null };

/**
 * Of a mail to one person every report is about that person, however the provider writes the address, but only an address
 * we know is suppressed. Of a mail to several, one that names nobody counts for the message and suppresses nobody; one that
 * names a stranger (somebody's mail is forwarded) does neither.
 */
export function concernedBy(named: string | undefined, { address, recipients }: Sent): Concerned {
  const own = address === null ? null : normalizeAddress(address);
  const all = recipients?.map(normalizeAddress) ?? (own === null ? [] : [own]);
  const isAlone = all.length <= 1;
  if (named === undefined) return { isOwn: true, address: isAlone ? own : null };
  const meant = normalizeAddress(named);
  return all.includes(meant) ? { isOwn: meant === own, address: meant } : { isOwn: isAlone, address: null };
}

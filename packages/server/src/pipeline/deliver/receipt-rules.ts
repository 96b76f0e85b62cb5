// What a provider's report (receipt) means: the execution detail it adds, whether the message failed, and whether its
// address becomes suppressed; and which recipient of a mail it is about. Pure rules.
import type { SuppressionReason } from "@tidings/contract";
import type { ReceiptStatus } from "@tidings/providers";
import { normalizeAddress } from "../../lib/addresses.ts";
import type { DetailName } from "../rules/details.ts";

export type ReceiptMeaning = {
  /** The provider has accepted the message, or it could not report this. */
  isProof?: true;
  detail?: DetailName;
  isDelivery?: true;
  /** The message failed after the provider had accepted it. */
  errorId?: "provider_bounced" | "provider_rejected";
  suppress?: SuppressionReason;
};

/**
 * `bounced` is a hard bounce: adapters report a message that may still arrive as `delayed` or `deferred`, and one that
 * failed for a temporary reason as `undelivered`. Progress reports (accepted, queued, sent) matter only after an
 * unknown outcome.
 */
const meanings: Record<ReceiptStatus, ReceiptMeaning> = {
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

export const meaningOf = (status: ReceiptStatus): ReceiptMeaning => meanings[status];

export type ReportedRecipient = {
  /** The recipient the message is for: only then is the message itself delivered, or failed. */
  isOwn: boolean;
  /** The address to suppress, if the report asks for that; null when it is not known which recipient is meant. */
  address: string | null;
};

/** `recipients`: all addresses of a mail, where it has more than `address`. */
type SentTo = { address: string | null; recipients: readonly string[] | null };

/**
 * Every report on a mail with one recipient is about that recipient, however the provider spells the address, but only
 * a known address is suppressed. For a mail with several recipients, a report without an address counts for the message
 * and suppresses none; a report with an unknown address (a mail may be forwarded) does neither.
 */
export function findReportedRecipient(named: string | undefined, { address, recipients }: SentTo): ReportedRecipient {
  const own = address === null ? null : normalizeAddress(address);
  const all = recipients?.map(normalizeAddress) ?? (own === null ? [] : [own]);
  const isAlone = all.length <= 1;
  if (named === undefined) return { isOwn: true, address: isAlone ? own : null };
  const meant = normalizeAddress(named);
  return all.includes(meant) ? { isOwn: meant === own, address: meant } : { isOwn: isAlone, address: null };
}

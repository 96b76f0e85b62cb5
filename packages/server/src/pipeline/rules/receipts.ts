// What a provider's report means: the detail it leaves, whether the message failed after all, whether the address is to
// be left alone from now on.
import type { SuppressionReason } from "@tidings/contract";
import type { ReceiptStatus } from "@tidings/providers";
import type { DetailName } from "./details.ts";

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
 * `bounced` is a hard bounce: adapters report what may still arrive as `delayed` or `deferred`. Reports that the message is
 * on its way (accepted, queued, sent) say nothing new, unless nobody knew.
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

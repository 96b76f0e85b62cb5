// Delivery reports of providers: reading their events, verifying the signature, responding to the challenge that some
// providers send to an address before they report to it.

import type { Credentials } from "../kit/credentials.ts";
import type { Io } from "../kit/io.ts";
import { genericReceipts, type InboundRequest, type Receipt, receiptStatuses, verifyDefault } from "../kit/receipts.ts";
import { findAdapter } from "./catalogue.ts";

/** The events of a delivery report that are understood; in the generic form where the provider has none. */
export function readReceipts(providerId: string, request: InboundRequest): Receipt[] {
  const adapter = findAdapter(providerId);
  if (!adapter) return [];
  try {
    const read = (adapter.receipts ?? genericReceipts(adapter.channel)).read(request);
    // Adapters look statuses up in tables by a word of the report, and every object has members such as `constructor`.
    return read.filter(({ status }) => receiptStatuses[adapter.channel].includes(status));
  } catch {
    // The body comes from outside and may have any shape: one that cannot be read is a report of unknown kind.
    return [];
  }
}

/** The key that verifies reports: the configured one, else the credential the provider signs with. */
export function receiptKey(providerId: string, configured: unknown, credentials: Credentials): string {
  const name = findAdapter(providerId)?.receipts?.keyCredential;
  const key = [configured, name && credentials[name]].find((one) => typeof one === "string" && one !== "");
  return typeof key === "string" ? key : "";
}

/** The response to a provider that challenges the address before it reports there: see `Receipts.answerChallenge`. */
export function answerChallenge(
  providerId: string,
  request: InboundRequest,
  credentials: Credentials,
): string | false | undefined {
  return findAdapter(providerId)?.receipts?.answerChallenge?.(request, credentials);
}

/** Whether the report is from the provider. Without a key no report can be verified, so all are refused. */
export async function verifyReceipt(
  providerId: string,
  request: InboundRequest,
  key: string,
  now: Date,
  io: Io,
): Promise<boolean> {
  if (key === "") return false;
  const verify = findAdapter(providerId)?.receipts?.verify ?? verifyDefault;
  try {
    return await verify(request, key, now, io);
  } catch {
    return false;
  }
}

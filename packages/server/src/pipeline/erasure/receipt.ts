// The receipt of an erasure: when, which tables, how many rows, what remains and why. It names the person by the
// pseudonym and a keyed hash only, and is signed with a key derived from the encryption key of the installation.
import type { ErasureReceipt } from "@tidings/contract";
import type { Secrets } from "../../lib/secrets.ts";
import { countMentions } from "../../store/subscribers/erasure-scans.ts";
import type { ErasureRow } from "../../store/subscribers/erasures.ts";
import type { ErasureTools } from "./redaction.ts";
import { erasureTableNames, ruleOf } from "./tables.ts";

const purpose = "erasure receipt";
const hashPurpose = "erased subscriber";

const hashesOf = (secrets: Secrets, environmentId: string, subscriberId: string): string[] =>
  secrets.hashes(hashPurpose, `${environmentId} ${subscriberId}`);

export const hashSubscriber = (secrets: Secrets, environmentId: string, subscriberId: string): string =>
  hashesOf(secrets, environmentId, subscriberId)[0]!;

/** Whether the receipt is about the subscriber with this id. */
export const isHashOf = (secrets: Secrets, receipt: ErasureReceipt, subscriberId: string): boolean =>
  hashesOf(secrets, receipt.environmentId, subscriberId).includes(receipt.subscriberHash);

export const signReceipt = (secrets: Secrets, receipt: ErasureReceipt): string =>
  secrets.sign(purpose, JSON.stringify(receipt));

/** Null when this installation did not sign it. */
export function readReceipt(secrets: Secrets, signed: string): ErasureReceipt | null {
  const text = secrets.readSigned(purpose, signed);
  return text === null ? null : (JSON.parse(text) as ErasureReceipt);
}

const sharedTexts: Readonly<Record<string, string>> = {
  email:
    "Another subscriber has the same email address. It was removed from the rows of this person, and stays elsewhere.",
  phone:
    "Another subscriber has the same phone number. It was removed from the rows of this person, and stays elsewhere.",
  name: "Another subscriber has the same name. It was removed from the rows of this person, and stays elsewhere.",
};

const always = [
  {
    what: "shells",
    why: "Messages, notifications and their steps stay without content, under the pseudonym, so that statistics and the outcomes of events stay right.",
  },
  {
    what: "suppressions",
    why: "A suppressed address stays suppressed, as a keyed hash that nobody can read.",
  },
  {
    what: "outside",
    why: "Backups, write-ahead logs, replicas and unvacuumed pages of PostgreSQL, logs of the service, and what providers and webhooks received are not part of the erasure.",
  },
];

export async function makeReceipt(
  { db, environmentId, patterns }: ErasureTools,
  row: ErasureRow,
  { shared, now }: { shared: readonly string[]; now: Date },
): Promise<ErasureReceipt> {
  const remains: ErasureReceipt["remains"] = [...always];
  for (const kind of shared) remains.push({ what: `shared ${kind}`, why: sharedTexts[kind]! });
  for (const table of erasureTableNames) {
    const rule = ruleOf(table);
    if (rule.does !== "remains" || !rule.mentions) continue;
    const rows = await countMentions(db, environmentId, { table, columns: rule.mentions }, patterns);
    if (rows > 0) remains.push({ what: table, why: `May mention the person: ${rule.why}.`, rows });
  }
  return {
    erasureId: row.id,
    environmentId,
    pseudonym: row.pseudonym,
    subscriberHash: row.subscriber_hash,
    requestedAt: row.created_at.toISOString(),
    completedAt: now.toISOString(),
    tables: erasureTableNames.flatMap((table) => {
      const rule = ruleOf(table);
      if (rule.does !== "removed" && rule.does !== "rewritten") return [];
      return [{ table, action: rule.does, what: rule.what, rows: row.counts[table] ?? 0 }];
    }),
    remains,
  };
}

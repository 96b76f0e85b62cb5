// Failed sign-ins in the audit log. An attacker can cause as many as there are requests, so only the first ones of each
// address and minute are kept; together with the limit of attempts (http/auth/extra-limits.ts) the log grows
// slowly.
import type { Ctx, Source } from "../../context.ts";
import { countEntriesFrom } from "../../store/members/audit-log.ts";
import { recordChange } from "./audit.ts";

const maxPerMinute = 3;
const operation = "auth.signInFailed";
const maxEmailLength = 100;

type Attempt = {
  organizationId: string;
  /**
   * As it was typed, cut. An owner has to see whose account is tried, and a hash would hide a mistyped address or a
   * list of guesses. The contract accepts only texts of the form of an email address, so a password in the wrong field
   * does not get here; the password itself is never kept.
   */
  email: string;
  /** The account, if the address belongs to a member. */
  memberId?: string;
  method: "password" | "oidc";
  source: Source;
};

export async function recordFailedSignIn(ctx: Ctx, attempt: Attempt): Promise<void> {
  const { organizationId, email, memberId, method, source } = attempt;
  const since = new Date(ctx.now().getTime() - 60_000);
  const count = await countEntriesFrom(ctx.db, organizationId, { operation, address: source.address, since });
  if (count >= maxPerMinute) return;
  const note = "Other failed sign-ins from this address within the minute are not recorded";
  await recordChange(ctx, {
    organizationId,
    actor: { kind: "machine", id: null, name: email.slice(0, maxEmailLength) },
    operation,
    target: memberId ?? null,
    after: { method, isKnown: memberId !== undefined, ...(count === maxPerMinute - 1 && { note }) },
    source,
  });
}

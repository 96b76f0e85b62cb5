// Rate limits: token buckets, one per environment and category. A bucket holds the tokens of five seconds plus 10 % for
// bursts. All processes share the buckets (lib/load/budgets.ts), in which a bucket is the time until it is full again.
// The limit of wrong API keys is in api-keys.ts.
import type { Operation, RateCategory } from "@tidings/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { InboxCaller } from "../../context.ts";
import { failure } from "../../failure.ts";
import { type Budgets, createBudgets } from "../../lib/load/budgets.ts";
import { networkOf } from "../../lib/networks/addresses.ts";

const windowSeconds = 5;
const burst = 1.1;
/** Tokens are computed from times, so they are fractions: this much may be missing from a whole token. */
const tolerance = 1e-6;

type RateDecision = { isAllowed: boolean; headers: Record<string, string> };

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Without `budgets`, the rates of this process alone. */
export function createRateLimiter(
  rates: Record<RateCategory, number>,
  now: () => number,
  budgets: Budgets = createBudgets({ now, max: 100_000 }),
) {
  return {
    /** Takes `cost` tokens. A cost above the capacity is allowed when the bucket is full, and empties it. */
    take(owner: string, category: RateCategory, cost: number): RateDecision {
      const perSecond = rates[category];
      if (perSecond === 0) return { isAllowed: true, headers: {} };
      const limit = perSecond * windowSeconds;
      const capacity = Math.round(limit * burst);
      const key = `rate ${category} ${owner}`;
      const missing = ((budgets.freeAt(key) - now()) * perSecond) / 1000;
      let tokens = Math.max(0, capacity - missing);
      const needed = Math.min(cost, capacity);
      const isAllowed = tokens + tolerance >= needed;
      if (isAllowed) {
        budgets.spend(key, (needed * 1000) / perSecond, (capacity * 1000) / perSecond);
        tokens = Math.max(0, tokens - needed);
      }
      const headers: Record<string, string> = {
        "ratelimit-limit": String(limit),
        "ratelimit-remaining": String(Math.floor(tokens + tolerance)),
        "ratelimit-reset": String(Math.ceil((capacity - tokens) / perSecond - tolerance)),
        "ratelimit-policy": `${limit};w=${windowSeconds};burst=${capacity};comment="token bucket";category="${category}";cost="${cost}"`,
      };
      if (!isAllowed)
        headers["retry-after"] = String(Math.max(1, Math.ceil((needed - tokens) / perSecond - tolerance)));
      return { isAllowed, headers };
    },
  };
}

type Charge = { owner: string; category: RateCategory; cost: number };

/** Charges a request: sets the headers of the rate limit, and throws 429 when there are too few tokens. */
export function takeTokens(limiter: RateLimiter, reply: FastifyReply, { owner, category, cost }: Charge): void {
  const { isAllowed, headers } = limiter.take(owner, category, cost);
  reply.headers(headers);
  if (!isAllowed) throw failure("RATE_LIMITED", {});
}

/**
 * The owner of the bucket that pays for a request. Receipts are charged before their signature is checked, so they have
 * their own bucket per environment: a flood of forged receipts must not stop the environment's other requests. An inbox
 * pays per subscriber, a member outside of an environment per member, and a request without any credentials per
 * address.
 */
export function rateLimitOwner({ caller, member, params, ip }: FastifyRequest, { access }: Operation): string {
  if (member) return `person:${member.member.id}`;
  if (access === "open") return `address:${networkOf(ip)}`;
  if (!caller) return `unchecked:${(params as { environmentId?: string }).environmentId}`;
  return "subscriber" in caller ? (caller as InboxCaller).subscriber.id : caller.environmentId;
}

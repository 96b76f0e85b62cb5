// Token buckets, one per environment and category. A bucket holds five seconds' worth of tokens plus 10 % for bursts. All
// processes share it (lib/budgets.ts): what is missing in it is a time, the one it takes to be full again.
import type { RateCategory } from "@tidings/contract";
import type { FastifyRequest } from "fastify";
import { type Budgets, createBudgets } from "../lib/budgets.ts";

const windowSeconds = 5;
const burst = 1.1;
/** Times are no whole numbers: a token that is missing by less than this is there. */
const rounding = 1e-6;

export type RateVerdict = { isAllowed: boolean; headers: Record<string, string> };

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Without `budgets`, the rates of this process alone. */
export function createRateLimiter(
  rates: Record<RateCategory, number>,
  now: () => number,
  budgets: Budgets = createBudgets({ now, max: 100_000 }),
) {
  return {
    /** Takes `cost` tokens. A cost above the whole bucket passes when the bucket is full, and empties it. */
    take(environmentId: string, category: RateCategory, cost: number): RateVerdict {
      const perSecond = rates[category];
      if (perSecond === 0) return { isAllowed: true, headers: {} };
      const limit = perSecond * windowSeconds;
      const capacity = Math.round(limit * burst);
      const key = `rate ${category} ${environmentId}`;
      const missing = ((budgets.freeAt(key) - now()) * perSecond) / 1000;
      let tokens = Math.max(0, capacity - missing);
      const needed = Math.min(cost, capacity);
      const isAllowed = tokens + rounding >= needed;
      if (isAllowed) {
        budgets.spend(key, (needed * 1000) / perSecond, (capacity * 1000) / perSecond);
        tokens = Math.max(0, tokens - needed);
      }
      const headers: Record<string, string> = {
        "ratelimit-limit": String(limit),
        "ratelimit-remaining": String(Math.floor(tokens + rounding)),
        "ratelimit-reset": String(Math.ceil((capacity - tokens) / perSecond - rounding)),
        "ratelimit-policy": `${limit};w=${windowSeconds};burst=${capacity};comment="token bucket";category="${category}";cost="${cost}"`,
      };
      if (!isAllowed) headers["retry-after"] = String(Math.max(1, Math.ceil((needed - tokens) / perSecond - rounding)));
      return { isAllowed, headers };
    },
  };
}

/**
 * Whose bucket a request draws from. Reports that nobody has checked yet have one of their own per environment: a flood of
 * them must not stop its other requests.
 */
export const payerOf = ({ caller, params }: FastifyRequest): string =>
  caller?.environmentId ?? `unchecked:${(params as { environmentId?: string }).environmentId}`;

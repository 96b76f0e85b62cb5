// Token buckets, one per environment and category, in memory: each process allows the configured rate. A bucket holds
// five seconds' worth of tokens plus 10 % for bursts.
import type { RateCategory } from "@tidings/contract";
import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";

const windowSeconds = 5;
const burst = 1.1;

type Bucket = { tokens: number; at: number };

export type RateVerdict = { isAllowed: boolean; headers: Record<string, string> };

export type RateLimiter = ReturnType<typeof createRateLimiter>;

export function createRateLimiter(rates: Record<RateCategory, number>, now: () => number) {
  const buckets = new LRUCache<string, Bucket>({ max: 100_000 });

  return {
    /** Takes `cost` tokens. A cost above the whole bucket passes when the bucket is full, and empties it. */
    take(environmentId: string, category: RateCategory, cost: number): RateVerdict {
      const perSecond = rates[category];
      if (perSecond === 0) return { isAllowed: true, headers: {} };
      const limit = perSecond * windowSeconds;
      const capacity = Math.round(limit * burst);
      const key = `${category}:${environmentId}`;
      const bucket = buckets.get(key) ?? { tokens: capacity, at: now() };
      const elapsed = Math.max(0, now() - bucket.at) / 1000;
      bucket.tokens = Math.min(capacity, bucket.tokens + elapsed * perSecond);
      bucket.at = now();
      const needed = Math.min(cost, capacity);
      const isAllowed = bucket.tokens >= needed;
      if (isAllowed) bucket.tokens -= needed;
      buckets.set(key, bucket);
      const headers: Record<string, string> = {
        "ratelimit-limit": String(limit),
        "ratelimit-remaining": String(Math.floor(bucket.tokens)),
        "ratelimit-reset": String(Math.ceil((capacity - bucket.tokens) / perSecond)),
        "ratelimit-policy": `${limit};w=${windowSeconds};burst=${capacity};comment="token bucket";category="${category}";cost="${cost}"`,
      };
      if (!isAllowed) headers["retry-after"] = String(Math.max(1, Math.ceil((needed - bucket.tokens) / perSecond)));
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

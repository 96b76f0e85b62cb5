// Limits that an operation names in addition to its rate category. Attempts to sign in and to change one's own password
// are limited per address and per account, whether they succeed or not; an unknown account is limited like a known one.
// The processes of an installation share the limits.
import type { ExtraLimit, Input } from "@tidings/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { failure } from "../../failure.ts";
import { foldAddress } from "../../lib/addresses.ts";
import type { Budgets } from "../../lib/load/budgets.ts";
import { networkOf } from "../../lib/networks/addresses.ts";
import { sha256 } from "../../lib/secrets.ts";
import { type RateLimiter, takeTokens } from "./rate-limit.ts";

type Limit = { attempts: number; refillMs: number };

/** So many attempts at once, then one per `refillMs`. */
const perAddress: Limit = { attempts: 20, refillMs: 6_000 };
const perAccount: Limit = { attempts: 10, refillMs: 30_000 };

/** Each counts a request, and throws 429 above its limit. */
export type ExtraLimits = Record<ExtraLimit, (request: FastifyRequest, reply: FastifyReply) => void>;

type LimitOptions = { rates: RateLimiter; budgets: Budgets; now: () => number };

export function createExtraLimits({ rates, budgets, now }: LimitOptions): ExtraLimits {
  const take = (key: string, { attempts, refillMs }: Limit): void => {
    const maxMs = attempts * refillMs;
    const waitMs = budgets.freeAt(key) - now() + refillMs - maxMs;
    if (waitMs > 0) {
      const message = "Too many attempts to sign in: wait a little, then try again";
      throw failure("RATE_LIMITED", {}, { message, headers: { "retry-after": String(Math.ceil(waitMs / 1_000)) } });
    }
    budgets.spend(key, refillMs, maxMs);
  };
  const takeOfAccount = (email: string) =>
    take(`sign-in account ${sha256(foldAddress(email)).toString("base64")}`, perAccount);
  return {
    address: ({ ip }) => take(`sign-in address ${networkOf(ip)}`, perAddress),
    email: ({ body }) => {
      const { email } = (body ?? {}) as { email?: unknown };
      if (typeof email === "string") takeOfAccount(email);
    },
    // Changing a password is a guess of the current one.
    password: ({ body, member }) => {
      const { password } = (body ?? {}) as { password?: unknown };
      if (password !== undefined) takeOfAccount(member!.member.email);
    },
    // The bucket of the address is paid; that of the subscriber, who may be asked for from many addresses, is another
    // one.
    inbox: ({ body }, reply) => takeTokens(rates, reply, { owner: requestedInbox(body), category: "inbox", cost: 1 }),
  };
}

/** The inbox that a session is requested for, whether it exists or not. */
function requestedInbox(body: unknown): string {
  const { applicationIdentifier, subscriber } = (body ?? {}) as Partial<Input<"inbox.openSession">["body"]>;
  return `session:${sha256(JSON.stringify([applicationIdentifier, subscriber?.subscriberId])).toString("base64")}`;
}

// Limits attempts to sign in and to change the own password, per address and per account, whether they succeed or not. An account that is not known is limited
// like one that is. The processes of an installation share the limits.
import type { OperationId } from "@tidings/contract";
import type { FastifyRequest } from "fastify";
import { failure } from "../../failure.ts";
import { foldAddress } from "../../lib/addresses.ts";
import type { Budgets } from "../../lib/load/budgets.ts";
import { sha256 } from "../../lib/secrets.ts";
import { networkOf } from "../auth.ts";

type Limit = { attempts: number; refillMs: number };

/** So many attempts at once, then one per `refillMs`. */
const perAddress: Limit = { attempts: 20, refillMs: 6_000 };
const perAccount: Limit = { attempts: 10, refillMs: 30_000 };

const limited: ReadonlySet<OperationId> = new Set(["auth.signIn", "auth.redeemLink", "auth.checkLink"]);

export type SignInLimit = (id: OperationId, request: FastifyRequest) => void;

export function createSignInLimit(budgets: Budgets, now: () => number): SignInLimit {
  const take = (key: string, { attempts, refillMs }: Limit): void => {
    const longestMs = attempts * refillMs;
    const waitMs = budgets.freeAt(key) - now() + refillMs - longestMs;
    if (waitMs > 0) {
      const message = "Too many attempts to sign in: wait a little, then try again";
      throw failure("RATE_LIMITED", {}, { message, headers: { "retry-after": String(Math.ceil(waitMs / 1_000)) } });
    }
    budgets.spend(key, refillMs, longestMs);
  };
  const takeOfAccount = (email: string) =>
    take(`sign-in account ${sha256(foldAddress(email)).toString("base64")}`, perAccount);
  return (id, request) => {
    const { email, password } = (request.body ?? {}) as { email?: unknown; password?: unknown };
    // A change of the own password is a guess of the current one.
    if (id === "auth.updatePerson" && password !== undefined) takeOfAccount(request.person!.person.email);
    if (!limited.has(id)) return;
    take(`sign-in address ${networkOf(request.ip)}`, perAddress);
    if (id === "auth.signIn" && typeof email === "string") takeOfAccount(email);
  };
}

// Whether an integration is fit to send: what can be seen in its credentials, and what only the provider knows.
import { check as checkProvider, validateCredentials } from "@tidings/providers";
import type { Caller, NetworkCtx } from "../../context.ts";
import { failure, faultCollector } from "../../failure.ts";

type JsonObject = Record<string, unknown>;

type Faults = ReturnType<typeof faultCollector>;

/** A member has the wrong type or, with `requireAll`, one that the provider needs is missing. */
export function addCredentialFaults(
  faults: Faults,
  providerId: string,
  credentials: JsonObject,
  requireAll: boolean,
): void {
  for (const { field, message } of validateCredentials(providerId, credentials, { requireAll })) {
    faults.add(`credentials.${field}`, `credentials.${message}`);
  }
}

/** 422 when there is such a fault. */
export function checkCredentials(providerId: string, credentials: JsonObject, requireAll: boolean): void {
  const faults = faultCollector();
  addCredentialFaults(faults, providerId, credentials, requireAll);
  faults.throwIfAny();
}

/** Calls to providers that the requests of one environment may have under way at once. */
export const maxProviderCalls = 5;

/** Runs a call to a provider on behalf of a request. It may take many seconds, so nobody gets to make any number of them. */
export async function callProvider<T>(
  { providerCalls }: NetworkCtx,
  { environmentId }: Pick<Caller, "environmentId">,
  call: () => Promise<T>,
): Promise<T> {
  const release = providerCalls.tryAcquire(environmentId);
  if (!release) {
    const message = `At most ${maxProviderCalls} calls to providers may be under way at once for an environment`;
    throw failure("RATE_LIMITED", {}, { message, headers: { "retry-after": "1" } });
  }
  try {
    return await call();
  } finally {
    release();
  }
}

/** The provider's own word; the providers package bounds the time. */
export async function askProvider(
  ctx: NetworkCtx,
  caller: Caller,
  providerId: string,
  credentials: JsonObject,
): Promise<void> {
  const result = await callProvider(ctx, caller, () => checkProvider(providerId, credentials, ctx.io));
  if (result.ok) return;
  if (result.unresolvedHost) throw failure("PROVIDER_HOST_UNRESOLVED", { host: result.unresolvedHost });
  throw failure("PROVIDER_CHECK_FAILED", { reason: result.reason });
}

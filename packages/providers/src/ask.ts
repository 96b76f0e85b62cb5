// What a provider is asked beside sending: whether credentials work, to report to an address, to let us into a workspace.
// Every question has a time limit and an answer: whatever is thrown becomes a reason.

import { type Credentials, missingField, readCredentials } from "./credentials.ts";
import type { Brought, Connected } from "./oauth.ts";
import { type CheckResult, SendFault } from "./outcome.ts";
import type { Io, Provider } from "./provider.ts";
import type { Registration, ReportTarget } from "./registration.ts";

const checkLimitMs = 10_000;
/** Several calls, one after the other. */
const exchangeLimitMs = 20_000;

export const runCheck = async (provider: Provider, stored: Credentials, io: Io): Promise<CheckResult> => {
  const missing = missingField(provider.credentials, stored);
  if (missing) return { ok: false, reason: `${missing} is not set` };
  if (!provider.check) return { ok: true };
  try {
    return await within(checkLimitMs, provider, provider.check(readCredentials(provider.credentials, stored), io));
  } catch (error) {
    const unresolvedHost = error instanceof SendFault ? error.unresolvedHost : undefined;
    const reason = reasonOf(error);
    return unresolvedHost === undefined ? { ok: false, reason } : { ok: false, reason, unresolvedHost };
  }
};

export const runRegistration = async (
  provider: Provider,
  target: ReportTarget,
  stored: Credentials,
  io: Io,
): Promise<Registration> => {
  const missing = missingField(provider.credentials, stored);
  if (missing) return { ok: false, reason: `the credential ${missing} is not set` };
  if (!provider.registerReceipts) return { ok: false, reason: `${provider.name} cannot be told` };
  try {
    const credentials = readCredentials(provider.credentials, stored);
    const registering = provider.registerReceipts(target, credentials, io);
    return { ok: true, signingKey: await within(exchangeLimitMs, provider, registering) };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
};

export const runConnection = async (
  provider: Provider,
  brought: Brought,
  redirectUri: string,
  stored: Credentials,
  io: Io,
): Promise<Connected> => {
  if (!provider.oauth) return { ok: false, reason: `${provider.name} has no OAuth`, isPassing: false };
  try {
    const credentials = readCredentials(provider.credentials, stored);
    const connecting = provider.oauth.connect(brought, redirectUri, credentials, io);
    const made = await within(exchangeLimitMs, provider, connecting);
    return "next" in made ? { ok: true, next: made.next } : { ok: true, access: made };
  } catch (error) {
    const isPassing = !(error instanceof SendFault) || error.outcome.kind !== "rejected";
    return { ok: false, reason: reasonOf(error), isPassing };
  }
};

const within = async <T>(limitMs: number, { name }: Provider, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} did not answer within ${limitMs / 1000} seconds`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
};

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

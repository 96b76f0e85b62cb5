// Calls to a provider other than sending: checking credentials, registering a webhook for delivery reports, connecting
// a chat workspace by OAuth. Each call has a time limit and never throws: an error becomes a reason, with the
// credentials scrubbed from it.

import { type Credentials, missingField, readCredentials } from "../kit/credentials.ts";
import type { Io } from "../kit/io.ts";
import type { CallbackParams, ConnectionResult, OauthRequest, PersonResult } from "../kit/oauth.ts";
import { type CheckResult, errorText, SendError } from "../kit/outcome.ts";
import type { Provider } from "../kit/provider.ts";
import type { Registration, ReportTarget } from "../kit/registration.ts";
import { findAdapter, secretFields } from "./catalogue.ts";
import { scrub, secretValues } from "./secrets.ts";

const checkLimitMs = 10_000;
/** Several calls, one after the other. */
const exchangeLimitMs = 20_000;

/** Asks the provider whether the credentials work. A provider without a check passes. */
export async function check(providerId: string, credentials: Credentials, io: Io): Promise<CheckResult> {
  const adapter = findAdapter(providerId);
  if (!adapter) return { ok: true };
  const result = await runCheck(adapter, credentials, io);
  if (result.ok) return result;
  return { ...result, reason: scrub(result.reason, secretValues(secretFields(providerId), credentials)) };
}

export async function runCheck(provider: Provider, stored: Credentials, io: Io): Promise<CheckResult> {
  const missing = missingField(provider.credentials, stored);
  if (missing) return { ok: false, reason: `${missing} is not set`, class: "config" };
  if (!provider.check) return { ok: true };
  try {
    return await within(checkLimitMs, provider, provider.check(readCredentials(provider.credentials, stored), io));
  } catch (error) {
    const unresolvedHost = error instanceof SendError ? error.unresolvedHost : undefined;
    const reason = errorText(error);
    return {
      ok: false,
      reason,
      ...classOf(error),
      ...(unresolvedHost === undefined ? {} : { unresolvedHost }),
    };
  }
}

/**
 * A connection that failed, a response that never came, or settings with which no call is possible say nothing of the
 * credentials.
 */
function classOf(error: unknown): { class?: "transient" | "config" } {
  if (!(error instanceof SendError) || error.outcome.kind !== "rejected") return { class: "transient" };
  return error.outcome.class === "auth" ? {} : { class: "config" };
}

/** Has the provider send its delivery reports to an address. Idempotent: a second call finds the first registration. */
export async function registerReceipts(
  providerId: string,
  target: ReportTarget,
  credentials: Credentials,
  io: Io,
): Promise<Registration> {
  const adapter = findAdapter(providerId);
  if (!adapter) return { ok: false, reason: `There is no provider ${providerId} that sends anything` };
  const result = await runRegistration(adapter, target, credentials, io);
  if (result.ok) return result;
  const secrets = secretValues([...secretFields(providerId), "key"], { ...credentials, key: target.key });
  return { ...result, reason: scrub(result.reason, secrets) };
}

async function runRegistration(
  provider: Provider,
  target: ReportTarget,
  stored: Credentials,
  io: Io,
): Promise<Registration> {
  const missing = missingField(provider.credentials, stored);
  if (missing) return { ok: false, reason: `the credential ${missing} is not set` };
  if (!provider.registerReceipts) {
    return { ok: false, reason: `${provider.name} does not support registering a webhook` };
  }
  try {
    const credentials = readCredentials(provider.credentials, stored);
    const registering = provider.registerReceipts(target, credentials, io);
    return { ok: true, signingKey: await within(exchangeLimitMs, provider, registering) };
  } catch (error) {
    return { ok: false, reason: errorText(error) };
  }
}

/** What an OAuth request to the provider needs; undefined where workspaces are not connected by OAuth. */
export function findOauth(
  providerId: string,
): { scopes: readonly string[]; needs: readonly string[]; person: { scopes: readonly string[] } } | undefined {
  return findAdapter(providerId)?.oauth;
}

/**
 * The page of the provider at which a person grants access to a workspace, or only shows who they are. The caller has
 * checked that the credentials in `needs` are set.
 */
export function authorizationUrl(
  providerId: string,
  request: OauthRequest,
  credentials: Credentials,
  grants: "access" | "person" = "access",
): string {
  const { oauth, credentials: fields = {} } = findAdapter(providerId) ?? {};
  const page = grants === "person" ? oauth?.person : oauth;
  return page ? page.authorizationUrl(request, readCredentials(fields, credentials)) : "";
}

/** Trades the parameters of the OAuth callback for access to the workspace. */
export async function connectWorkspace(
  providerId: string,
  callback: CallbackParams,
  redirectUri: string,
  credentials: Credentials,
  io: Io,
): Promise<ConnectionResult> {
  const result = await exchange(providerId, callback, credentials, (oauth, values) =>
    oauth.connect(callback, redirectUri, values, io),
  );
  if (!result.ok) return result;
  const { made } = result;
  return "next" in made ? { ok: true, next: made.next } : { ok: true, access: made };
}

/** Trades the parameters of the OAuth callback for the id of the person. */
export async function identifyPerson(
  providerId: string,
  callback: CallbackParams,
  redirectUri: string,
  credentials: Credentials,
  io: Io,
): Promise<PersonResult> {
  const result = await exchange(providerId, callback, credentials, (oauth, values) =>
    oauth.person.identify(callback, redirectUri, values, io),
  );
  return result.ok ? { ok: true, person: result.made } : result;
}

type ProviderOauth = NonNullable<Provider["oauth"]>;
type Exchange<T> = (oauth: ProviderOauth, credentials: Parameters<ProviderOauth["authorizationUrl"]>[1]) => Promise<T>;

async function exchange<T>(
  providerId: string,
  { code }: CallbackParams,
  stored: Credentials,
  run: Exchange<T>,
): Promise<{ ok: true; made: T } | { ok: false; reason: string; isTemporary: boolean }> {
  const adapter = findAdapter(providerId);
  if (!adapter) return { ok: false, reason: `There is no provider ${providerId}`, isTemporary: false };
  if (!adapter.oauth) return { ok: false, reason: `${adapter.name} does not support OAuth`, isTemporary: false };
  try {
    const credentials = readCredentials(adapter.credentials, stored);
    return { ok: true, made: await within(exchangeLimitMs, adapter, run(adapter.oauth, credentials)) };
  } catch (error) {
    const isTemporary = !(error instanceof SendError) || error.outcome.kind !== "rejected";
    const secrets = secretValues([...secretFields(providerId), "code"], { ...stored, code });
    return { ok: false, reason: scrub(errorText(error), secrets), isTemporary };
  }
}

async function within<T>(limitMs: number, { name }: Provider, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} did not respond within ${limitMs / 1000} seconds`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

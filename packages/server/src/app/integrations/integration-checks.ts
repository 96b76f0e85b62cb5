// What is checked before an integration is written: its credentials and conditions, and with `check` a call to the
// provider that verifies the credentials.
import type { Input, IntegrationPatch } from "@tidings/contract";
import {
  type CheckResult,
  check as checkProvider,
  findConnectionFault,
  findProvider,
  validateCredentials,
} from "@tidings/providers";
import type { Caller, Ctx, NetworkCtx } from "../../context.ts";
import { type Failure, type FieldFaults, failure, faultCollector, invalid } from "../../failure.ts";
import type { JsonObject } from "../../lib/json.ts";
import { findEnvironment } from "../../store/environments/environments.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { readFilters } from "../workflows/step-controls.ts";
import { readCredentials, unseal } from "./credentials.ts";

type Faults = ReturnType<typeof faultCollector>;

/** A credential has the wrong type or, with `requireAll`, one that the provider needs is missing. */
function addCredentialFaults(faults: Faults, providerId: string, credentials: JsonObject, requireAll: boolean): void {
  for (const { field, message } of validateCredentials(providerId, credentials, { requireAll })) {
    faults.add(`credentials.${field}`, `credentials.${message}`);
  }
}

/** 422 when the credentials have such an error. */
export function checkCredentials(providerId: string, credentials: JsonObject, requireAll: boolean): void {
  const faults = faultCollector();
  addCredentialFaults(faults, providerId, credentials, requireAll);
  faults.throwIfAny();
}

export function readNewCredentials(body: Input<"integrations.create">["body"]): JsonObject {
  const { channel } = findProvider(body.providerId)!;
  const faults = faultCollector();
  if (channel !== body.channel) {
    faults.add("channel", `channel must be ${channel} for provider ${body.providerId}`, body.channel);
  }
  const credentials = readCredentials(body.providerId, (body.credentials ?? {}) as JsonObject, {});
  addCredentialFaults(faults, body.providerId, credentials, body.active ?? false);
  faults.throwIfAny();
  return credentials;
}

/** The credentials after the change. They are checked only when the change gives credentials or activates. */
export function readNextCredentials(ctx: Ctx, row: IntegrationRow, body: IntegrationPatch): JsonObject {
  const stored = unseal(ctx.secrets, row.credentials);
  const given = body.credentials as JsonObject | undefined;
  const credentials = given ? readCredentials(row.provider_id, given, stored) : stored;
  if (body.credentials || body.active) checkCredentials(row.provider_id, credentials, body.active ?? row.active);
  return credentials;
}

/** The conditions with their defaults; 422 when one of their templates does not parse. */
export function readConditions(
  { config }: Ctx,
  given: IntegrationPatch["conditions"],
): IntegrationRow["conditions"] | undefined {
  if (!given) return undefined;
  const { filters, faults } = readFilters(given, "conditions");
  // Programs for Novu choose integrations by tenant; the contract names the subscriber and the payload.
  if (config.vocabulary !== "novu") Object.assign(faults, tenantFaults(given));
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return filters;
}

const tenantFaults = (given: NonNullable<IntegrationPatch["conditions"]>): FieldFaults =>
  Object.fromEntries(
    given.flatMap(({ children }, group) =>
      children.flatMap(({ on }, child) => {
        const field = `conditions.${group}.children.${child}.on`;
        return on === "tenant"
          ? [[field, { messages: [`${field} must be one of subscriber, payload`], value: on }]]
          : [];
      }),
    ),
  );

/** Errors that do not depend on the stored integration are reported before it is looked up. */
export async function checkPatch(ctx: Ctx, caller: Caller, body: IntegrationPatch): Promise<void> {
  if (body.credentials) checkCredentials("", body.credentials as JsonObject, false);
  readConditions(ctx, body.conditions);
  await checkEnvironment(ctx, caller, body._environmentId);
}

/** `_environmentId` may only name the environment of the API key: it cannot move an integration. */
export async function checkEnvironment(ctx: Ctx, caller: Caller, environmentId: string | undefined): Promise<void> {
  if (environmentId === undefined || environmentId === caller.environmentId) return;
  const environment = await findEnvironment(ctx.db, caller.organizationId, environmentId);
  if (!environment) throw failure("ENVIRONMENT_NOT_FOUND", { environmentId });
  if (environment.id !== caller.environmentId) throw failure("FORBIDDEN", {});
}

/** Concurrent calls to providers that the requests of one environment may cause. */
export const maxProviderCalls = 5;

/** Runs a call to a provider for a request. Calls may take many seconds, so their number is limited: beyond it, 429. */
export async function callProvider<T>(
  { providerCalls }: NetworkCtx,
  { environmentId }: Pick<Caller, "environmentId">,
  call: () => Promise<T>,
): Promise<T> {
  const release = providerCalls.tryAcquire(environmentId);
  if (!release) {
    const message = `At most ${maxProviderCalls} calls to providers may be in flight at once for an environment`;
    throw failure("RATE_LIMITED", {}, { message, headers: { "retry-after": "1" } });
  }
  try {
    return await call();
  } finally {
    release();
  }
}

/** `failure`: the response to the caller. The text and the class are what is stored of it. */
export type CheckFault = { text: string; class: "auth" | "config" | "transient"; failure: Failure };

/**
 * What a check found; null when the provider accepted the credentials. Only a provider that responds can have refused
 * them.
 */
function toCheckFault(result: CheckResult, { host, port }: JsonObject): CheckFault | null {
  if (result.ok) return null;
  const { reason, class: errorClass = "auth", unresolvedHost } = result;
  const fault: Omit<CheckFault, "failure"> = { text: reason, class: errorClass };
  if (unresolvedHost) return { ...fault, failure: failure("PROVIDER_HOST_UNRESOLVED", { host: unresolvedHost }) };
  if (errorClass === "auth") return { ...fault, failure: failure("PROVIDER_CHECK_FAILED", { reason }) };
  const where = host && port ? `${host}:${port}` : undefined;
  const message = findConnectionFault(reason, where)?.sentence ?? `The credentials could not be checked: ${reason}`;
  return { ...fault, failure: failure("PROVIDER_CHECK_FAILED", { reason }, { message }) };
}

/** Has the provider verify the credentials; the providers package sets the timeout. */
export async function checkWithProvider(
  ctx: NetworkCtx,
  caller: Caller,
  providerId: string,
  credentials: JsonObject,
): Promise<CheckFault | null> {
  const result = await callProvider(ctx, caller, () => checkProvider(providerId, credentials, ctx.io));
  return toCheckFault(result, credentials);
}

// Secrets in credentials are write-only: responses show a mask, and a request with the mask keeps the stored secret, so
// that a record that was read can be written back. A change of the host requires the secrets again: otherwise an API
// key could have the stored secrets sent to any host.
import { type Credentials, movedDestinations, secretFields, secretTlsMembers } from "@tidings/providers";
import { faultCollector } from "../../failure.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { mask, type Secrets } from "../../lib/secrets.ts";

export const seal = (secrets: Secrets, value: JsonObject): string => secrets.encrypt(JSON.stringify(value));

export const unseal = (secrets: Secrets, stored: string | null): JsonObject =>
  stored === null ? {} : (JSON.parse(secrets.decrypt(stored)) as JsonObject);

function maskMembers(value: JsonObject, names: Iterable<string>): JsonObject {
  const masked = { ...value };
  for (const name of names) {
    if (masked[name] === "") delete masked[name];
    else if (masked[name] !== undefined) masked[name] = mask;
  }
  return masked;
}

export function maskCredentials(providerId: string, credentials: Credentials): JsonObject {
  const masked = maskMembers(credentials, secretFields(providerId));
  if (isObject(masked.tlsOptions)) masked.tlsOptions = maskMembers(masked.tlsOptions, secretTlsMembers);
  return masked;
}

/** Members equal to the mask get the stored value, or are dropped when there is none. */
export function keepMasked(given: JsonObject, stored: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === mask) {
      if (stored[name] !== undefined) merged[name] = stored[name];
    } else {
      const before = stored[name];
      merged[name] = isObject(value) ? keepMasked(value, isObject(before) ? before : {}) : value;
    }
  }
  return merged;
}

/** Paths of the members that keep their stored value, such as `password` or `tlsOptions.key`. */
const keptPaths = (given: JsonObject, stored: JsonObject): string[] =>
  Object.entries(given).flatMap(([name, value]) => {
    const before = stored[name];
    if (value === mask) return before === undefined ? [] : [name];
    return isObject(value) && isObject(before) ? keptPaths(value, before).map((path) => `${name}.${path}`) : [];
  });

/** 422 that names every stored secret that would be sent to another host than before. */
function checkDestination(providerId: string, given: JsonObject, stored: JsonObject, next: JsonObject): void {
  const moved = movedDestinations(providerId, stored, next);
  if (moved.length === 0) return;
  const faults = faultCollector();
  const names = moved.map((name) => `credentials.${name}`).join(", ");
  for (const path of keptPaths(given, stored)) {
    const field = `credentials.${path}`;
    const reason = `${names} changed, and a stored secret is only sent where it was entered for`;
    faults.add(field, `${field} must be entered again: ${reason}`);
  }
  faults.throwIfAny();
}

/** The credentials of a request as they are stored. A port may be a number in requests and is stored as a string. */
export function readCredentials(providerId: string, given: JsonObject, stored: JsonObject): JsonObject {
  const credentials = keepMasked(given, stored);
  checkDestination(providerId, given, stored, credentials);
  return typeof credentials.port === "number" ? { ...credentials, port: String(credentials.port) } : credentials;
}

const secretConfigurations = ["inboundWebhookSigningKey"];

export const maskConfigurations = (configurations: JsonObject): JsonObject =>
  maskMembers(configurations, secretConfigurations);

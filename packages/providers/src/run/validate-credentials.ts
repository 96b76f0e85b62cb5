// Static validation of credentials: types, unknown members, missing members. No provider is called; that is `check`.
//
// The members are one flat set shared by all providers, because the public API describes one Credentials object. A
// member of another provider is therefore legal, but a member that no provider uses is an error: a misspelt secret
// would otherwise be noticed only when a message fails.

import { isJsonObject } from "@tidings/contract";
import { type CredentialField, type Credentials, isSet, suppliedElsewhere } from "../kit/credentials.ts";
import type { ProviderDescription } from "../kit/provider.ts";

export type CredentialFault = {
  field: string;
  message: string;
};

// biome-ignore format: a list of names reads better in lines than in a column
const texts = [
  "apiKey", "user", "secretKey", "domain", "password", "host", "port", "region", "accountSid", "messageProfileId",
  "token", "from", "senderName", "projectName", "applicationId", "clientId", "baseUrl", "webhookUrl", "redirectUrl",
  "serviceAccount", "ipPoolName", "apiKeyRequestHeader", "secretKeyRequestHeader", "idPath", "datePath", "apiToken",
  "authenticationTokenKey", "instanceId", "alertUid", "title", "imageUrl", "state", "externalLink", "channelId",
  "phoneNumberIdentification", "accessKey", "appSid", "senderId", "tenantId", "AppIOBaseUrl",
  // Not in the Credentials object of the API, but Braze, Sinch and others cannot be set up without them.
  "apiURL", "appID", "contentType", "servicePlanId", "apiVersion", "signingSecret", "businessAccountId",
  // Web Push, which is ours.
  "publicKey", "privateKey", "subject",
];
const switches = ["secure", "requireTls", "ignoreTls", "hmac", "authenticateByToken"];

type Kind = "string" | "number" | "boolean" | "object";

const members: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...texts.map((name): [string, Kind] => [name, "string"]),
  ...switches.map((name): [string, Kind] => [name, "boolean"]),
  ["port", "number"],
  ["tlsOptions", "object"],
]);

/** Every member name the API knows, whatever the provider. */
export const credentialMembers: readonly string[] = [...members.keys()];

export function findCredentialFaults(
  provider: ProviderDescription | undefined,
  credentials: Credentials,
  { requireAll }: { requireAll: boolean },
): CredentialFault[] {
  const faults: CredentialFault[] = [];
  for (const [field, value] of Object.entries(credentials)) {
    const message = memberFault(field, value, provider?.credentials[field]);
    if (message) faults.push({ field, message });
  }
  if (!requireAll || !provider) return faults;
  for (const [field, { required, label }] of Object.entries(provider.credentials)) {
    if (required && !suppliedElsewhere.has(field) && !isSet(credentials[field])) {
      faults.push({ field, message: `${field} is required for ${provider.name} (${label})` });
    }
  }
  return faults;
}

function memberFault(name: string, value: unknown, field: CredentialField | undefined): string | undefined {
  const kind = members.get(name);
  if (!kind) return `${name} is not a known credential`;
  if (value === undefined || value === "") return undefined;
  if (kind === "boolean") return typeof value === "boolean" ? undefined : `${name} must be true or false`;
  if (kind === "object") return isJsonObject(value) ? undefined : `${name} must be an object`;
  if (kind === "number") return isPort(value) ? undefined : `${name} must be a number from 1 to 65535`;
  if (typeof value !== "string") return `${name} must be a string`;
  if (field?.options && !field.options.includes(value)) return `${name} must be one of ${field.options.join(", ")}`;
  return undefined;
}

// The one numeric member is `port`: a number in forms, a string in the API, and both are accepted.
function isPort(value: unknown): boolean {
  if (typeof value !== "number" && !(typeof value === "string" && /^\d{1,5}$/.test(value))) return false;
  const port = Number(value);
  return Number.isInteger(port) && port >= 1 && port <= 65535;
}

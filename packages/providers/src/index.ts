// The surface of the package: what a caller may know about providers, and the two things it may ask of one, `send`
// and `check`. Neither throws, and no reason that leaves here carries a credential.

import { type AnyProviderId, providerIds } from "@tidings/contract";
import { catalogue } from "./catalogue.ts";
import type { Credentials } from "./credentials.ts";
import { deliver, runCheck } from "./deliver.ts";
import type { Message } from "./message.ts";
import { type CheckResult, type Outcome, rejected } from "./outcome.ts";
import type { Io, Provider, ProviderDescription } from "./provider.ts";
import { adapters } from "./registry.gen.ts";
import { scrub, secretNames, secretValues } from "./secrets.ts";
import { type CredentialFault, findFaults } from "./validate.ts";

export type { CredentialField, CredentialFields, Credentials, FieldType } from "./credentials.ts";
export { createIo, type IoOptions, type ResolveHost } from "./io/io.ts";
export type {
  Attachment,
  Channel,
  ChatMessage,
  ChatTarget,
  EmailMessage,
  Message,
  MessageOf,
  PushMessage,
  SendingChannel,
  SmsMessage,
} from "./message.ts";
export type { CheckResult, Outcome, RejectionClass } from "./outcome.ts";
export type { Io, Limits } from "./provider.ts";
export { secretTlsMembers } from "./secrets.ts";
export { type CredentialFault, credentialMembers } from "./validate.ts";

export interface ProviderInfo extends ProviderDescription {
  /** False while the provider is known but has no adapter: it can be configured, and a send says so. */
  readonly canSend: boolean;
}

const adapterById = new Map<string, Provider>(adapters.map((adapter) => [adapter.id, adapter]));

const infoById = new Map<string, ProviderInfo>([
  ...catalogue.map((entry): [string, ProviderInfo] => [entry.id, { ...entry, canSend: false }]),
  ...adapters.map(({ request, read, send, check, ...description }): [string, ProviderInfo] => [
    description.id,
    { ...description, canSend: Boolean(send || request) },
  ]),
]);

const secretAnywhere: ReadonlySet<string> = new Set(
  [...infoById.values()].flatMap(({ credentials }) =>
    Object.entries(credentials).flatMap(([name, field]) => (field.secret ? [name] : [])),
  ),
);

const listed: readonly AnyProviderId[] = [...providerIds, "svc"];
const infos: readonly ProviderInfo[] = listed.flatMap((id) => infoById.get(id) ?? []);

export const findProvider = (id: string): ProviderInfo | undefined => infoById.get(id);

/** The 77 in the order of `providerIds`, then the in-app provider. */
export const listProviders = (): readonly ProviderInfo[] => infos;

/** Names of the members to encrypt at rest and to mask in answers. See also `secretTlsMembers`. */
export const secretFields = (id: string): readonly string[] =>
  secretNames(infoById.get(id)?.credentials ?? {}, secretAnywhere);

export const validateCredentials = (
  providerId: string,
  credentials: Credentials,
  options: { requireAll: boolean },
): CredentialFault[] => findFaults(infoById.get(providerId), credentials, options);

export const send = async (
  providerId: string,
  message: Message,
  credentials: Credentials,
  io: Io,
): Promise<Outcome> => {
  const adapter = adapterById.get(providerId);
  if (!adapter) return rejected("config", withoutAdapter(providerId));
  const outcome = await deliver(adapter, message, credentials, io);
  if (outcome.kind === "accepted") return outcome;
  return { ...outcome, reason: scrub(outcome.reason, secretValues(secretFields(providerId), credentials)) };
};

/** Asks the provider itself whether the credentials work. A provider that cannot be asked passes. */
export const check = async (providerId: string, credentials: Credentials, io: Io): Promise<CheckResult> => {
  const adapter = adapterById.get(providerId);
  if (!adapter) return { ok: true };
  const result = await runCheck(adapter, credentials, io);
  if (result.ok) return result;
  return { ...result, reason: scrub(result.reason, secretValues(secretFields(providerId), credentials)) };
};

const withoutAdapter = (id: string): string => {
  const known = infoById.get(id);
  return known
    ? `Sending through ${known.name} (${id}) is not supported yet: the provider can be configured but has no adapter`
    : `There is no provider ${id}`;
};

// The surface of the package: what a caller may know about providers, and what it may ask of one: `send`, `check`, to
// register for, read and verify delivery reports, and to connect a workspace. None of them throws, and no reason that
// leaves here carries a credential.

import { type AnyProviderId, addedProviderIds, providerIds } from "@tidings/contract";
import { runCheck, runConnection, runRegistration } from "./ask.ts";
import { type Credentials, flag, readCredentials } from "./credentials.ts";
import { deliver } from "./deliver.ts";
import type { Message } from "./message.ts";
import type { Brought, Connected, OauthRequest } from "./oauth.ts";
import { type CheckResult, type Outcome, rejected, unasked } from "./outcome.ts";
import type { Io, Provider, ProviderDescription } from "./provider.ts";
import { genericReceipts, type InboundRequest, type Receipt, receiptStatuses, verifyDefault } from "./receipts.ts";
import type { Registration, ReportTarget } from "./registration.ts";
import { adapters } from "./registry.gen.ts";
import { messageSecrets, scrub, secretNames, secretValues } from "./secrets.ts";
import { type CredentialFault, findFaults } from "./validate.ts";

export type { CredentialField, CredentialFields, Credentials, FieldType } from "./credentials.ts";
export { createIo, type IoOptions, type ResolveHost } from "./io/io.ts";
export { createLookup } from "./io/lookup.ts";
export { parseMailbox } from "./mail.ts";
export type {
  Attachment,
  Channel,
  ChatMessage,
  ChatTarget,
  EmailMessage,
  Message,
  MessageOf,
  Origin,
  Passthrough,
  PeerDetails,
  PushMessage,
  SendingChannel,
  SmsMessage,
} from "./message.ts";
export type { Access, Brought, Connected, OauthRequest } from "./oauth.ts";
export type { CheckResult, Note, Outcome, RejectionClass } from "./outcome.ts";
export type { Io, Limits } from "./provider.ts";
export { makeVapidKeys } from "./push/web-push.ts";
export { type InboundRequest, type Receipt, type ReceiptStatus, receiptStatuses } from "./receipts.ts";
export type { Registration, ReportTarget } from "./registration.ts";
export { secretTlsMembers } from "./secrets.ts";
export { type CredentialFault, credentialMembers } from "./validate.ts";

export interface ProviderInfo extends ProviderDescription {
  /** The provider has delivery reports of its own form; every other one may be reported on in the generic form. */
  readonly receipts: boolean;
  /** The provider can be asked whether the credentials work. */
  readonly hasCheck: boolean;
  /** The provider can be told where its delivery reports go. */
  readonly autoConfigure: boolean;
}

const adapterById = new Map<string, Provider>(adapters.map((adapter) => [adapter.id, adapter]));

/** In-app messages are not sent anywhere, so their provider has a name and a switch but no adapter. */
const inApp: ProviderInfo = {
  id: "svc",
  channel: "in_app",
  name: "In-app inbox",
  credentials: { hmac: flag("Require signed subscriber identity") },
  receipts: false,
  hasCheck: false,
  autoConfigure: false,
};

const infoOf = ({
  id,
  channel,
  name,
  docs,
  help,
  credentials,
  limits,
  takes,
  capture,
  takesExtras,
  ...does
}: Provider): ProviderInfo => ({
  id,
  channel,
  name,
  ...(docs ? { docs } : {}),
  ...(help ? { help } : {}),
  credentials,
  ...(limits ? { limits } : {}),
  ...(takes ? { takes } : {}),
  ...(capture ? { capture } : {}),
  ...(takesExtras === false ? { takesExtras } : {}),
  receipts: Boolean(does.receipts),
  hasCheck: Boolean(does.check),
  autoConfigure: Boolean(does.registerReceipts),
});

const infoById = new Map<string, ProviderInfo>([...adapters.map(infoOf), inApp].map((info) => [info.id, info]));

const secretAnywhere: ReadonlySet<string> = new Set(
  [...infoById.values()].flatMap(({ credentials }) =>
    Object.entries(credentials).flatMap(([name, field]) => (field.secret ? [name] : [])),
  ),
);

const listed: readonly AnyProviderId[] = [...providerIds, ...addedProviderIds, "svc"];
const infos: readonly ProviderInfo[] = listed.flatMap((id) => infoById.get(id) ?? []);

export const findProvider = (id: string): ProviderInfo | undefined => infoById.get(id);

/** The 77 in the order of `providerIds`, those beside them, then the in-app provider. */
export const listProviders = (): readonly ProviderInfo[] => infos;

/** Names of the members to encrypt at rest and to mask in answers. See also `secretTlsMembers`. */
export const secretFields = (id: string): readonly string[] =>
  secretNames(infoById.get(id)?.credentials ?? {}, secretAnywhere);

/** Names of the members that send the secrets elsewhere when they change from `before` to `after`. */
export const movedDestinations = (id: string, before: Credentials, after: Credentials): string[] => {
  const fields = infoById.get(id)?.credentials ?? {};
  const [old, next] = [readCredentials(fields, before), readCredentials(fields, after)];
  const isMoved = (name: string) => (old[name] ?? false) !== (next[name] ?? false);
  return Object.keys(fields).filter((name) => fields[name]?.destination && isMoved(name));
};

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
  if (!adapter) return unasked(rejected("config", `There is no provider ${providerId} that sends anything`));
  const outcome = await deliver(adapter, message, credentials, io);
  if (outcome.kind === "accepted" && !outcome.notTaken) return outcome;
  const secrets = [...secretValues(secretFields(providerId), credentials), ...messageSecrets(message)];
  if (outcome.kind !== "accepted") return { ...outcome, reason: scrub(outcome.reason, secrets) };
  return { ...outcome, notTaken: outcome.notTaken?.map((reason) => scrub(reason, secrets)) };
};

/** Asks the provider itself whether the credentials work. A provider that cannot be asked passes. */
export const check = async (providerId: string, credentials: Credentials, io: Io): Promise<CheckResult> => {
  const adapter = adapterById.get(providerId);
  if (!adapter) return { ok: true };
  const result = await runCheck(adapter, credentials, io);
  if (result.ok) return result;
  return { ...result, reason: scrub(result.reason, secretValues(secretFields(providerId), credentials)) };
};

/** Has the provider send its delivery reports to an address; once, however often it is called. */
export const registerReceipts = async (
  providerId: string,
  target: ReportTarget,
  credentials: Credentials,
  io: Io,
): Promise<Registration> => {
  const adapter = adapterById.get(providerId);
  if (!adapter) return { ok: false, reason: `There is no provider ${providerId} that sends anything` };
  const result = await runRegistration(adapter, target, credentials, io);
  if (result.ok) return result;
  const secrets = secretValues([...secretFields(providerId), "key"], { ...credentials, key: target.key });
  return { ...result, reason: scrub(result.reason, secrets) };
};

/** What is needed to send people to a provider; undefined where a workspace is not connected in this way. */
export const findOauth = (providerId: string): { scopes: readonly string[]; needs: readonly string[] } | undefined =>
  adapterById.get(providerId)?.oauth;

/** Where to send a person who may let us into a workspace. The caller has seen to it that what `needs` names is there. */
export const oauthAddress = (providerId: string, request: OauthRequest, credentials: Credentials): string => {
  const { oauth, credentials: fields = {} } = adapterById.get(providerId) ?? {};
  return oauth ? oauth.address(request, readCredentials(fields, credentials)) : "";
};

/** Trades what a person brought back from the provider for access to the workspace. */
export const connectWorkspace = async (
  providerId: string,
  brought: Brought,
  redirectUri: string,
  credentials: Credentials,
  io: Io,
): Promise<Connected> => {
  const adapter = adapterById.get(providerId);
  if (!adapter) return { ok: false, reason: `There is no provider ${providerId}`, isPassing: false };
  const result = await runConnection(adapter, brought, redirectUri, credentials, io);
  if (result.ok) return result;
  const secrets = secretValues([...secretFields(providerId), "code"], { ...credentials, code: brought.code });
  return { ...result, reason: scrub(result.reason, secrets) };
};

/** The events of a delivery report that we understand; in the generic form where the provider has none of its own. */
export const readReceipts = (providerId: string, request: InboundRequest): Receipt[] => {
  const adapter = adapterById.get(providerId);
  if (!adapter) return [];
  try {
    const read = (adapter.receipts ?? genericReceipts(adapter.channel)).read(request);
    // A table of statuses is asked with a stranger's word, and every object knows words such as `constructor`.
    return read.filter(({ status }) => receiptStatuses[adapter.channel].includes(status));
  } catch {
    // The body comes from outside and may have any shape: what cannot be read is a report of unknown kind.
    return [];
  }
};

/** The key that reports are proved with: the configured one, else the credential the provider signs with. */
export const receiptKey = (providerId: string, configured: unknown, credentials: Credentials): string => {
  const name = adapterById.get(providerId)?.receipts?.keyCredential;
  const key = [configured, name && credentials[name]].find((one) => typeof one === "string" && one !== "");
  return typeof key === "string" ? key : "";
};

/** What to answer a provider that asks whether the address is ours: see `Receipts.answer`. */
export const answerProvider = (
  providerId: string,
  request: InboundRequest,
  credentials: Credentials,
): string | false | undefined => adapterById.get(providerId)?.receipts?.answer?.(request, credentials);

/** Whether the report is from the provider. Without a key nobody can prove it. */
export const verifyReceipt = async (
  providerId: string,
  request: InboundRequest,
  key: string,
  now: Date,
  io: Io,
): Promise<boolean> => {
  if (key === "") return false;
  const verify = adapterById.get(providerId)?.receipts?.verify ?? verifyDefault;
  try {
    return await verify(request, key, now, io);
  } catch {
    return false;
  }
};

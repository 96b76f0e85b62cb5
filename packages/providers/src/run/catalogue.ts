// The providers by id: what is known about each of them without calling it, and which of its credentials are secret.

import { type AnyProviderId, addedProviderIds, providerIds } from "@tidings/contract";
import { type Credentials, flag, readCredentials } from "../kit/credentials.ts";
import type { Provider, ProviderDescription } from "../kit/provider.ts";
import { adapters } from "../registry.gen.ts";
import { secretNames } from "./secrets.ts";
import { type CredentialFault, findCredentialFaults } from "./validate-credentials.ts";

export type ProviderInfo = ProviderDescription & {
  /** The provider has its own form of delivery reports; every other one may be reported on in the generic form. */
  readonly receipts: boolean;
  /** The provider supports checking whether the credentials work. */
  readonly hasCheck: boolean;
  /** The provider supports registering a webhook for its delivery reports. */
  readonly autoConfigure: boolean;
  readonly unsend: UnsendAbilities;
};

/** What a provider can do with a message it has sent. */
type UnsendAbilities = {
  /** It deletes the message where people read it. */
  readonly delete: boolean;
  /** It changes the message where people read it. */
  readonly replace: boolean;
  /** It asks the device to remove the notification. */
  readonly removal: boolean;
};

const noUnsend: UnsendAbilities = { delete: false, replace: false, removal: false };

function unsendOf({ unsend }: Provider): UnsendAbilities {
  if (unsend === undefined || typeof unsend === "string") return noUnsend;
  return { delete: Boolean(unsend.delete), replace: Boolean(unsend.replace), removal: Boolean(unsend.remove) };
}

const adapterById = new Map<string, Provider>(adapters.map((adapter) => [adapter.id, adapter]));

/** In-app messages are not sent to a provider, so theirs has a name and a switch but no adapter. */
const inApp: ProviderInfo = {
  id: "svc",
  channel: "in_app",
  name: "In-app inbox",
  credentials: { hmac: flag("Require signed subscriber identity") },
  receipts: false,
  hasCheck: false,
  autoConfigure: false,
  unsend: noUnsend,
};

function describe(adapter: Provider): ProviderInfo {
  const { id, channel, name, docs, help, credentials, limits, takes, capture, takesExtras } = adapter;
  return {
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
    receipts: Boolean(adapter.receipts),
    hasCheck: Boolean(adapter.check),
    autoConfigure: Boolean(adapter.registerReceipts),
    unsend: unsendOf(adapter),
  };
}

const infoById = new Map<string, ProviderInfo>([...adapters.map(describe), inApp].map((info) => [info.id, info]));

const secretAnywhere: ReadonlySet<string> = new Set(
  [...infoById.values()].flatMap(({ credentials }) =>
    Object.entries(credentials).flatMap(([name, field]) => (field.secret ? [name] : [])),
  ),
);

const listed: readonly AnyProviderId[] = [...providerIds, ...addedProviderIds, "svc"];
const infos: readonly ProviderInfo[] = listed.flatMap((id) => infoById.get(id) ?? []);

export function findAdapter(id: string): Provider | undefined {
  return adapterById.get(id);
}

export function findProvider(id: string): ProviderInfo | undefined {
  return infoById.get(id);
}

/** The 77 providers in the order of `providerIds`, then `addedProviderIds`, then the in-app provider. */
export function listProviders(): readonly ProviderInfo[] {
  return infos;
}

/** What a provider can do with a message it has sent. */
export function unsendingOf(providerId: string): UnsendAbilities {
  return infoById.get(providerId)?.unsend ?? noUnsend;
}

/** Names of the members to encrypt at rest and to mask in responses. See also `secretTlsMembers`. */
export function secretFields(id: string): readonly string[] {
  return secretNames(infoById.get(id)?.credentials ?? {}, secretAnywhere);
}

/** Names of the members that send the secrets elsewhere when they change from `before` to `after`. */
export function movedDestinations(id: string, before: Credentials, after: Credentials): string[] {
  const fields = infoById.get(id)?.credentials ?? {};
  const [old, next] = [readCredentials(fields, before), readCredentials(fields, after)];
  const isMoved = (name: string) => (old[name] ?? false) !== (next[name] ?? false);
  return Object.keys(fields).filter((name) => fields[name]?.destination && isMoved(name));
}

export function validateCredentials(
  providerId: string,
  credentials: Credentials,
  options: { requireAll: boolean },
): CredentialFault[] {
  return findCredentialFaults(infoById.get(providerId), credentials, options);
}

// What a new environment gets: an API key, the in-app integration, push to browsers with its own keys, and mailboxes
// that capture email, SMS and chat instead of sending them (read with GET /v2/captured). In production the mailboxes
// are inactive. Older environments get later additions from environment-catch-up.ts.
import { addedProviderIds, type Channel } from "@tidings/contract";
import { makeVapidKeys } from "@tidings/providers";
import type { Config } from "../../config.ts";
import { type Secrets, sha256 } from "../../lib/secrets.ts";
import type { Db } from "../../store/db.ts";
import type { ApiKeyRow, KeyChanges } from "../../store/environments/api-keys.ts";
import { insertIntegrations, type NewIntegration } from "../../store/integrations/integrations.ts";
import { seal } from "../integrations/credentials.ts";

export type SetupTools = {
  config: Pick<Config, "publicUrl">;
  db: Db;
  secrets: Secrets;
  now: () => Date;
  newId: () => string;
};

/** A key that may do everything, unless `changes` says otherwise. */
export const apiKeyRow = (
  { secrets, now, newId }: Pick<SetupTools, "secrets" | "now" | "newId">,
  key: { environmentId: string; userId: string; clear: string },
  changes: Partial<KeyChanges> = {},
): ApiKeyRow => ({
  id: newId(),
  environment_id: key.environmentId,
  user_id: key.userId,
  hash: sha256(key.clear),
  secret: secrets.encrypt(key.clear),
  created_at: now(),
  revoked_at: null,
  last_used_at: null,
  may_raise_priority: false,
  name: null,
  owner: null,
  scope: "full",
  operations: null,
  expires_at: null,
  allowed_networks: null,
  ...changes,
});

export type BuiltIn = { providerId: string; name: string; channel: Channel; isMailbox?: true };

export const builtIns: readonly BuiltIn[] = [
  { providerId: "svc", name: "In-app", channel: "in_app" },
  { providerId: "svc-email", name: "Development mailbox (email)", channel: "email", isMailbox: true },
  { providerId: "svc-sms", name: "Development mailbox (SMS)", channel: "sms", isMailbox: true },
  { providerId: "svc-slack", name: "Development mailbox (chat)", channel: "chat", isMailbox: true },
  { providerId: "web-push", name: "Web Push", channel: "push" },
];

export async function addBuiltInIntegrations(
  tools: SetupTools,
  environmentId: string,
  type: "dev" | "prod",
): Promise<void> {
  const rows = builtIns.map((builtIn) =>
    builtInRow(tools, environmentId, builtIn, !builtIn.isMailbox || type === "dev"),
  );
  await insertIntegrations(tools.db, rows);
}

export function builtInRow(
  { config, secrets, now, newId }: SetupTools,
  environmentId: string,
  { providerId, name, channel }: BuiltIn,
  active: boolean,
): NewIntegration {
  const credentials = providerId === "web-push" ? { ...makeVapidKeys(), subject: vapidSubject(config) } : {};
  return {
    id: newId(),
    environment_id: environmentId,
    identifier: `${providerId}-default`,
    name,
    provider_id: providerId,
    channel,
    credentials: seal(secrets, credentials),
    configurations: null,
    conditions: [],
    active,
    is_primary: active && (channel === "email" || channel === "sms"),
    priority: active ? 1 : 0,
    is_hidden: isAdded(providerId),
    created_at: now(),
    updated_at: now(),
  };
}

/** Providers that Novu does not have are hidden until used: its clients check provider ids against a closed set. */
const isAdded = (providerId: string): boolean => (addedProviderIds as readonly string[]).includes(providerId);

/** The operator's contact for push services: an https: or mailto: address, which some of them require to exist. */
const vapidSubject = ({ publicUrl }: Pick<Config, "publicUrl">): string =>
  publicUrl.startsWith("https://") ? publicUrl : "mailto:postmaster@localhost";

// What every environment is born with: an API key, the in-app integration, push to browsers with keys of its own, and
// mailboxes that capture email, SMS and chat instead of sending them (read back with GET /v2/captured). In production the
// mailboxes are switched off.
import type { Channel } from "@tidings/contract";
import { makeVapidKeys } from "@tidings/providers";
import type { Config } from "../config.ts";
import { type Secrets, sha256 } from "../lib/secrets.ts";
import type { Db } from "../store/db.ts";
import type { ApiKeyRow } from "../store/environments.ts";
import { insertIntegration } from "../store/integrations.ts";
import { seal } from "./credentials.ts";

export type SetupTools = {
  config: Pick<Config, "publicUrl">;
  db: Db;
  secrets: Secrets;
  now: () => Date;
  newId: () => string;
};

export const apiKeyRow = (
  { secrets, now, newId }: Pick<SetupTools, "secrets" | "now" | "newId">,
  key: { environmentId: string; userId: string; clear: string },
): ApiKeyRow => ({
  id: newId(),
  environment_id: key.environmentId,
  user_id: key.userId,
  hash: sha256(key.clear),
  secret: secrets.encrypt(key.clear),
  created_at: now(),
  revoked_at: null,
});

export async function addBuiltInIntegrations(
  { config, db, secrets, now, newId }: SetupTools,
  environmentId: string,
  type: "dev" | "prod",
): Promise<void> {
  const isDev = type === "dev";
  const integration = (providerId: string, name: string, channel: Channel, active: boolean, credentials = {}) => ({
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
    created_at: now(),
    updated_at: now(),
  });
  await insertIntegration(db, integration("svc", "In-app", "in_app", true));
  await insertIntegration(db, integration("svc-email", "Development mailbox (email)", "email", isDev));
  await insertIntegration(db, integration("svc-sms", "Development mailbox (SMS)", "sms", isDev));
  await insertIntegration(db, integration("svc-slack", "Development mailbox (chat)", "chat", isDev));
  const vapid = { ...makeVapidKeys(), subject: vapidSubject(config) };
  await insertIntegration(db, integration("web-push", "Web Push", "push", true, vapid));
}

/** Where push services reach whoever runs this. They want an https: or mailto: address, and some of them one that exists. */
const vapidSubject = ({ publicUrl }: Pick<Config, "publicUrl">): string =>
  publicUrl.startsWith("https://") ? publicUrl : "mailto:postmaster@localhost";

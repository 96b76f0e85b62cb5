// What every environment is born with: an API key, the in-app integration and, in development, a mailbox that captures
// email instead of sending it (read back with GET /v2/captured).
import { type Secrets, sha256 } from "../lib/secrets.ts";
import type { Db } from "../store/db.ts";
import type { ApiKeyRow } from "../store/environments.ts";
import { insertIntegration } from "../store/integrations.ts";

export type SetupTools = { db: Db; secrets: Secrets; now: () => Date; newId: () => string };

export const apiKeyRow = (
  { secrets, now, newId }: Omit<SetupTools, "db">,
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
  { db, secrets, now, newId }: SetupTools,
  environmentId: string,
  type: "dev" | "prod",
): Promise<void> {
  const integration = (providerId: string, name: string, channel: "in_app" | "email") => ({
    id: newId(),
    environment_id: environmentId,
    identifier: `${providerId}-default`,
    name,
    provider_id: providerId,
    channel,
    credentials: secrets.encrypt("{}"),
    configurations: null,
    conditions: [],
    active: true,
    is_primary: channel === "email",
    priority: 1,
    created_at: now(),
    updated_at: now(),
  });
  await insertIntegration(db, integration("svc", "In-app", "in_app"));
  if (type === "dev") await insertIntegration(db, integration("svc-email", "Development mailbox", "email"));
}

// The first start creates an organisation with the environments Development and Production and an API key each. Every
// start checks that the encryption key is the one that the secrets in this database were encrypted with.
import type { Config } from "../../config.ts";
import { newApiKey, type Secrets } from "../../lib/secrets.ts";
import { type Db, inTransaction } from "../../store/db.ts";
import {
  createInstallation,
  findDevelopmentKey,
  findFirstKey,
  isEmptyInstallation,
  listIdentifiers,
  lockInstallation,
  readInstallationValue,
  writeInstallationValue,
} from "../../store/installation/installation.ts";
import { insertWorkflow, type WorkflowContent } from "../../store/workflows/workflows.ts";
import { addDefaultAlertRules } from "../alerts/default-rules.ts";
import { addBuiltInIntegrations, apiKeyRow, type SetupTools } from "./environment-setup.ts";

class WrongEncryptionKeyError extends Error {}

export const welcomeWorkflowId = "welcome";

export async function ensureInstallation(tools: SetupTools & { config: Config }): Promise<{ isFirstStart: boolean }> {
  return inTransaction(tools.db, async (tx) => {
    // Among several processes that start at the same time, one sets the database up.
    await lockInstallation(tx);
    await checkEncryptionKey(tx, tools.secrets);
    if (!(await isEmptyInstallation(tx))) return { isFirstStart: false };
    await createOrganization({ ...tools, db: tx });
    return { isFirstStart: true };
  });
}

const probe = "tidings";

/** Whether the database holds encrypted values. */
export const isSetUp = async (db: Db): Promise<boolean> =>
  (await readInstallationValue(db, "encryption_probe")) !== null;

async function checkEncryptionKey(db: Db, secrets: Secrets): Promise<void> {
  const stored = await readInstallationValue(db, "encryption_probe");
  if (stored === null) return writeInstallationValue(db, "encryption_probe", secrets.encrypt(probe));
  try {
    if (secrets.decrypt(stored) === probe) return;
  } catch {
    // Same error as for a key that decrypts to another text.
  }
  throw new WrongEncryptionKeyError(
    "TIDINGS_ENCRYPTION_KEY is not the key this database was set up with; its secrets cannot be read. " +
      "Give the old key, or after a rotation both as 2:<new key>,1:<old key>.",
  );
}

/** With the environments Development, whose API key may be given by a setting, and Production. */
export async function createOrganization(tools: SetupTools & { config: Config }): Promise<void> {
  const { config, db, now, newId } = tools;
  const development = newId();
  const production = newId();
  const userId = newId();
  const key = (environmentId: string, clear: string) => apiKeyRow(tools, { environmentId, userId, clear });
  await createInstallation(db, {
    organization: { id: newId(), name: "My organisation" },
    user: { id: userId, name: "Owner" },
    environments: [
      { id: development, name: "Development", identifier: "development", type: "dev", parentId: null },
      { id: production, name: "Production", identifier: "production", type: "prod", parentId: development },
    ],
    keys: [key(development, config.apiKey || newApiKey()), key(production, newApiKey())],
    now: now(),
  });
  await addBuiltInIntegrations(tools, development, "dev");
  await addBuiltInIntegrations(tools, production, "prod");
  await addDefaultAlertRules(tools, { id: development, type: "dev" });
  await addDefaultAlertRules(tools, { id: production, type: "prod" });
  await insertWorkflow(db, development, {
    versionId: newId(),
    content: welcomeWorkflow({ now, newId }),
    summary: "Created",
  });
}

/** An example workflow, which the curl command of the start banner triggers. */
const welcomeWorkflow = ({ now, newId }: Pick<SetupTools, "now" | "newId">): WorkflowContent => ({
  id: newId(),
  workflow_id: welcomeWorkflowId,
  name: "Welcome",
  description: "An example: one in-app message. Change it or delete it.",
  tags: [],
  active: true,
  validate_payload: false,
  payload_schema: null,
  is_translation_enabled: false,
  severity: "none",
  outside_schedule: "hold",
  on_unknown_outcome: "may_duplicate",
  search_keys: [],
  objectives: null,
  category_id: null,
  is_commercial: false,
  message_class: "transactional",
  priority: "normal",
  last_published_at: null,
  last_published_by: null,
  origin: "svc-cloud",
  bridge_url: null,
  preferences_user: null,
  preferences_default: { all: { enabled: true, readOnly: false }, channels: {} },
  steps: [
    {
      id: newId(),
      stepId: "in-app",
      name: "In-app message",
      type: "in_app",
      controlValues: {
        subject: "Welcome, {{ subscriber.firstName | default: subscriber.subscriberId }}",
        body: "This message came from <b>{{ payload.product | default: 'Tidings' }}</b>.",
      },
      active: true,
      shouldStopOnFail: false,
    },
  ],
  updated_at: now(),
  updated_by: null,
});

/** The API key that the start banner shows. */
export async function developmentKey(tools: Pick<SetupTools, "db" | "secrets">): Promise<string | null> {
  const row = await findDevelopmentKey(tools.db);
  return row ? tools.secrets.decrypt(row.secret) : null;
}

/**
 * The first API key of an environment that the operator names; the error for an unknown name lists those that exist.
 */
export async function environmentKey(
  tools: Pick<SetupTools, "db" | "secrets">,
  identifier: string,
): Promise<{ kind: "found"; key: string } | { kind: "unknown"; known: string[] }> {
  const row = await findFirstKey(tools.db, identifier);
  if (row) return { kind: "found", key: tools.secrets.decrypt(row.secret) };
  return { kind: "unknown", known: await listIdentifiers(tools.db) };
}

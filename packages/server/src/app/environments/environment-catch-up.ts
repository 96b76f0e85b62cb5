// Environments that are older than a built-in integration get it at the first start of a version that has it. Not by a
// migration: the service generates and encrypts the keys for push to browsers.
//
// Each built-in integration is added once: the installation stores which ones were. An environment that has or had an
// integration of the provider gets none (deleted ones stay as rows), and a mailbox is active only in a channel without
// an active integration, so that no message is captured that used to be sent.
import { insertMissingRules } from "../../store/alerts/alert-rules.ts";
import { inRepeatableTransaction } from "../../store/db.ts";
import {
  findIntegrationHistories,
  holdEnvironmentsAfter,
  lockInstallation,
  readInstallationValue,
  writeInstallationValue,
} from "../../store/installation/installation.ts";
import { insertIntegrations, type NewIntegration } from "../../store/integrations/integrations.ts";
import { defaultRules, rowsOfRules } from "../alerts/default-rules.ts";
import { type BuiltIn, builtInRow, builtIns, type SetupTools } from "./environment-setup.ts";

const addedKey = "built_in_integrations";

/** Environments of one transaction; their rows are locked until it ends. */
const pageSize = 100;

const firstId = "00000000-0000-0000-0000-000000000000";

/** Returns how many integrations were added. Processes that start at the same time take turns, page by page. */
export async function catchUpEnvironments(tools: SetupTools): Promise<number> {
  let added = 0;
  for (let after: string | null = firstId; after !== null; ) {
    const start: string = after;
    const page = await inRepeatableTransaction(tools.db, (tx) => catchUpPage({ ...tools, db: tx }, start));
    added += page.added;
    after = page.last;
  }
  return added;
}

type Page = { added: number; last: string | null };

async function catchUpPage(tools: SetupTools, after: string): Promise<Page> {
  const { db } = tools;
  await lockInstallation(db);
  const added = new Set((await readInstallationValue(db, addedKey))?.split(",") ?? []);
  const missing = builtIns.filter(({ providerId }) => !added.has(providerId));
  if (missing.length === 0) return { added: 0, last: null };
  const environments = await holdEnvironmentsAfter(db, after, pageSize);
  if (environments.length === 0) {
    await writeInstallationValue(db, addedKey, builtIns.map(({ providerId }) => providerId).join(","));
    return { added: 0, last: null };
  }
  // Read after the rows are locked: a request that adds or deletes an integration locks its environment first.
  const ids = environments.map(({ id }) => id);
  const traces = new Map((await findIntegrationHistories(db, ids)).map((trace) => [trace.environment_id, trace]));
  const rows = environments.flatMap(({ id, type }) => {
    const { provider_ids = [], active_channels = [] } = traces.get(id) ?? {};
    const isActive = ({ isMailbox, channel }: BuiltIn) =>
      !isMailbox || (type === "dev" && !active_channels.includes(channel));
    return missing
      .filter(({ providerId }) => !provider_ids.includes(providerId))
      .map((builtIn): NewIntegration => builtInRow(tools, id, builtIn, isActive(builtIn)));
  });
  return { added: await insertIntegrations(db, rows), last: ids.at(-1)! };
}

const addedRulesKey = "default_alert_rules";

/** The same for default alert rules: each is added once, and a rule that was deleted stays deleted. */
export async function catchUpAlertRules(tools: Omit<SetupTools, "config">): Promise<void> {
  await inRepeatableTransaction(tools.db, async (tx) => {
    await lockInstallation(tx);
    const added = new Set((await readInstallationValue(tx, addedRulesKey))?.split(",") ?? []);
    const missing = defaultRules.filter(({ kind }) => !added.has(kind));
    if (missing.length === 0) return;
    for (let after: string | undefined = firstId; after !== undefined; ) {
      const environments: { id: string; type: "dev" | "prod" }[] = await holdEnvironmentsAfter(tx, after, pageSize);
      const rows = environments.flatMap((environment) => rowsOfRules(tools, environment, missing));
      await insertMissingRules(tx, rows);
      after = environments.at(-1)?.id;
    }
    await writeInstallationValue(tx, addedRulesKey, defaultRules.map(({ kind }) => kind).join(","));
  });
}

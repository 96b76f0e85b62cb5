// The facts that `advance()` reads in addition to the runs, loaded for a whole batch: one query for each kind of fact,
// and none for a kind that no run of the batch can need.
import { type AttentionBudget, type Channel, isChannel, type StepType } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import { canonicalJson } from "../../lib/json.ts";
import { localeChain } from "../../lib/locale.ts";
import { openValue } from "../../lib/sealed.ts";
import type { Secrets } from "../../lib/secrets.ts";
import type { Db } from "../../store/db.ts";
import {
  findTargetConnections,
  findTargetEndpoints,
  type TargetEndpoint,
} from "../../store/integrations/channel-targets.ts";
import { type ActiveIntegration, findActiveIntegrationsOfBatch } from "../../store/integrations/integrations.batch.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { findInAppMarks } from "../../store/messages/message-marks.ts";
import {
  type BrandedTenant,
  type ContextContent,
  findContextsOfBatch,
  findPreferencesOfBatch,
  findTenantsOfBatch,
} from "../../store/subscribers/subscribers.batch.ts";
import { findTranslationsOf, type TranslationRow } from "../../store/workflows/translations.ts";
import { findLayoutsOfBatch } from "../../store/workflows/workflows.batch.ts";
import { loadAudiences } from "../audiences/step-audiences.ts";
import type { Batch } from "../batch.ts";
import { isCritical } from "../rules/preferences.ts";
import { type Marks, toMarks } from "../rules/step-results.ts";
import { isFinished } from "./advance.ts";
import { toBrands } from "./brands.ts";
import type { ClaimResult, ContextData, Facts, OpenEndpoint, Run } from "./run.ts";
import { loadVariables } from "./variables.ts";

export async function loadFacts(
  ctx: Batch,
  runs: Run[],
  claimResults: ReadonlyMap<string, ClaimResult>,
  { digests = new Map(), arrivals = new Map() }: Partial<Pick<Facts, "digests" | "arrivals">> = {},
): Promise<Facts> {
  const integrations = await findActiveIntegrationsOfBatch(ctx.db, environmentsOf(runs), channelsOf(runs));
  const layouts = await loadLayouts(ctx.db, runs);
  const contexts = await loadContexts(ctx.db, runs);
  const tenants = await loadTenants(ctx.db, runs);
  return {
    integrations,
    linkSchemes: linkSchemesOf(integrations),
    pagesUrls: pagesUrlsOf(integrations),
    variables: await loadVariables(ctx, runs, integrations),
    ...(await loadPreferences(ctx.db, runs)),
    audiences: await loadAudiences(ctx, runs),
    contexts: toContextData(contexts),
    brands: toBrands(integrations, contexts, tenants),
    layouts,
    translations: await loadTranslations(ctx.db, runs, layouts),
    tenants: toTenants(tenants),
    chatEndpoints: await loadChatEndpoints(ctx, runs, integrations),
    marks: await loadMarks(ctx.db, runs),
    budgets: budgetsOfAll(integrations),
    drafted: new Map(),
    claimResults,
    digests,
    arrivals,
    maxWaitDays: ctx.config.maxWaitDays,
    defaultTimezone: ctx.config.defaultTimezone,
    publicUrl: ctx.config.publicUrl,
    secrets: ctx.secrets,
    newId: ctx.newId,
  };
}

/**
 * A step without an active integration makes no content, so the environments of the integrations are all that need
 * them.
 */
const linkSchemesOf = (integrations: ActiveIntegration[]): Facts["linkSchemes"] =>
  new Map(
    integrations
      .filter(({ link_schemes }) => link_schemes.length > 0)
      .map(({ environment_id, link_schemes }) => [environment_id, link_schemes]),
  );

const budgetsOfAll = (integrations: ActiveIntegration[]): Facts["budgets"] =>
  new Map(
    integrations.flatMap(({ environment_id, attention }): [string, AttentionBudget[]][] =>
      attention === null ? [] : [[environment_id, attention]],
    ),
  );

const pagesUrlsOf = (integrations: ActiveIntegration[]): Facts["pagesUrls"] =>
  new Map(
    integrations.flatMap(({ environment_id, pages_url }): [string, string][] =>
      pages_url === null ? [] : [[environment_id, pages_url]],
    ),
  );

/** The channels of steps that may still run. */
function channelsOf(runs: Run[]): Channel[] {
  const found = new Set<Channel>();
  for (const { jobs } of runs) {
    for (const job of jobs) if (isChannel(job.step.type) && !isFinished(job)) found.add(job.step.type);
  }
  return [...found];
}

const environmentsOf = (runs: Run[]): string[] => [...new Set(runs.map((run) => run.environmentId))];

/** The run has a step of this type that may still run. */
const mayRun = (run: Run, type: StepType): boolean =>
  run.jobs.some((job) => job.step.type === type && !isFinished(job));

async function loadLayouts(db: Db, runs: Run[]): Promise<Facts["layouts"]> {
  const mailing = runs.filter((run) => mayRun(run, "email"));
  return Map.groupBy(await findLayoutsOfBatch(db, environmentsOf(mailing)), (layout) => layout.environment_id);
}

/** Translations of the workflows and layouts that have them enabled: one query per environment. */
async function loadTranslations(db: Db, runs: Run[], layouts: Facts["layouts"]): Promise<Facts["translations"]> {
  const found: TranslationRow[] = [];
  for (const [environmentId, inside] of Map.groupBy(runs, (run) => run.environmentId)) {
    const translated = inside.filter((run) => run.version.definition.isTranslationEnabled);
    const ids = [
      ...translated.map((run) => run.version.workflowId),
      ...(layouts.get(environmentId) ?? []).filter((layout) => layout.is_translation_enabled).map(({ id }) => id),
    ];
    if (ids.length === 0) continue;
    const locales = new Set(inside.map((run) => run.subscriber?.locale).flatMap((locale) => localeChain(locale)));
    found.push(...(await findTranslationsOf(db, environmentId, [...new Set(ids)], [...locales])));
  }
  return Map.groupBy(found, (row) => row.resource_id);
}

/** For subscribers who were changed in this batch. */
export async function reloadChanged(batch: Batch, runs: Run[], facts: Facts, hasNewLocale: boolean): Promise<void> {
  if (hasNewLocale) facts.translations = await loadTranslations(batch.db, runs, facts.layouts);
  facts.audiences = await loadAudiences(batch, runs);
}

function loadTenants(db: Db, runs: Run[]): Promise<BrandedTenant[]> {
  const concerned = runs.filter((run) => run.event.tenant !== null);
  const identifiers = [...new Set(concerned.map((run) => run.event.tenant!))];
  return findTenantsOfBatch(db, environmentsOf(concerned), identifiers);
}

function toTenants(rows: BrandedTenant[]): Facts["tenants"] {
  const found = Map.groupBy(rows, (row) => row.environment_id);
  return new Map([...found].map(([id, tenants]) => [id, new Map(tenants.map((row) => [row.identifier, row]))]));
}

/** Seen and read marks for runs that continue after an in-app step of an earlier batch: one query per environment. */
async function loadMarks(db: Db, runs: Run[]): Promise<Facts["marks"]> {
  const found = new Map<string, Marks>();
  const earlier = runs.filter((run) => !run.isNew && run.subscriber && run.jobs.some((job) => !isFinished(job)));
  for (const [environmentId, inside] of Map.groupBy(earlier, (run) => run.environmentId)) {
    const messages = inside.flatMap(({ subscriber, jobs }) =>
      jobs
        .filter(({ step, status }) => step.type === "in_app" && status === "completed")
        .map(({ id, mergedInto }) => ({
          ownId: id,
          // The step of a canceled run, whose digest was handed over to this one.
          jobId: mergedInto ?? id,
          subscriberId: subscriber!.id,
        })),
    );
    const ownIds = new Map(messages.map(({ ownId, jobId }) => [jobId, ownId]));
    for (const { job_id, ...row } of await findInAppMarks(db, environmentId, messages)) {
      found.set(ownIds.get(job_id)!, toMarks(row));
    }
  }
  return found;
}

/** Chat endpoints for runs that may still run a chat step: one or two queries per environment. */
async function loadChatEndpoints(
  { db, secrets }: Ctx,
  runs: Run[],
  active: IntegrationRow[],
): Promise<Facts["chatEndpoints"]> {
  const found = new Map<string, OpenEndpoint[]>();
  const chatting = runs.filter((run) => run.subscriber && mayRun(run, "chat"));
  for (const [environmentId, inside] of Map.groupBy(chatting, (run) => run.environmentId)) {
    const isHere = (one: IntegrationRow) => one.environment_id === environmentId && one.channel === "chat";
    const integrationIds = active.filter(isHere).map((integration) => integration.id);
    const recipients = inside.map((run) => ({ subscriberId: run.subscriber!.id, contextKeys: run.contextKeys }));
    const stored = await findTargetEndpoints(db, environmentId, integrationIds, recipients);
    const endpoints = openEndpoints(secrets, stored);
    const connected = await withConnections(db, environmentId, endpoints, recipients);
    for (const [recipient, own] of Map.groupBy(connected, (endpoint) => endpoint.recipient)) {
      found.set(inside[recipient]!.notificationId, own);
    }
  }
  return found;
}

/** Decrypts the endpoints; an address that is stored twice is returned once, which only the decrypted values show. */
function openEndpoints(secrets: Secrets, stored: TargetEndpoint[]): OpenEndpoint[] {
  const found = new Map<string, OpenEndpoint>();
  for (const row of stored) {
    const endpoint = openValue(secrets, row.endpoint);
    const key = canonicalJson([row.recipient, row.integration_id, row.type, endpoint]);
    if (!found.has(key)) found.set(key, { ...row, endpoint });
  }
  return [...found.values()];
}

/** An endpoint without a connection uses the one that its subscriber, or its contexts, have for the integration. */
async function withConnections(
  db: Db,
  environmentId: string,
  endpoints: OpenEndpoint[],
  recipients: { subscriberId: string; contextKeys: string[] }[],
): Promise<OpenEndpoint[]> {
  const open = endpoints.filter(({ type, connection_id }) => connection_id === null && connectedTypes.has(type));
  if (open.length === 0) return endpoints;
  const integrationIds = [...new Set(open.map((endpoint) => endpoint.integration_id))];
  const connections = await findTargetConnections(db, environmentId, integrationIds, recipients);
  const byPlace = new Map(connections.map((row) => [`${row.recipient} ${row.integration_id}`, row.id]));
  return endpoints.map((endpoint) => ({
    ...endpoint,
    connection_id: endpoint.connection_id ?? byPlace.get(`${endpoint.recipient} ${endpoint.integration_id}`) ?? null,
  }));
}

/** Endpoints that need a connection; webhooks and phone numbers need none. */
const connectedTypes = new Set(["chatapp_channel", "chatapp_user", "teamsapp_channel", "teamsapp_user"]);

/**
 * One or two queries for the batch, and none for critical workflows, which ignore their category and the choices of
 * subscribers.
 */
async function loadPreferences(db: Db, runs: Run[]): Promise<Pick<Facts, "preferences" | "categories">> {
  const open = runs.filter((run) => run.subscriber && !isCritical(run.rules.preferences));
  const each = (pick: (run: Run) => string | string[]) => [...new Set(open.flatMap(pick))];
  const { rows, categories } = await findPreferencesOfBatch(
    db,
    each((run) => run.environmentId),
    {
      subscriberIds: each((run) => run.subscriber!.id),
      workflowIds: each((run) => run.version.workflowId),
      categoryIds: each((run) => run.rules.categoryId ?? []),
    },
  );
  const byEnvironment = Map.groupBy(categories, (category) => category.environmentId);
  return {
    preferences: Map.groupBy(rows, (row) => row.subscriber_id),
    categories: new Map(
      [...byEnvironment].map(([id, own]) => [id, new Map(own.map((category) => [category.categoryId, category]))]),
    ),
  };
}

/** One query for the batch, and none when no run has a context. */
function loadContexts(db: Db, runs: Run[]): Promise<ContextContent[]> {
  const concerned = runs.filter((run) => run.contextKeys.length > 0);
  const environmentIds = [...new Set(concerned.map((run) => run.environmentId))];
  const named = [...new Set(concerned.flatMap((run) => run.contextKeys))].map((key) => {
    const [type = "", id = ""] = key.split(":");
    return { type, id };
  });
  return findContextsOfBatch(db, environmentIds, named);
}

function toContextData(rows: ContextContent[]): ContextData {
  const found = Map.groupBy(rows, (row) => row.environment_id);
  return new Map(
    [...found].map(([environmentId, rows]) => [
      environmentId,
      new Map(rows.map(({ type, id, data }) => [`${type}:${id}`, data])),
    ]),
  );
}

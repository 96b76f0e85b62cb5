// Notifications with their jobs and execution details: what happened to an event for each recipient, and why.
import {
  type ExecutionDetail,
  type Input,
  inAppProviderId,
  type Job,
  type Notification,
  type Output,
} from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure, invalid } from "../../failure.ts";
import { detailIdOf } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import { firstSearchKey } from "../../lib/search-values.ts";
import { type DecisionPlace, decidedBy } from "../../pipeline/rules/deciders.ts";
import type { DetailName } from "../../pipeline/rules/details.ts";
import { maskOverrides } from "../../pipeline/rules/overrides.ts";
import { findEntry } from "../../pipeline/steps/catalogue.ts";
import { findEvents } from "../../store/events/events.ts";
import { findJobs, type JobRow } from "../../store/events/jobs.ts";
import { maxSubscribers, searchNotifications } from "../../store/events/notification-search.ts";
import { findNotification, type ListedNotification, listNotifications } from "../../store/events/notifications.ts";
import type { PassedSubscription, StoredDetail } from "../../store/tables.ts";
import { peekNow } from "../environments/clock.ts";
import { retentionOf } from "../environments/retention-days.ts";
import { pageRange, toPage } from "../paging.ts";
import { readContextKeys } from "../subscribers/contexts.ts";

const dayMs = 86_400_000;

export async function list(
  ctx: Ctx,
  caller: Caller,
  { query }: Input<"notifications.list">,
): Promise<Output<"notifications.list">> {
  const now = await peekNow(ctx, caller);
  const { messages: days } = await retentionOf(ctx, caller.environmentId);
  const oldest = new Date(now.getTime() - days * dayMs);
  const before = query.before ? readBefore(query.before) : nextMillisecond(now);
  const asked = query.after ? new Date(query.after) : oldest;
  if (query.after && query.before && asked >= before) {
    throw invalid({ after: { messages: ["after must be earlier than before"], value: query.after } });
  }
  const { page, limit, search, ...filters } = query;
  // `trigger` matches every event, and is not a job type that the query could find.
  if (filters.channels?.includes("trigger")) filters.channels = undefined;
  const contextKeys = readContextKeys(query.contextKeys);
  const after = asked < oldest ? oldest : asked;
  const range = pageRange(query);
  const ids = search ? await findIdsBySearch(ctx, caller, search, { after, before }) : undefined;
  const all = { ...filters, ids, contextKeys, after, before };
  const rows = await listNotifications(ctx.db, caller.environmentId, all, range);
  const jobs = await jobsOf(ctx, caller.environmentId, rows.slice(0, range.limit));
  return toPage(rows, query, (row) => toNotification(caller, row, jobs.get(row.id) ?? []));
}

async function findIdsBySearch(ctx: Ctx, caller: Caller, search: string, window: { after: Date; before: Date }) {
  const { ids, subscribers } = await searchNotifications(ctx.db, caller.environmentId, search, window);
  if (subscribers <= maxSubscribers) return ids;
  const message = `search matches more than ${maxSubscribers} subscribers: give a longer part of the id or address, or subscriberIds`;
  throw invalid({ search: { messages: [message], value: search } });
}

const nextMillisecond = (time: Date): Date => new Date(time.getTime() + 1);

/**
 * A `Date` keeps milliseconds only, and `before` itself is excluded: a time with more digits is rounded up, or
 * `before=….1239Z` would exclude what was created at .123.
 */
function readBefore(text: string): Date {
  const time = new Date(text);
  const isFiner = /\.\d{3}\d*[1-9]/.test(text);
  return isFiner ? nextMillisecond(time) : time;
}

export async function retrieve(
  ctx: Ctx,
  caller: Caller,
  { params }: Input<"notifications.retrieve">,
): Promise<Output<"notifications.retrieve">> {
  const row = await findNotification(ctx.db, caller.environmentId, params.notificationId);
  if (!row) throw failure("NOTIFICATION_NOT_FOUND", { notificationId: params.notificationId });
  const jobs = await jobsOf(ctx, caller.environmentId, [row]);
  return toNotification(caller, row, jobs.get(row.id) ?? []);
}

async function jobsOf(ctx: Ctx, environmentId: string, rows: ListedNotification[]): Promise<Map<string, Job[]>> {
  const jobs = await findJobs(ctx.db, rows);
  const payloads = await digestPayloads(ctx, environmentId, jobs);
  const byNotification = Map.groupBy(jobs, (job) => job.notification_id);
  return new Map(
    rows.map((row) => {
      const chain = byNotification.get(row.id) ?? [];
      const overrides = maskOverrides(ctx.secrets, row.overrides);
      return [row.id, chain.map((job) => toJob(job, row, overrides, digestOf(job, chain, payloads)))];
    }),
  );
}

type EventRef = { id: string; time: string };
const extensionsOf = (job: JobRow): number => job.details.filter(({ d }) => d === "step_extended").length;
const digestedEvents = (job: JobRow): EventRef[] => (job.output?.events as EventRef[] | undefined) ?? [];

/** A digest stores the ids of its events; the payloads are read from the events. */
async function digestPayloads(ctx: Ctx, environmentId: string, jobs: JobRow[]): Promise<Map<string, JsonObject>> {
  const ids = new Set(
    jobs.flatMap((job) => (job.type === "digest" ? digestedEvents(job).map((event) => event.id) : [])),
  );
  return new Map((await findEvents(ctx.db, environmentId, [...ids])).map((event) => [event.id, event.payload]));
}

/** The settings and events of a digest, shown on its own job and, once it has closed, on the jobs after it. */
function digestOf(job: JobRow, chain: JobRow[], payloads: Map<string, JsonObject>): Job["digest"] {
  const isBefore = (one: JobRow) => one.step_index < job.step_index && one.digest && digestedEvents(one).length > 0;
  const holder = job.digest ? job : chain.findLast(isBefore);
  if (!holder) return undefined;
  const events = digestedEvents(holder).map((event) => ({ ...event, payload: payloads.get(event.id) ?? {} }));
  return { ...holder.digest, ...(events.length > 0 ? { events } : {}) } as Job["digest"];
}

function toJob(job: JobRow, notification: ListedNotification, overrides: Job["overrides"], digest: Job["digest"]): Job {
  const steps = notification.definition.steps.filter((candidate) => candidate.active);
  const step = steps[job.step_index]!;
  return {
    _id: job.id,
    type: job.type,
    status: job.status,
    providerId: job.provider_id ?? inAppProviderId,
    executionDetails: toDetails(job, notification),
    digest,
    step: {
      _id: step.id,
      _templateId: step.id,
      name: step.name,
      active: step.active,
      filters: step.filters ?? [],
      controlVariables: step.controlValues,
      _parentId: steps[job.step_index - 1]?.id ?? null,
    },
    payload: notification.payload,
    overrides,
    updatedAt: job.updated_at.toISOString(),
    scheduleExtensionsCount: extensionsOf(job) || undefined,
  };
}

/** `names`: of integrations by id. The detail `step_created` is not stored: it is derived from the notification. */
export function toDetails(
  job: JobRow,
  notification: ListedNotification,
  names?: ReadonlyMap<string, string>,
): ExecutionDetail[] {
  const { definition, external_id, transaction_id: transactionId } = notification;
  const place: DecisionPlace = {
    workflow: definition,
    steps: definition.steps.filter((step) => step.active),
    index: job.step_index,
    subscriberId: external_id ?? undefined,
    transactionId,
    names,
  };
  const created: StoredDetail = { d: "step_created", t: notification.created_at.getTime() };
  const stored = job.type === "in_app" ? withInAppStart(job.details) : job.details;
  return [created, ...stored].map((one, index) => {
    const { d, t, p, y, r } = one;
    const entry = findEntry(one)!;
    return {
      _id: detailIdOf(job.id, { time: t, step: job.step_index, index }),
      createdAt: new Date(t).toISOString(),
      detail: entry.text,
      status: entry.status,
      source: entry.source,
      isRetry: y ?? false,
      isTest: false,
      providerId: p,
      raw: r ? JSON.stringify(r) : undefined,
      code: d,
      decidedBy: decidedBy(one, place),
    };
  });
}

const inAppStarts = new Set<string>(["message_created", "no_integration", "render_failed"] satisfies DetailName[]);

/**
 * An in-app step starts, creates its message and queues it at one moment. The details `start_sending` and
 * `step_queued`, which other channels store, are derived here: in-app jobs are the most frequent ones, and store less.
 */
function withInAppStart(stored: StoredDetail[]): StoredDetail[] {
  const at = stored.findIndex(({ d }) => inAppStarts.has(d));
  if (at < 0) return stored;
  const first = stored[at]!;
  const derived = (name: DetailName): StoredDetail => ({ d: name, t: first.t });
  const queued = first.d === "message_created" ? [derived("step_queued")] : [];
  return [...stored.slice(0, at), derived("start_sending"), first, ...queued, ...stored.slice(at + 1)];
}

/** Each topic once, even when several of its subscriptions matched. */
const topicsOf = (subscriptions: PassedSubscription[]): Notification["topics"] =>
  [...new Map(subscriptions.map(({ topicId, topicKey }) => [topicId, topicKey]))].map(([_topicId, topicKey]) => ({
    _topicId,
    topicKey,
  }));

function toNotification(caller: Caller, row: ListedNotification, jobs: Job[]): Notification {
  const { definition } = row;
  const active = definition.steps.filter((step) => step.active);
  return {
    _id: row.id,
    _environmentId: row.environment_id,
    _organizationId: caller.organizationId,
    _subscriberId: row.subscriber_id,
    transactionId: row.transaction_id,
    _templateId: row.workflow_id,
    _digestedNotificationId: row.digested_into ?? undefined,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    channels: [...new Set(active.map((step) => step.type))],
    subscriber: row.external_id
      ? {
          _id: row.subscriber_id,
          subscriberId: row.external_id,
          firstName: row.first_name ?? undefined,
          lastName: row.last_name ?? undefined,
          email: row.email ?? undefined,
          phone: row.phone ?? undefined,
        }
      : undefined,
    template: {
      _id: row.workflow_id,
      name: definition.name,
      origin: definition.origin,
      triggers: [{ type: "event", identifier: definition.workflowId, variables: [] }],
    },
    jobs,
    payload: row.payload,
    searchKey: firstSearchKey(definition.searchKeys, row.payload),
    tags: definition.tags,
    controls: {},
    to: row.external_id ? { subscriberId: row.external_id } : {},
    topics: topicsOf(row.subscriptions ?? []),
    severity: row.severity,
    critical: row.critical,
    contextKeys: row.context_keys,
  };
}

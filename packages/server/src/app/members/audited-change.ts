// Runs a change and writes its entry into the audit log, in the same transaction. Before and after are what the API
// shows of the record; where the record shows no difference, or has no such view, `after` has the request.
import {
  ApiKey,
  Environment,
  Integration,
  isJsonObject,
  type JsonObject,
  type Operation,
  type OperationId,
  operations,
} from "@tidings/contract";
import type { Caller, Ctx, MemberCaller, Source } from "../../context.ts";
import { Failure } from "../../failure.ts";
import { changedFields } from "../../pipeline/effects/audited-fields.ts";
import { committedAnswer, outputOf } from "../../response.ts";
import { listOwnKeys } from "../environments/api-key-rights.ts";
import * as environments from "../environments/environments.ts";
import { retentionOf } from "../environments/retention-days.ts";
import * as variables from "../environments/variables.ts";
import * as channelConnections from "../integrations/channel-connections.ts";
import * as channelEndpoints from "../integrations/channel-endpoints.ts";
import * as integrations from "../integrations/integrations.ts";
import * as deadLetterReplays from "../messages/dead-letter-replays.ts";
import * as contexts from "../subscribers/contexts.ts";
import * as subscribers from "../subscribers/subscribers.ts";
import * as suppressions from "../subscribers/suppressions.ts";
import * as topicSubscriptions from "../topics/topic-subscriptions.ts";
import * as topics from "../topics/topics.ts";
import * as webhooks from "../webhooks/webhooks.ts";
import * as layouts from "../workflows/layouts.ts";
import * as translations from "../workflows/translations.ts";
import * as workflows from "../workflows/workflows.ts";
import { type AnyCaller, actorOf, isInEnvironment } from "./actor.ts";
import { hideFor, recordChange } from "./audit.ts";
import { findName } from "./audit-names.ts";
import { describeRequest } from "./audited-request.ts";
import * as members from "./members.ts";

type Params = Record<string, string>;
type Reader<C> = (ctx: Ctx, caller: C, params: Params) => Promise<unknown>;

/**
 * A method, whose parameters TypeScript compares loosely: the parameters are those of an operation on the same
 * resource.
 */
type Resource = {
  retrieve(ctx: Ctx, caller: Caller, input: { params: Params; query?: object; body?: unknown }): Promise<unknown>;
};

const byParams =
  (resource: Resource): Reader<Caller> =>
  (ctx, caller, params) =>
    resource.retrieve(ctx, caller, { params, query: {} });

/** How the record that an operation names is read, by resource. */
const readers: Record<string, Reader<Caller>> = {
  workflows: byParams(workflows),
  layouts: byParams(layouts),
  environmentVariables: byParams(variables),
  translations: byParams(translations),
  webhooks: byParams(webhooks),
  subscribers: byParams(subscribers),
  topics: byParams(topics),
  topicSubscriptions: byParams(topicSubscriptions),
  contexts: byParams(contexts),
  channelConnections: byParams(channelConnections),
  channelEndpoints: byParams(channelEndpoints),
  suppressions: (ctx, caller, { suppressionId = "" }) => suppressions.find(ctx, caller, suppressionId),
  deadLetterReplays: byParams(deadLetterReplays),
  retention: (ctx, caller) => retentionOf(ctx, caller.environmentId),
  integrations: async (ctx, caller, { integrationId }) =>
    (await integrations.list(ctx, caller)).find((one) => [one._id, one.identifier].includes(integrationId!)),
  environments: async (ctx, caller, { environmentId, targetEnvironmentId: id = environmentId! }) =>
    (await environments.list(ctx, caller)).find((one) => one._id === id || one.identifier === id),
};

/** API keys are records below their environment; of a new one, the log has the request. */
const keyReaders: Record<string, Reader<Caller>> = {
  "environments.createApiKey": async () => null,
  "environments.updateApiKey": readKey,
  "environments.revokeApiKey": readKey,
};

async function readKey(ctx: Ctx, caller: Caller, { keyId }: Params): Promise<unknown> {
  return (await listOwnKeys(ctx, caller)).find(({ _id }) => _id === keyId);
}

const readMember: Reader<MemberCaller> = async (ctx, caller, { personId, invitationId, resetLinkId }) => {
  if (personId !== undefined) return members.retrieve(ctx, caller, personId);
  const has = (id: string | undefined) => (one: { _id: string }) => one._id === id;
  if (invitationId !== undefined) return (await members.listInvitations(ctx, caller)).data.find(has(invitationId));
  return (await members.listResetLinks(ctx, caller)).data.find(has(resetLinkId));
};

type AnyInput = { params?: Params; query?: Record<string, unknown>; body?: unknown };
export type AuditedRequest = { operation: Operation; caller: AnyCaller; input: AnyInput; source: Source };

const resourceOf = ({ id }: Pick<Operation, "id">): string => id.slice(0, id.indexOf("."));

/** Null when the operation names no record, or one that does not exist. */
async function readState(ctx: Ctx, { operation, caller, input }: AuditedRequest): Promise<JsonObject | null> {
  const params = input.params ?? {};
  const resource = resourceOf(operation);
  try {
    if (Object.keys(params).length === 0) return null;
    const reader = keyReaders[operation.id] ?? readers[resource];
    if (isInEnvironment(caller)) return ((await reader?.(ctx, caller, params)) ?? null) as JsonObject | null;
    return ((await readMember(ctx, caller, params)) ?? null) as JsonObject | null;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

const idFields = ["_id", "id", "identifier", "workflowId", "layoutId", "subscriberId"];

const recordIn = (output: unknown): unknown =>
  isJsonObject(output) && isJsonObject(output.data) ? output.data : output;

function targetOf({ params }: AnyInput, output: unknown): string | null {
  const named = Object.values(params ?? {}).join("/");
  if (named) return named.slice(0, 300);
  const record = recordIn(output);
  const field = isJsonObject(record) ? idFields.find((name) => typeof record[name] === "string") : undefined;
  return field ? String((record as JsonObject)[field]) : null;
}

/** The schema of the record that an operation names: secrets are where it marks them. */
function schemaOf({ id }: Operation): object | undefined {
  const resource = resourceOf({ id });
  if (id in keyReaders) return ApiKey;
  if (resource === "integrations") return Integration;
  if (resource === "environments") return Environment;
  const operation: Operation | undefined = operations[`${resource}.retrieve` as OperationId];
  return operation?.success.schema;
}

/** The subscriber whom the entry is about, if it is about one. */
function subscriberOf({ params, body }: AnyInput, ...records: unknown[]): string | null {
  const named = [params, ...records, body].find((one) => isJsonObject(one) && typeof one.subscriberId === "string");
  return named ? String((named as JsonObject).subscriberId).trim() : null;
}

export async function runAudited(ctx: Ctx, request: AuditedRequest, run: () => Promise<unknown>): Promise<unknown> {
  const { operation, caller, input, source } = request;
  const before = await readState(ctx, request);
  const answer = await run();
  const output = outputOf(committedAnswer(answer));
  const after = await readState(ctx, request);
  const changed = changedFields(before, after);
  const isSame = !before && !after ? true : Object.keys({ ...changed.before, ...changed.after }).length === 0;
  const record = isSame
    ? { before: null, after: describeRequest(operation, input, output) }
    : { before, after, hide: hideFor(schemaOf(operation)) };
  // The entry of an erasure must not keep what was deleted: only who was deleted, by whom and when.
  const isErasure = operation.audit === "erasure";
  await recordChange(ctx, {
    organizationId: caller.organizationId,
    environmentId: isInEnvironment(caller) ? caller.environmentId : undefined,
    actor: actorOf(caller),
    operation: operation.id,
    target: targetOf(input, output),
    targetName: isErasure
      ? null
      : findName(resourceOf(operation), input.params ?? {}, [after, before, recordIn(output), input.body]),
    subscriberId: subscriberOf(input, before, after, output),
    ...(isErasure ? {} : record),
    source,
  });
  return answer;
}

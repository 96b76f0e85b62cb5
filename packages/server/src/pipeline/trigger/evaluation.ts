// The outcome of each event of a request: refused with a status and its errors, or accepted and ready to be stored.
// Checks run in the order of the table in docs/trigger.md. Only reads: the dry run evaluates events in the same way.
import { type Priority, priorities, type TriggerEvent, type TriggerResult } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { generateTransactionId } from "../../lib/ids.ts";
import { type JsonObject, jsonBytes } from "../../lib/json.ts";
import { mapWithPauses } from "../../lib/load/pauses.ts";
import { searchValuesOf } from "../../lib/search-values.ts";
import { findAudiencesByKeys } from "../../store/audiences/audiences.ts";
import { findUsedTransactionIds, type NewEvent } from "../../store/events/events.ts";
import type { RefusedEntry } from "../../store/events/refused-events.ts";
import { findTenantIdentifiers, type TenantEntry } from "../../store/subscribers/tenants.ts";
import type { Audience, StartedBy, TenantFields } from "../../store/tables.ts";
import { findTriggerTargets, type TriggerTarget, type WorkflowRules } from "../../store/workflows/workflows.ts";
import { priorityOf } from "../attention/message-class.ts";
import { eventBridgeFault } from "../bridge/bridge-url.ts";
import { sealOverrides, sealRecipient } from "../encrypted-parts.ts";
import { attachmentFaults, type EventAttachment, extractAttachments } from "../rules/attachments.ts";
import { loadVersions } from "../run/versions.ts";
import { checkContext, contextKeysOf, type NamedContext } from "./contexts.ts";
import { fillPayloadDefaults, type PayloadFault, payloadFaults } from "./payload-faults.ts";
import { namedAudiences, readRecipient, readRecipients } from "./recipient-entries.ts";
import { checkTenant } from "./tenants.ts";

/** Bytes of JSON in one event's payload. */
const maxPayloadBytes = 524_288;

/** 413 for the whole request when one of its payloads is too large. */
export function checkPayloadSizes(events: TriggerEvent[]): void {
  for (const [index, event] of events.entries()) {
    if (!event.payload) continue;
    const size = jsonBytes(event.payload);
    if (size > maxPayloadBytes) {
      const which = `Event at index ${index} (${event.name})`;
      throw failure("PAYLOAD_TOO_LARGE", {
        detail: `${which} has a payload of ${size} bytes, the limit is ${maxPayloadBytes}`,
      });
    }
  }
}

/** An event and its request, which may have others. Requests are distinguished by identity. */
export type RequestedEvent = { request: Traced; event: TriggerEvent; carried?: Carried };

/** What an event that a step starts has from the event of its run. */
type Carried = { startedBy: StartedBy; contextKeys: string[]; tenantFields: TenantFields | null };

/** The environment whose workflows are triggered. */
export type EventPlace = Pick<Caller, "environmentId" | "environmentType">;

/**
 * What a request has in addition to its events. `trace`: its trace context (lib/trace-context.ts), if it belongs to a
 * trace. `mayRaisePriority`: its events may have a higher priority than their workflow.
 */
export type Traced = { trace?: string; mayRaisePriority?: boolean };

/** `result` is the item of the response. `accepted` is absent when the event was refused, or accepted before. */
type Verdict = {
  result: TriggerResult;
  accepted?: AcceptedEvent;
  /** The event of a workflow that is not active, to be stored for people who look for it. */
  refused?: RefusedEntry;
  /**
   * Why the workflow's payload schema refused the payload: a single trigger returns more than the texts in `result`.
   */
  payload?: { faults: PayloadFault[]; schema: JsonObject };
};

export type Evaluation = RequestedEvent & Verdict;

/** An event as it will be stored, with what it brings along. */
export type AcceptedEvent = {
  event: NewEvent;
  attachments: EventAttachment[] | null;
  /** What it is found by, at the search keys of its workflow. */
  searchValues: string[];
  contexts: NamedContext[];
  tenant: TenantEntry | undefined;
};

/** 404 or 400 where an item of a bulk request carries the error: the workflow or the payload is refused. */
export function throwIfRefused({ event, result, payload }: Evaluation): void {
  if (result.error?.[0] === "workflow_not_found") throw failure("WORKFLOW_NOT_FOUND", { workflowId: event.name });
  if (!payload) return;
  const faults = payload.faults.map(({ field, message }) => `${field}: ${message}`).join("; ");
  throw failure("PAYLOAD_VALIDATION_ERROR", { faults }, { errors: payload.faults, body: { schema: payload.schema } });
}

/**
 * `audience`: whom the events reach in addition to the recipients that they name. `targets`: the workflows, where they
 * are not stored.
 */
export async function evaluateEvents(
  ctx: Ctx,
  { environmentId, environmentType }: EventPlace,
  requested: RequestedEvent[],
  { audience, now, targets: given }: { audience: Audience | null; now: Date; targets?: TriggerTarget[] },
): Promise<Evaluation[]> {
  const isDevelopment = environmentType === "dev";
  const events = requested.map(({ event }) => event);
  const names = [...new Set(events.map((event) => event.name))];
  const targets = given ?? (await findTriggerTargets(ctx.db, environmentId, names));
  const byName = new Map(targets.map((target) => [target.workflow_id, target]));
  const transactionIds = events.flatMap((event) => event.transactionId ?? []);
  const used = await findUsedTransactionIds(ctx.db, environmentId, transactionIds);
  const namedTenants = events.flatMap(({ tenant }) => (typeof tenant === "string" ? tenant.trim() : []));
  const tenants = await findTenantIdentifiers(ctx.db, environmentId, [...new Set(namedTenants)]);
  const audiences = await findKnownAudiences(ctx, environmentId, events);
  const ranked = new Set(events.flatMap(({ name, priority }) => (priority === undefined ? [] : name)));
  const versions = await loadVersions(
    ctx,
    targets.flatMap(({ workflow_id, version_id }) => (ranked.has(workflow_id) ? version_id : [])),
  );

  return mapWithPauses(requested, ({ request, event, carried }): Evaluation => {
    const { transactionId } = event;
    if (transactionId !== undefined && used.has(transactionId))
      return { request, event, result: processed(transactionId) };
    const target = byName.get(event.name);
    const trace = request.trace ?? null;
    const { mayRaisePriority = false } = request;
    const rules = versions.get(target?.version_id ?? "")?.definition;
    const asked = { rules, mayRaisePriority };
    const known = { tenants, audiences };
    const around = { ctx, environmentId, isDevelopment, target, ...known, audience, now, trace, carried, asked };
    const evaluation = evaluateEvent(event, around);
    // A later event of this request with the same transaction id is a duplicate of this one.
    if (evaluation.accepted && transactionId !== undefined) used.add(transactionId);
    // Later events of this request may name the tenant that this event creates.
    if (evaluation.accepted?.tenant) tenants.add(evaluation.accepted.tenant.identifier);
    return { request, event, ...evaluation };
  });
}

/** Few events name an audience: the others cost no query. */
async function findKnownAudiences(ctx: Ctx, environmentId: string, events: TriggerEvent[]): Promise<Set<string>> {
  const named = [...new Set(events.flatMap(({ to }) => namedAudiences(to)))];
  return new Set((await findAudiencesByKeys(ctx.db, environmentId, named)).map((row) => row.audience_id));
}

const processed = (transactionId: string, error?: string[]): TriggerResult => ({
  acknowledged: true,
  status: "processed",
  transactionId,
  error: error?.length ? error : undefined,
});

type Surroundings = {
  ctx: Ctx;
  environmentId: string;
  isDevelopment: boolean;
  target: TriggerTarget | undefined;
  /** Identifiers of tenants that exist. */
  tenants: ReadonlySet<string>;
  /** Ids of audiences that exist. */
  audiences: ReadonlySet<string>;
  audience: Audience | null;
  now: Date;
  trace: string | null;
  carried: Carried | undefined;
  /** For an event with a priority. */
  asked: { rules: WorkflowRules | undefined; mayRaisePriority: boolean };
};

type Refusal = { status: TriggerResult["status"]; error: string[] };

function evaluateEvent(event: TriggerEvent, surroundings: Surroundings): Verdict {
  const { ctx, target, tenants, carried } = surroundings;
  const refuse = ({ status, error }: Refusal, transactionId = event.transactionId): Verdict => ({
    result: { acknowledged: true, status, error, transactionId },
  });
  if (!target) return refuse({ status: "error", error: ["workflow_not_found"] });
  const notRunnable = workflowRefusal(target);
  if (notRunnable) {
    const isOff = notRunnable.status === "trigger_not_active";
    return { ...refuse(notRunnable), ...(isOff && { refused: toRefused(event, target, surroundings) }) };
  }
  const payload = event.payload ?? {};
  const { payload_schema: schema } = target;
  const faults = target.validate_payload && schema ? payloadFaults(schema, payload) : [];
  if (!target.validate_payload && schema) fillPayloadDefaults(schema, payload);
  if (schema && faults.length > 0) {
    const error = faults.map(({ field, message }) => `Payload validation failed: ${field}: ${message}`);
    return { ...refuse({ status: "error", error }), payload: { faults, schema } };
  }
  const { tenant, faults: tenantFaults } = checkTenant(event.tenant);
  if (tenant && !tenant.entry && !tenants.has(tenant.identifier)) {
    return refuse({ status: "no_tenant_found", error: [`Tenant ${tenant.identifier.slice(0, 255)} not found`] });
  }
  const context = checkContext(event.context);
  const contextFaults = Object.values(context.faults).flatMap((fault) => fault.messages);
  const otherFaults = [...tenantFaults, ...contextFaults, ...attachmentFaults(payload)];
  if (otherFaults.length > 0) return refuse({ status: "error", error: otherFaults });

  const bridgeFault =
    event.bridgeUrl === undefined ? null : eventBridgeFault(event.bridgeUrl, surroundings.isDevelopment);
  if (bridgeFault) return refuse({ status: "error", error: [bridgeFault] });
  const rankFault = priorityFault(event.priority, surroundings.asked);
  if (rankFault) return refuse({ status: "error", error: [rankFault] });

  const id = ctx.newId();
  const transactionId = event.transactionId ?? generateTransactionId(id);
  const { valid, group, rejected } = readRecipients(event.to, surroundings.audiences);
  const audience = surroundings.audience ?? group;
  if (valid.length === 0 && !audience) {
    const error = rejected.length > 0 ? rejected : ["to must not be empty"];
    return refuse({ status: "invalid_recipients", error }, transactionId);
  }
  const actor = event.actor === undefined ? null : readRecipient(event.actor);
  if (actor?.fault) return refuse({ status: "error", error: [`Actor '${actor.id}' is not valid: ${actor.fault}`] });
  const stored = extractAttachments(payload);
  return {
    result: processed(transactionId, rejected),
    accepted: {
      event: {
        id,
        environment_id: surroundings.environmentId,
        transaction_id: transactionId,
        workflow_id: target.id,
        workflow_version_id: target.version_id,
        payload: stored.payload,
        overrides: sealOverrides(ctx.secrets, event.overrides ?? null),
        recipients: valid.map((recipient) => sealRecipient(ctx.secrets, recipient)),
        actor: actor?.recipient ? sealRecipient(ctx.secrets, actor.recipient) : null,
        audience,
        context_keys: carried?.contextKeys ?? contextKeysOf(context.entries),
        tenant: tenant?.identifier ?? null,
        tenant_fields: carried ? carried.tenantFields : tenantFields(tenant?.entry),
        bridge_url: event.bridgeUrl ?? null,
        trace_context: surroundings.trace,
        started_by: carried?.startedBy ?? null,
        supersede_key: event.supersedeKey ?? null,
        priority: event.priority ?? null,
        created_at: surroundings.now,
      },
      attachments: stored.attachments,
      searchValues: target.search_keys.length > 0 ? searchValuesOf(target.search_keys, stored.payload) : [],
      contexts: context.entries,
      tenant: tenant?.entry,
    },
  };
}

/**
 * The event as far as it can be read: nothing of it is checked, since it is not sent. Attachments are listed, their
 * files are not kept; contexts, tenant and subscribers are neither created nor changed.
 */
function toRefused(event: TriggerEvent, target: TriggerTarget, surroundings: Surroundings): RefusedEntry {
  const { ctx, environmentId, now, carried } = surroundings;
  const id = ctx.newId();
  const payload = event.payload ?? {};
  const { valid, group } = readRecipients(event.to, surroundings.audiences);
  const context = checkContext(event.context);
  const hasFaults = Object.keys(context.faults).length > 0;
  const actor = event.actor === undefined ? null : readRecipient(event.actor);
  const { tenant } = checkTenant(event.tenant);
  return {
    isGiven: event.transactionId !== undefined,
    event: {
      id,
      environment_id: environmentId,
      transaction_id: event.transactionId ?? generateTransactionId(id),
      workflow_id: target.id,
      workflow_version_id: target.version_id,
      payload: attachmentFaults(payload).length > 0 ? payload : extractAttachments(payload).payload,
      overrides: sealOverrides(ctx.secrets, event.overrides ?? null),
      recipients: valid.map((recipient) => sealRecipient(ctx.secrets, recipient)),
      actor: actor && !actor.fault ? sealRecipient(ctx.secrets, actor.recipient) : null,
      audience: surroundings.audience ?? group,
      context_keys: carried?.contextKeys ?? (hasFaults ? [] : contextKeysOf(context.entries)),
      tenant: tenant?.identifier ?? null,
      tenant_fields: null,
      bridge_url: null,
      trace_context: null,
      started_by: carried?.startedBy ?? null,
      supersede_key: event.supersedeKey ?? null,
      priority: event.priority ?? null,
      created_at: now,
      refusal: "workflow_inactive",
    },
  };
}

/** Null when the event may have the priority that it asks for. */
function priorityFault(priority: Priority | undefined, { rules, mayRaisePriority }: Surroundings["asked"]) {
  if (priority === undefined || mayRaisePriority || !rules) return null;
  const own = priorityOf(rules);
  if (priorities.indexOf(priority) >= priorities.indexOf(own)) return null;
  return (
    `priority: the workflow has priority ${own}, and this API key may not raise it to ${priority}; allow the key to ` +
    "raise priorities (environments.updateApiKey), or leave priority out"
  );
}

/** Null when the event only names its tenant. */
function tenantFields(entry: TenantEntry | undefined): TenantFields | null {
  if (entry?.name === undefined && entry?.data === undefined) return null;
  return { name: entry.name, data: entry.data };
}

/** Null when the workflow can run. */
function workflowRefusal({ name, active, step_count, active_step_count }: TriggerTarget): Refusal | null {
  if (!active) return { status: "trigger_not_active", error: [`Workflow ${name} is not active`] };
  if (step_count === 0) return { status: "no_workflow_steps_defined", error: [`Workflow ${name} has no steps`] };
  if (active_step_count === 0) {
    return { status: "no_workflow_active_steps_defined", error: [`Workflow ${name} has no active steps`] };
  }
  return null;
}

// Taking events in. Each event of a request is evaluated on its own, in the order of the table in docs/trigger.md; the
// accepted ones are stored together with their tasks for the pipeline, in the transaction of the request. After the answer
// nothing can be lost.
import type { Input, Output, TriggerEvent, TriggerResult } from "@tidings/contract";
import type { Caller, Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { jsonBytes } from "../../lib/json.ts";
import { mapWithPauses } from "../../lib/pauses.ts";
import { enqueueTimed } from "../../pipeline/clock/clock.ts";
import { sealOverrides, sealRecipient } from "../../pipeline/encrypted-parts.ts";
import { attachmentFaults, type EventAttachment, extractAttachments } from "../../pipeline/rules/attachments.ts";
import { triggerTasks } from "../../pipeline/trigger/trigger.ts";
import {
  claimTransactionIds,
  findUsedTransactionIds,
  insertEventAttachments,
  insertEvents,
  type NewEvent,
} from "../../store/events/events.ts";
import { resolveContexts } from "../../store/subscribers/contexts.ts";
import { findTenantIdentifiers, type TenantEntry, upsertTenants } from "../../store/subscribers/tenants.ts";
import type { Audience } from "../../store/tables.ts";
import { findTriggerTargets, type TriggerTarget } from "../../store/workflows/workflows.ts";
import { environmentClock } from "../environments/clock.ts";
import { contextKeysOf, judgeContext, type NamedContext } from "../subscribers/contexts.ts";
import { judgeTenant, mergeTenants } from "../subscribers/tenants.ts";
import { type PayloadFault, payloadFaults } from "../workflows/payload-schema.ts";
import { readRecipient, readRecipients } from "./recipients.ts";

/** Bytes of JSON in one event's payload. */
const payloadLimit = 524_288;

export async function triggerBulk(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"events.triggerBulk">,
): Promise<Output<"events.triggerBulk">> {
  checkRequest(body.events);
  return accept(ctx, caller, body.events);
}

export async function trigger(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"events.trigger">,
): Promise<Output<"events.trigger">> {
  return triggerOne(ctx, caller, body, null);
}

export async function broadcast(
  ctx: Ctx,
  caller: Caller,
  { body }: Input<"events.broadcast">,
): Promise<Output<"events.broadcast">> {
  return triggerOne(ctx, caller, { ...body, to: [] }, { kind: "everyone" });
}

/** A single event is refused where an item of a bulk request would carry the error. */
async function triggerOne(
  ctx: Ctx,
  caller: Caller,
  event: TriggerEvent,
  audience: Audience | null,
): Promise<TriggerResult> {
  checkRequest([event]);
  const verdict = noVerdict();
  const [result] = await accept(ctx, caller, [event], audience, verdict);
  throwIfRefused(event, result!, verdict);
  return result!;
}

/** The workflow does not exist, or its payload schema says no. */
export function throwIfRefused(event: TriggerEvent, result: TriggerResult, verdict: Verdict): void {
  if (result.error?.[0] === "workflow_not_found") throw failure("WORKFLOW_NOT_FOUND", { workflowId: event.name });
  if (verdict.faults.length === 0) return;
  const faults = verdict.faults.map(({ field, message }) => `${field}: ${message}`).join("; ");
  const extra = { errors: verdict.faults, body: { schema: verdict.schema } };
  throw failure("PAYLOAD_VALIDATION_ERROR", { faults }, extra);
}

/** What refuses the request as a whole: a payload that is too large. */
export function checkRequest(events: TriggerEvent[]): void {
  for (const [index, event] of events.entries()) {
    if (!event.payload) continue;
    const size = jsonBytes(event.payload);
    if (size > payloadLimit) {
      const which = `Event at index ${index} (${event.name})`;
      throw failure("PAYLOAD_TOO_LARGE", {
        detail: `${which} has a payload of ${size} bytes, the limit is ${payloadLimit}`,
      });
    }
  }
}

/** What a single trigger says about a payload beyond the texts in the item. */
export type Verdict = { faults: PayloadFault[]; schema: Record<string, unknown> | null };

export const noVerdict = (): Verdict => ({ faults: [], schema: null });

/** Without `event`, nothing comes of it: refused, or accepted before. */
export type Evaluated = {
  result: TriggerResult;
  event?: NewEvent;
  attachments?: EventAttachment[] | null;
  contexts?: NamedContext[];
  tenant?: TenantEntry;
};

async function accept(
  ctx: Ctx,
  caller: Caller,
  events: TriggerEvent[],
  audience: Audience | null = null,
  verdict = noVerdict(),
): Promise<TriggerResult[]> {
  const { environmentId } = caller;
  const clock = await environmentClock(ctx, caller);
  const now = clock.now(environmentId);
  const evaluated = await evaluateAll(ctx, caller, events, audience, now, verdict);
  const given = events.flatMap((event) => event.transactionId ?? []);
  const rows = evaluated.flatMap(({ event }) => event ?? []);
  const named = new Set(given);
  const claims = rows
    .filter((row) => named.has(row.transaction_id))
    .map((row) => ({ transaction_id: row.transaction_id, event_id: row.id }));
  const won = await claimTransactionIds(ctx.db, environmentId, claims);
  // Another request took the id in the meantime: the event was accepted there, nothing is sent again.
  const accepted = rows.filter((row) => !named.has(row.transaction_id) || won.has(row.id));
  const taken = evaluated.filter(({ event }) => event && accepted.includes(event));
  // Here and not in a worker: a context that an accepted event names can be read and changed at once.
  const contexts = new Map(
    taken
      .flatMap(({ contexts = [] }) => contexts)
      // The first one to name a context gives it its data.
      .reverse()
      .map((entry) => [`${entry.type}:${entry.id}`, entry]),
  );
  await resolveContexts(ctx.db, environmentId, [...contexts.values()], now);
  const brought = mergeTenants(taken.flatMap(({ tenant }) => tenant ?? []));
  await upsertTenants(ctx.db, environmentId, brought, now);
  await insertEvents(ctx.db, accepted);
  const files = taken.flatMap(({ event, attachments }) =>
    event && attachments ? { id: event.id, environment_id: environmentId, attachments } : [],
  );
  await insertEventAttachments(ctx.db, files);
  await enqueueTimed({ ...ctx, clock }, "trigger", triggerTasks(environmentId, accepted));
  const results = evaluated.map(({ result }) => result);
  for (const { status } of results) ctx.metrics.events.inc({ status });
  return results;
}

/** Each event as it would be stored, and its item of the answer. Only reads. */
export async function evaluateAll(
  ctx: Ctx,
  caller: Caller,
  events: TriggerEvent[],
  audience: Audience | null,
  now: Date,
  verdict: Verdict,
): Promise<Evaluated[]> {
  const { environmentId } = caller;
  const targets = await findTriggerTargets(ctx.db, environmentId, [...new Set(events.map((event) => event.name))]);
  const byName = new Map(targets.map((target) => [target.workflow_id, target]));
  const given = events.flatMap((event) => event.transactionId ?? []);
  const used = await findUsedTransactionIds(ctx.db, environmentId, given);
  const namedTenants = events.flatMap(({ tenant }) => (typeof tenant === "string" ? tenant.trim() : []));
  const tenants = await findTenantIdentifiers(ctx.db, environmentId, [...new Set(namedTenants)]);

  return mapWithPauses(events, (event): Evaluated => {
    const { transactionId } = event;
    if (transactionId !== undefined && used.has(transactionId)) return { result: processed(transactionId) };
    const known = { target: byName.get(event.name), tenants };
    const outcome = evaluate(ctx, caller, event, audience, known, now, verdict);
    // The same id again later in this request counts as accepted before.
    if (outcome.event && transactionId !== undefined) used.add(transactionId);
    // A tenant that this event brings with it is known to those behind it.
    if (outcome.tenant) tenants.add(outcome.tenant.identifier);
    return outcome;
  });
}

const processed = (transactionId: string, error?: string[]): TriggerResult => ({
  acknowledged: true,
  status: "processed",
  transactionId,
  error: error?.length ? error : undefined,
});

function evaluate(
  ctx: Ctx,
  caller: Caller,
  event: TriggerEvent,
  everyone: Audience | null,
  { target, tenants }: { target: TriggerTarget | undefined; tenants: ReadonlySet<string> },
  now: Date,
  verdict: Verdict,
): Evaluated {
  const refuse = (status: TriggerResult["status"], error: string[]): Evaluated => ({
    result: { acknowledged: true, status, error, transactionId: event.transactionId },
  });
  if (!target) return refuse("error", ["workflow_not_found"]);
  if (!target.active) return refuse("trigger_not_active", [`Workflow ${target.name} is not active`]);
  if (target.step_count === 0) return refuse("no_workflow_steps_defined", [`Workflow ${target.name} has no steps`]);
  if (target.active_step_count === 0) {
    return refuse("no_workflow_active_steps_defined", [`Workflow ${target.name} has no active steps`]);
  }
  const payload = event.payload ?? {};
  if (target.validate_payload && target.payload_schema) {
    const faults = payloadFaults(target.payload_schema, payload);
    if (faults.length > 0) {
      Object.assign(verdict, { faults, schema: target.payload_schema });
      return refuse(
        "error",
        faults.map(({ field, message }) => `Payload validation failed: ${field}: ${message}`),
      );
    }
  }
  const { tenant, faults: tenantFaults } = judgeTenant(event.tenant);
  if (tenant && !tenant.entry && !tenants.has(tenant.identifier)) {
    return refuse("no_tenant_found", [`Tenant ${tenant.identifier.slice(0, 255)} not found`]);
  }
  const context = judgeContext(event.context);
  const contextFaults = Object.values(context.faults).flatMap((fault) => fault.messages);
  const faults = [...tenantFaults, ...contextFaults, ...attachmentFaults(payload)];
  if (faults.length > 0) return refuse("error", faults);
  const id = ctx.newId();
  const transactionId = event.transactionId ?? `txn_${id.replaceAll("-", "")}`;
  const { valid, topics, rejected } = readRecipients(event.to);
  const audience = everyone ?? topics;
  if (valid.length === 0 && !audience) {
    const error = rejected.length > 0 ? rejected : ["to must not be empty"];
    return { result: { acknowledged: true, status: "invalid_recipients", error, transactionId } };
  }
  const actor = event.actor === undefined ? null : readRecipient(event.actor);
  if (actor?.fault) return refuse("error", [`Actor '${actor.id}' is not valid: ${actor.fault}`]);
  const stored = extractAttachments(payload);
  return {
    result: processed(transactionId, rejected),
    event: {
      id,
      environment_id: caller.environmentId,
      transaction_id: transactionId,
      workflow_id: target.id,
      workflow_version_id: target.version_id,
      payload: stored.payload,
      overrides: sealOverrides(ctx.secrets, event.overrides ?? null),
      recipients: valid.map((recipient) => sealRecipient(ctx.secrets, recipient)),
      actor: actor?.recipient ? sealRecipient(ctx.secrets, actor.recipient) : null,
      audience,
      context_keys: contextKeysOf(context.entries),
      tenant: tenant?.identifier ?? null,
      created_at: now,
    },
    attachments: stored.attachments,
    contexts: context.entries,
    tenant: tenant?.entry,
  };
}

// The common part of email, SMS, push and chat steps: they collect details, and end either with messages for the
// deliver stage or with one message that was not sent and holds the reason.
import { findProvider } from "@tidings/providers";
import type { JsonObject } from "../../lib/json.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import { RenderError } from "../render/liquid.ts";
import { type DetailName, detail } from "../rules/details.ts";
import { candidatesFor, reasonFor } from "../rules/integration-choice.ts";
import { OverrideError } from "../rules/override-fields.ts";
import { hasOwnOverrides, namedIntegration, overridesFor, type SendingChannel } from "../rules/overrides.ts";
import { templateScope } from "../rules/scope.ts";
import type { FilterScope } from "../rules/step-filters.ts";
import {
  type MessageDraft,
  newDraft,
  type ProviderExtras,
  type Routed,
  type StepInput,
  type StepResult,
} from "../run/run.ts";

type Particulars = Parameters<typeof detail>[2];
export type Note = (name: DetailName, particulars?: Particulars) => void;

/** Why nothing is sent: the error of the message and the detail of the job. */
export class CannotSendError extends Error {
  readonly detail: DetailName;
  readonly errorId: string;
  readonly status: "warning" | "error";
  readonly raw: JsonObject | undefined;
  /** The subscriber has no address for the channel: the step is skipped, it has not failed. */
  readonly isUnaddressed: boolean;
  /** `warning`: an integration or an address is missing. `error`: the content or an override is not valid. */
  constructor(
    errorText: string,
    reason: {
      detail: DetailName;
      errorId: string;
      status?: "warning" | "error";
      raw?: JsonObject;
      isUnaddressed?: boolean;
    },
  ) {
    super(errorText);
    this.detail = reason.detail;
    this.errorId = reason.errorId;
    this.status = reason.status ?? "warning";
    this.raw = reason.raw;
    this.isUnaddressed = reason.isUnaddressed ?? false;
  }
}

/** The subscriber has no address for the channel. */
export const unaddressed = (errorText: string, name: DetailName, errorId: string): CannotSendError =>
  new CannotSendError(errorText, { detail: name, errorId, isUnaddressed: true });

const errorPrefixes: Record<SendingChannel, string> = { email: "mail", sms: "sms", push: "push", chat: "chat" };

/**
 * The result of a step whose messages `make` drafts; CannotSendError, RenderError and OverrideError become a message
 * that was not sent.
 */
export function sendStep(
  { run, job, facts, now }: StepInput,
  channel: SendingChannel,
  make: (draft: MessageDraft, note: Note) => MessageDraft[],
): StepResult {
  const draft = newDraft(facts.newId(), job.id, channel);
  const details = [detail("start_sending", now)];
  const note: Note = (name, particulars) => details.push(detail(name, now, particulars));
  const { tenant } = run.event;
  if (tenant !== null) note("tenant_selected", { raw: { tenant } });
  try {
    const messages = make(draft, note);
    note("message_created", messages.length > 1 ? { raw: { messages: messages.length } } : {});
    note("step_queued");
    return { kind: "sending", messages, providerId: messages[0]!.providerId!, details };
  } catch (error) {
    const fault = toFault(error, channel);
    note(fault.detail, { raw: fault.raw });
    const { status, errorId, message: errorText } = fault;
    const message = { ...draft, outgoing: null, status, errorId, errorText };
    return { kind: fault.isUnaddressed ? "skipped" : "failed", details, message };
  }
}

function toFault(error: unknown, channel: SendingChannel): CannotSendError {
  if (error instanceof CannotSendError) return error;
  if (error instanceof RenderError) return renderFault(error);
  if (!(error instanceof OverrideError)) throw error;
  const reason = {
    detail: "override_invalid",
    errorId: `${errorPrefixes[channel]}_unexpected_error`,
    status: "error",
    raw: { reason: error.message },
  } as const;
  return new CannotSendError(`An override of the event is not valid: ${error.message}`, reason);
}

export function renderFault({ message, position }: RenderError): CannotSendError {
  const text = `Message content could not be rendered: ${[message, position].filter(Boolean).join(", ")}`;
  const raw = { reason: message, position };
  return new CannotSendError(text, { detail: "render_failed", errorId: "render_failed", status: "error", raw });
}

/** The scope for conditions of integrations, built only when an integration has some. */
const filterScope = (input: StepInput) => (): FilterScope => templateScope(input);

const noIntegration = (channel: SendingChannel, errorText: string, name: DetailName, raw?: JsonObject) =>
  new CannotSendError(errorText, { detail: name, errorId: `${channel}_missing_integration`, raw });

/** Email and SMS: the integrations to try, in order. The draft gets the first. */
export function chooseRoute(
  input: StepInput,
  channel: "email" | "sms",
  draft: MessageDraft,
  note: Note,
): IntegrationRow[] {
  const { run, job, facts } = input;
  const given = namedIntegration(run.event.overrides, channel, job.step.stepId);
  if (given !== undefined && typeof given !== "string") {
    throw new OverrideError("integrationIdentifier must be a string");
  }
  const route = candidatesFor(facts.integrations, run.environmentId, channel, {
    scopeOf: filterScope(input),
    named: given,
  });
  const [first] = route;
  if (!first && given !== undefined) {
    const text = `The integration ${JSON.stringify(given.slice(0, 100))} that the event names does not exist or is not active`;
    throw noIntegration(channel, text, "named_integration_missing", { integration: given.slice(0, 255) });
  }
  if (!first) throw noIntegration(channel, `No active ${channel} integration in this environment`, "no_integration");
  draft.integrationId = first.id;
  draft.providerId = first.provider_id;
  const raw = { identifier: first.identifier, reason: reasonFor(first, given) };
  note("integration_selected", { providerId: first.provider_id, raw });
  return route;
}

/**
 * Overrides may differ by provider, and failover decides only later which provider sends: `routed` makes the fields for
 * each provider with its own overrides, and the common ones for all others. `first`: the overrides of the first
 * integration.
 */
export function routedOverrides<O extends ProviderExtras>(
  { run, job }: StepInput,
  channel: "email" | "sms",
  route: IntegrationRow[],
  note: Note,
  read: (given: JsonObject) => O,
) {
  const { overrides } = run.event;
  const { stepId } = job.step;
  const readFor = (providerId: string | null) => read(overridesFor(overrides, channel, stepId, providerId));
  const providers = [...new Set(route.map((integration) => integration.provider_id))];
  const common = readFor(null);
  const own = new Map(
    providers.filter((id) => hasOwnOverrides(overrides, stepId, id)).map((id): [string, O] => [id, readFor(id)]),
  );
  const first = own.get(route[0]!.provider_id) ?? common;
  noteIgnoredExtras(note, route[0]!.provider_id, first);
  return {
    first,
    routed: <Fields>(fieldsFor: (override: O) => Fields): Routed<Fields> => ({
      ...fieldsFor(common),
      route: route.map((integration) => integration.id),
      perProvider:
        own.size > 0 ? Object.fromEntries([...own].map(([id, override]) => [id, fieldsFor(override)])) : undefined,
    }),
  };
}

/** At most this many are reported: an event can hold any number of members. */
const maxReported = 20;

/** Adds a detail for each override that the provider does not support. */
export function noteIgnoredExtras(note: Note, providerId: string, { extra = {}, passthrough }: ProviderExtras): void {
  const provider = findProvider(providerId);
  if (provider?.takesExtras !== false) return;
  const members = [...Object.keys(extra), ...(passthrough ? ["_passthrough"] : [])];
  for (const member of members.slice(0, maxReported)) {
    const raw = { override: member.slice(0, 200), reason: `${provider.name} has no place for it` };
    note("override_ignored", { providerId, raw });
  }
}

/** Push and chat use every integration that reaches the subscriber: a detail says that the named one is ignored. */
export function noteIgnoredIntegrationName(note: Note, providerId: string, given: JsonObject): void {
  if (given.integrationIdentifier === undefined) return;
  const reason = "every integration that reaches the subscriber sends";
  note("override_ignored", { providerId, raw: { override: "integrationIdentifier", reason } });
}

/** Each message is a row, an attempt and a provider call, so their number is limited. */
const maxMessages = 500;

type IntegrationContacts<C> = { integration: IntegrationRow; contacts: C[] };

/** Push and chat: one message for each device or chat of the subscriber, through every integration that has some. */
export function draftForAllContacts<C>(
  input: StepInput,
  channel: "push" | "chat",
  note: Note,
  options: {
    contactsOf: (integration: IntegrationRow) => C[];
    /** The error when no integration reaches the subscriber. */
    noContactFault: (integrations: IntegrationRow[]) => CannotSendError;
    messageOf: (integration: IntegrationRow) => (contact: C) => Partial<MessageDraft>;
  },
): MessageDraft[] {
  const { run, job, facts } = input;
  const active = candidatesFor(facts.integrations, run.environmentId, channel, { scopeOf: filterScope(input) });
  if (active.length === 0) {
    throw noIntegration(channel, `No active ${channel} integration in this environment`, "no_integration");
  }
  const reached = active
    .map((integration): IntegrationContacts<C> => ({ integration, contacts: options.contactsOf(integration) }))
    .filter(({ contacts }) => contacts.length > 0);
  if (reached.length === 0) throw options.noContactFault(active);
  for (const { integration, contacts } of reached) {
    const raw = { identifier: integration.identifier, reason: "the subscriber is reached through it" };
    note("integration_selected", { providerId: integration.provider_id, raw: { ...raw, messages: contacts.length } });
  }
  const count = reached.reduce((sum, { contacts }) => sum + contacts.length, 0);
  if (count > maxMessages) {
    const raw = { reason: `only the first ${maxMessages} of ${count} places are used` };
    note(channel === "push" ? "some_devices_failed" : "some_chats_failed", { raw });
  }
  const messages = reached.flatMap(({ integration, contacts }) => {
    const messageOf = options.messageOf(integration);
    const chosen = { integrationId: integration.id, providerId: integration.provider_id };
    return contacts.map((contact) => ({
      ...newDraft(facts.newId(), job.id, channel),
      ...chosen,
      ...messageOf(contact),
    }));
  });
  return messages.slice(0, maxMessages);
}

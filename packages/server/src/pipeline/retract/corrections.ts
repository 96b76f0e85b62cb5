// The correction of a retraction: rendered for each recipient, and sent through channels that cannot unsend.
import type { Correction } from "@tidings/contract";
import { withinBudget } from "../../lib/work.ts";
import { runInserts } from "../../store/bulk.ts";
import { findEvents } from "../../store/events/events.ts";
import { messageInsert, type NewMessage } from "../../store/messages/messages.batch.ts";
import type { MessageRow } from "../../store/messages/messages.ts";
import { findSubscribersByIds } from "../../store/subscribers/subscribers.ts";
import type { Batch } from "../batch.ts";
import { enqueueTimed } from "../clock/clock.ts";
import { sealMessage } from "../encrypted-parts.ts";
import { escapeHtml } from "../render/block-parts.ts";
import { RenderError, render } from "../render/liquid.ts";
import { clockScope, subscriberScope, workflowScope } from "../rules/scope.ts";
import { groupDeliveries } from "../run/deliveries.ts";
import { loadVersions } from "../run/versions.ts";

/** `html`: the text with its line breaks, for email and in-app messages. */
export type RenderedCorrection = { subject: string | null; text: string; html: string };
type Fault = { fault: string; field: "body" | "subject" };

type Recipient = { event_id: string; subscriber_id: string };

/** Renders the correction for recipients of events of one environment; those who were deleted have no subscriber. */
export async function prepareCorrections(
  batch: Batch,
  environmentId: string,
  correction: Correction,
  recipients: Recipient[],
): Promise<(recipient: Recipient) => RenderedCorrection | Fault> {
  const events = await findEvents(batch.db, environmentId, [...new Set(recipients.map((one) => one.event_id))]);
  const byEvent = new Map(events.map((event) => [event.id, event]));
  const versions = await loadVersions(
    batch,
    events.map((event) => event.workflow_version_id),
  );
  const subscribers = await findSubscribersByIds(batch.db, environmentId, [
    ...new Set(recipients.map((one) => one.subscriber_id)),
  ]);
  const bySubscriber = new Map(subscribers.map((row) => [row.id, row]));
  const now = batch.clock.now(environmentId);
  return ({ event_id, subscriber_id }) => {
    const event = byEvent.get(event_id);
    const subscriber = bySubscriber.get(subscriber_id) ?? null;
    const version = event && versions.get(event.workflow_version_id);
    return renderCorrection(correction, {
      payload: event?.payload ?? {},
      subscriber: subscriberScope(subscriber),
      workflow: version ? workflowScope(version.definition) : null,
      ...clockScope(subscriber?.timezone, batch.config.defaultTimezone, now),
    });
  };
}

function renderCorrection({ subject, body }: Correction, scope: object): RenderedCorrection | Fault {
  const text = renderText(body, scope, "body");
  if (typeof text !== "string") return text;
  const title = subject === undefined ? null : renderText(subject, scope, "subject");
  if (title !== null && typeof title !== "string") return title;
  return { subject: title, text, html: toHtml(text) };
}

function renderText(template: string, scope: object, field: Fault["field"]): string | Fault {
  try {
    return withinBudget(() => render(template, scope, "text"));
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return { fault: [error.message, error.position].filter(Boolean).join(", "), field };
  }
}

const toHtml = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll("\n", "<br>")}</p>`)
    .join("");

/** A message that stays, and the correction of it for its recipient. */
export type Corrected = { message: MessageRow; rendered: RenderedCorrection };

/** Stores a message with the correction for each message that stays, to the same address, and enqueues it. */
export async function sendCorrections(batch: Batch, environmentId: string, corrected: Corrected[]): Promise<void> {
  if (corrected.length === 0) return;
  const now = batch.clock.now(environmentId);
  const messages = corrected.map((one) => toMessage(batch, one, now));
  await runInserts(batch.db, [messageInsert(messages.map((message) => sealMessage(batch.secrets, message)))]);
  const deliveries = messages.map(({ id, integration_id }) => ({
    environmentId,
    lane: integration_id ?? undefined,
    messageId: id,
  }));
  await enqueueTimed(batch, "deliver", groupDeliveries(deliveries));
}

function toMessage({ newId }: Batch, { message, rendered }: Corrected, now: Date): NewMessage {
  const { channel } = message;
  return {
    id: newId(),
    environment_id: message.environment_id,
    notification_id: message.notification_id,
    event_id: message.event_id,
    job_id: message.job_id,
    subscriber_id: message.subscriber_id,
    workflow_id: message.workflow_id,
    channel,
    provider_id: message.provider_id,
    integration_id: message.integration_id,
    status: "pending",
    error_id: null,
    error_text: null,
    subject: channel === "email" || channel === "push" ? (rendered.subject ?? message.subject) : null,
    content: channel === "email" ? rendered.html : rendered.text,
    cta: null,
    data: null,
    actor: null,
    address: message.address,
    outgoing: outgoingOf(message, rendered),
    context_keys: message.context_keys,
    expires_at: null,
    severity: null,
    created_at: now,
    updated_at: now,
  };
}

/** What the provider call needs, as the step would have made it, without overrides of the event. */
function outgoingOf(message: MessageRow, { text }: RenderedCorrection): Record<string, unknown> {
  const { channel, address, recipients, integration_id, outgoing } = message;
  const route = [integration_id];
  if (channel === "email") return { to: recipients ?? [address], text, route };
  if (channel === "sms") return { to: address, route };
  if (channel === "push") return { token: address };
  return { target: outgoing?.target };
}

// What the audit log keeps of a request. Events, imports and lists of subscribers hold data of many subscribers, and
// payloads hold one-time codes: of these the log has what the request was about, and no content.
import { isJsonObject, type JsonObject, type Operation, type OperationId, readsOnly } from "@tidings/contract";
import { maxFieldLength } from "../../pipeline/effects/audited-fields.ts";
import { hideFor } from "./audit.ts";

type Form = (body: JsonObject, output: unknown) => unknown;

/** Kept entries of a list. */
const maxNamed = 100;

function recipientOf(to: unknown): unknown {
  if (!isJsonObject(to)) return to;
  return "topicKey" in to ? { topicKey: to.topicKey } : to.subscriberId;
}

/** Workflow, recipients and transaction id; `output`: the result of the event. */
function describeEvent({ name, to, transactionId }: JsonObject, output: unknown): JsonObject {
  const recipients = to === undefined ? [] : [to].flat();
  return {
    workflow: name,
    ...(recipients.length > 0 && { to: recipients.slice(0, maxNamed).map(recipientOf) }),
    ...(recipients.length > maxNamed && { recipients: recipients.length }),
    transactionId: isJsonObject(output) ? output.transactionId : transactionId,
  };
}

/** Method, masked address, and the status of the response. */
function describeSentRequest(output: unknown): JsonObject {
  const { request, response } = isJsonObject(output) && isJsonObject(output.data) ? output.data : {};
  return {
    ...(isJsonObject(request) && { method: request.method, url: request.url }),
    ...(isJsonObject(response) && { status: response.status }),
  };
}

const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

const forms: Partial<Record<OperationId, Form>> = {
  "events.trigger": describeEvent,
  "events.broadcast": describeEvent,
  "events.triggerBulk": ({ events }, output) => {
    const answers = Array.isArray(output) ? output : [];
    return {
      events: listOf(events)
        .slice(0, maxNamed)
        .map((event, index) => describeEvent(event, answers[index])),
      count: listOf(events).length,
    };
  },
  "workflows.test": ({ to }, output) => describeEvent({ to }, output),
  // Headers and payloads may hold secrets.
  "workflows.sendRequest": ({ subscriberId }, output) => ({ subscriberId, ...describeSentRequest(output) }),
  "subscribers.createBulk": ({ subscribers }) => ({
    subscriberIds: listOf(subscribers).map(({ subscriberId }) => subscriberId),
  }),
  "assets.create": ({ file }, output) => ({
    fileName: isJsonObject(file) ? file.fileName : undefined,
    url: isJsonObject(output) ? output.url : undefined,
  }),
  "imports.create": ({ csv, ...rest }) => ({ ...rest, characters: String(csv).length }),
  "deadLetterReplays.create": ({ payload, ...rest }) => ({ ...rest, hasOtherPayload: payload !== undefined }),
};

/** Long texts are cut before they are compared and stored. */
const shortened = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === "string" && value.length > maxFieldLength ? `${value.slice(0, 200)}…` : value,
    ]),
  );

type Sent = { query?: JsonObject; body?: unknown };

/**
 * The request, or the response to a request without a body; null when there is neither. What is only read is not kept.
 */
export function describeRequest(operation: Operation, { query, body }: Sent, output: unknown): JsonObject | null {
  if (readsOnly(operation)) return { request: query };
  const form = forms[operation.id as OperationId];
  if (isJsonObject(body)) {
    return { request: form ? form(body, output) : hideFor(operation.body)(shortened(body)) };
  }
  return isJsonObject(output) ? { answer: hideFor(operation.success.schema)(output) } : null;
}

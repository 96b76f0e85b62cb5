// The members that Novu adds to the body of a generic webhook: the payload of the event, the subscriber, and the events
// of a digest. Loaded only for those providers, and only where TIDINGS_VOCABULARY asks for Novu.
import type { PeerDetails } from "@tidings/providers";
import type { Ctx } from "../../context.ts";
import type { JsonObject } from "../../lib/json.ts";
import { findEventsOfBatch } from "../../store/events/events.batch.ts";
import { findJobsOfBatch } from "../../store/events/jobs.batch.ts";
import type { IntegrationRow } from "../../store/integrations/integrations.ts";
import type { MessageRow } from "../../store/messages/messages.ts";
import { findSubscribersByIds } from "../../store/subscribers/subscribers.ts";
import { readStoredDigest } from "../rules/grouping.ts";
import { subscriberScope } from "../rules/scope.ts";

const genericWebhooks = new Set(["email-webhook", "push-webhook", "chat-webhook"]);

/** Attachments of a mail are sent once, as attachments. */
const withoutAttachments = ({ attachments: _, ...payload }: JsonObject) => payload;

/** By message id; empty in the neutral vocabulary. */
export async function loadPeerDetails(
  { config, db }: Ctx,
  sends: { message: MessageRow; integration: IntegrationRow }[],
): Promise<Map<string, PeerDetails>> {
  const messages = sends.flatMap(({ message, integration }) =>
    genericWebhooks.has(integration.provider_id) ? message : [],
  );
  if (config.vocabulary === "neutral" || messages.length === 0) return new Map();
  const subscribers = new Map<string, PeerDetails["subscriber"]>();
  for (const [environmentId, group] of Map.groupBy(messages, (one) => one.environment_id)) {
    const ids = [...new Set(group.map((one) => one.subscriber_id))];
    for (const row of await findSubscribersByIds(db, environmentId, ids)) {
      subscribers.set(row.id, { _id: row.id, ...subscriberScope(row) });
    }
  }
  const jobs = Map.groupBy(await findJobsOfBatch(db, messages), (job) => job.notification_id);
  const digests = new Map(
    messages.flatMap(({ id, environment_id, notification_id, job_id }) => {
      const all = jobs.get(notification_id) ?? [];
      const own = all.find((job) => job.id === job_id)?.step_index ?? 0;
      const latest = all
        .filter((job) => job.type === "digest" && job.output !== null && job.step_index < own)
        .toSorted((a, b) => b.step_index - a.step_index)[0];
      return latest ? [[id, { environment_id, ...readStoredDigest(latest.output) }] as const] : [];
    }),
  );
  const own = messages.map(({ environment_id, event_id }) => ({ environment_id, id: event_id }));
  const collected = [...digests.values()].flatMap(({ environment_id, refs }) =>
    refs.map(({ id }) => ({ environment_id, id })),
  );
  const events = await findEventsOfBatch(db, [...own, ...collected]);
  const payloads = new Map(events.map(({ id, payload }) => [id, withoutAttachments(payload)]));
  return new Map(
    messages.map(({ id, event_id, subscriber_id }) => {
      const digest = digests.get(id);
      const step = digest
        ? { digest: true, events: digest.refs.map((ref) => payloads.get(ref.id) ?? {}), total_count: digest.eventCount }
        : { digest: false };
      return [id, { payload: payloads.get(event_id) ?? {}, subscriber: subscribers.get(subscriber_id), step }];
    }),
  );
}

// What each operation says to a caller who names things of another environment.
import type { Operation, OperationId } from "@tidings/contract";

/** Operations that name things of other environments and return something other than 404, and why. */
export const exceptions: Partial<Record<OperationId, { status: number; reason: string; writes?: true }>> = {
  "signals.send": { status: 201, reason: "an unknown subscriber is named in the response" },
  "signals.sendBulk": { status: 201, reason: "as above" },
  "events.cancel": { status: 200, reason: "an unknown transaction has nothing waiting" },
  "topicSubscriptions.create": { status: 201, reason: "the topic is created where it does not exist; entries fail" },
  "environments.update": { status: 403, reason: "environments of the organisation are known to all its keys" },
  "environments.listTags": { status: 403, reason: "as above" },
  "environments.retrieveClock": { status: 403, reason: "as above" },
  "environments.updateClock": { status: 403, reason: "as above" },
  "environments.retrieveTimeline": { status: 403, reason: "as above" },
  "retention.retrieve": { status: 403, reason: "as above" },
  "retention.update": { status: 403, reason: "as above" },
  "retention.preview": { status: 403, reason: "as above" },
  "environments.createApiKey": { status: 403, reason: "as above" },
  "environments.updateApiKey": { status: 403, reason: "as above" },
  "environments.revokeApiKey": { status: 403, reason: "as above" },
  "environments.delete": { status: 403, reason: "as above" },
  "environments.diff": { status: 403, reason: "as above" },
  "environments.publish": { status: 403, reason: "as above" },
  "environments.listPublishes": { status: 403, reason: "as above" },
  "environments.retrievePublish": { status: 403, reason: "as above" },
  "environments.planRestore": { status: 403, reason: "as above" },
  "environments.restorePublish": { status: 403, reason: "as above" },
  "workflows.sync": { status: 403, reason: "as above: it names the environment it writes to" },
  "inboundWebhooks.receive": { status: 200, reason: "no key: who can sign may report", writes: true },
  "inboundWebhooks.receiveByGet": { status: 200, reason: "as above", writes: true },
  "inbox.listSubscriptions": { status: 200, reason: "of an unknown topic there are none" },
  "inbox.createSubscription": { status: 201, reason: "the topic is created where it does not exist" },
  "inbox.retrieveSubscription": { status: 204, reason: "existing clients read this as none" },
  "inbox.unsubscribeWebPush": { status: 204, reason: "a browser that is not subscribed is no error" },
  "gallery.retrieve": { status: 200, reason: "the gallery is the same everywhere" },
  "gallery.use": { status: 201, reason: "as above: it creates a workflow of the caller" },
  "inbox.openSession": { status: 201, reason: "no key: in development, a session is open to all", writes: true },
};

/** Bodies without a path that name things of the environment: they have to be unknown too. */
const refusedBodies: Partial<Record<OperationId, number>> = {
  "audiences.create": 422,
  "broadcasts.create": 422,
  "events.trigger": 404,
  "events.broadcast": 404,
  "explain.retrieve": 404,
  "explain.dryRun": 404,
  "scenarios.export": 404,
  "workflows.preview": 404,
  "subscribers.match": 404,
  "translations.create": 404,
  "translations.upload": 404,
  "integrations.createChatOauthUrl": 404,
  "channelConnections.create": 404,
  "channelEndpoints.create": 404,
  "inbox.createToken": 404,
  "inbox.bulkUpdatePreferences": 404,
  "inbox.createConnection": 404,
  "inbox.createEndpoint": 404,
  "inbox.createConnectionOauthUrl": 404,
  "inbox.createEndpointOauthUrl": 404,
  "inbox.createChatOauthUrl": 404,
  "inbox.linkEndpoint": 404,
};

/** They show or change what is not the caller's alone. */
export const reachesOthers = new Set<string>([
  "environments.list",
  "inbox.openSession",
  "inboundWebhooks.receive",
  "inboundWebhooks.receiveByGet",
]);

/** The status of a request that names things of another environment; undefined where it is not the same for all. */
export const expectedOf = ({ id, params }: Operation): number | undefined =>
  exceptions[id as OperationId]?.status ?? (params !== undefined ? 404 : refusedBodies[id as OperationId]);

/** A request that finds nothing changes nothing anywhere; others may change the caller's own environment. */
export const changesNothing = (operation: Operation): boolean => [403, 404].includes(expectedOf(operation) ?? 0);

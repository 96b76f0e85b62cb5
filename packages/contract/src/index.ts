export * from "./call-input.ts";
export * from "./common.ts";
export * from "./errors.ts";
export * from "./exports.ts";
export * from "./openapi.ts";
export * from "./openapi-types.ts";
export * from "./operation.ts";
export * from "./operations.ts";
export * from "./permissions.ts";
export * from "./provider-ids.ts";
export * from "./resources/activity/activity.ts";
export * from "./resources/activity/statistics.ts";
export * from "./resources/channels/channel-connections.ts";
export * from "./resources/channels/channel-endpoints.ts";
export * from "./resources/channels/inbound-webhooks.ts";
export * from "./resources/channels/integrations.ts";
export * from "./resources/channels/providers.ts";
export * from "./resources/events/captured.ts";
export * from "./resources/events/events.ts";
export * from "./resources/events/explain.ts";
export * from "./resources/events/messages.ts";
export * from "./resources/events/notifications.ts";
export * from "./resources/events/scenarios.ts";
export * from "./resources/inbox/inbox-channels.ts";
export * from "./resources/inbox/inbox-notifications.ts";
export * from "./resources/inbox/inbox-oauth.ts";
export * from "./resources/inbox/inbox-preferences.ts";
export * from "./resources/inbox/inbox-subscriptions.ts";
export * from "./resources/inbox/inbox-web-push.ts";
export * from "./resources/inbox/notification.ts";
export * from "./resources/inbox/session.ts";
export * from "./resources/inbox/subscriber-notifications.ts";
export * from "./resources/members/audit-log.ts";
export * from "./resources/members/auth.ts";
export * from "./resources/members/members.ts";
export * from "./resources/operate/alert-kinds.ts";
export * from "./resources/operate/alert-rules.ts";
export * from "./resources/operate/alerts.ts";
export * from "./resources/operate/dead-letter-replays.ts";
export * from "./resources/operate/dead-letters.ts";
export * from "./resources/operate/environments.ts";
export * from "./resources/operate/failed-tasks.ts";
export * from "./resources/operate/inbound-receipts.ts";
export * from "./resources/operate/retention.ts";
export * from "./resources/operate/system.ts";
export * from "./resources/operate/timeline.ts";
export * from "./resources/operate/webhooks.ts";
export * from "./resources/subscribers/erasures.ts";
export * from "./resources/subscribers/feed.ts";
export * from "./resources/subscribers/imports.ts";
export * from "./resources/subscribers/message-marks.ts";
export * from "./resources/subscribers/preferences.ts";
export * from "./resources/subscribers/subscriber-credentials.ts";
export * from "./resources/subscribers/subscribers.ts";
export * from "./resources/subscribers/suppressions.ts";
export * from "./resources/topics/contexts.ts";
export * from "./resources/topics/topic-subscription-input.ts";
export * from "./resources/topics/topic-subscriptions.ts";
export * from "./resources/topics/topics.ts";
export * from "./resources/workflows/bridge.ts";
export * from "./resources/workflows/digests.ts";
export * from "./resources/workflows/files.ts";
export * from "./resources/workflows/filters.ts";
export * from "./resources/workflows/issues.ts";
export * from "./resources/workflows/layout-controls.ts";
export * from "./resources/workflows/layouts.ts";
export * from "./resources/workflows/objectives.ts";
export * from "./resources/workflows/previews.ts";
export * from "./resources/workflows/publishes.ts";
export * from "./resources/workflows/publishing.ts";
export * from "./resources/workflows/tests.ts";
export * from "./resources/workflows/translations.ts";
export * from "./resources/workflows/versions.ts";
export * from "./resources/workflows/workflows.ts";
export * from "./roles.ts";
export { isJsonObject, type JsonObject, type RawRequest, type Static, type UploadedFile } from "./schema.ts";
export * from "./secrets.ts";
export {
  closed,
  type ResultStatus,
  resultStatuses,
  type StepDefinition,
  type StepKind,
  type TimeUnit,
  timeUnits,
} from "./steps/kit.ts";
export { stepDefinitions, waitingSteps } from "./steps/registry.gen.ts";

// Every operation of the service, by id.
import type { InputOf, OutputOf } from "./operation.ts";
import { activityOperations } from "./resources/activity/activity.ts";
import { statisticsOperations } from "./resources/activity/statistics.ts";
import { audienceOperations } from "./resources/audiences/audiences.ts";
import { audienceMemberOperations } from "./resources/audiences/members.ts";
import { backtestOperations } from "./resources/backtests/backtests.ts";
import { broadcastCheckOperations } from "./resources/broadcasts/broadcast-checks.ts";
import { broadcastResultOperations } from "./resources/broadcasts/broadcast-results.ts";
import { broadcastOperations } from "./resources/broadcasts/broadcasts.ts";
import { channelConnectionOperations } from "./resources/channels/channel-connections.ts";
import { channelEndpointOperations } from "./resources/channels/channel-endpoints.ts";
import { inboundWebhookOperations } from "./resources/channels/inbound-webhooks.ts";
import { integrationOperations } from "./resources/channels/integrations.ts";
import { providerOperations } from "./resources/channels/providers.ts";
import { capturedOperations } from "./resources/events/captured.ts";
import { eventOperations } from "./resources/events/events.ts";
import { explainOperations } from "./resources/events/explain.ts";
import { messageOperations } from "./resources/events/messages.ts";
import { notificationOperations } from "./resources/events/notifications.ts";
import { retractionOperations } from "./resources/events/retractions.ts";
import { scenarioOperations } from "./resources/events/scenarios.ts";
import { signalOperations } from "./resources/events/signals.ts";
import { inboxAttentionOperations } from "./resources/inbox/inbox-attention.ts";
import { inboxChannelOperations } from "./resources/inbox/inbox-channels.ts";
import { inboxNotificationOperations } from "./resources/inbox/inbox-notifications.ts";
import { inboxOauthOperations } from "./resources/inbox/inbox-oauth.ts";
import { inboxPreferenceOperations } from "./resources/inbox/inbox-preferences.ts";
import { inboxSubscriptionOperations } from "./resources/inbox/inbox-subscriptions.ts";
import { inboxWebPushOperations } from "./resources/inbox/inbox-web-push.ts";
import { inboxSessionOperations } from "./resources/inbox/session.ts";
import { subscriberNotificationOperations } from "./resources/inbox/subscriber-notifications.ts";
import { auditLogOperations } from "./resources/members/audit-log.ts";
import { authOperations } from "./resources/members/auth.ts";
import { memberOperations } from "./resources/members/members.ts";
import { alertRuleOperations } from "./resources/operate/alert-rules.ts";
import { alertOperations } from "./resources/operate/alerts.ts";
import { apiKeyOperations } from "./resources/operate/api-keys.ts";
import { attentionOperations } from "./resources/operate/attention.ts";
import { deadLetterReplayOperations } from "./resources/operate/dead-letter-replays.ts";
import { deadLetterOperations } from "./resources/operate/dead-letters.ts";
import { environmentVariableOperations } from "./resources/operate/environment-variables.ts";
import { environmentOperations } from "./resources/operate/environments.ts";
import { failedTaskOperations } from "./resources/operate/failed-tasks.ts";
import { inboundReceiptOperations } from "./resources/operate/inbound-receipts.ts";
import { retentionOperations } from "./resources/operate/retention.ts";
import { sourceOperations } from "./resources/operate/sources.ts";
import { systemOperations } from "./resources/operate/system.ts";
import { timelineOperations } from "./resources/operate/timeline.ts";
import { webhookOperations } from "./resources/operate/webhooks.ts";
import { categoryOperations } from "./resources/subscribers/categories.ts";
import { erasureOperations } from "./resources/subscribers/erasures.ts";
import { feedOperations } from "./resources/subscribers/feed.ts";
import { importOperations } from "./resources/subscribers/imports.ts";
import { matchOperations } from "./resources/subscribers/match.ts";
import { messageMarkOperations } from "./resources/subscribers/message-marks.ts";
import { preferenceOperations } from "./resources/subscribers/preferences.ts";
import { subscriberAttentionOperations } from "./resources/subscribers/subscriber-attention.ts";
import { subscriberCredentialOperations } from "./resources/subscribers/subscriber-credentials.ts";
import { subscriberOperations } from "./resources/subscribers/subscribers.ts";
import { suppressionOperations } from "./resources/subscribers/suppressions.ts";
import { contextOperations } from "./resources/topics/contexts.ts";
import { topicSubscriptionOperations } from "./resources/topics/topic-subscriptions.ts";
import { topicOperations } from "./resources/topics/topics.ts";
import { assetOperations } from "./resources/workflows/assets.ts";
import { brandOperations } from "./resources/workflows/brand.ts";
import { bridgeOperations } from "./resources/workflows/bridge.ts";
import { commentOperations } from "./resources/workflows/comments.ts";
import { digestOperations } from "./resources/workflows/digests.ts";
import { experimentOperations } from "./resources/workflows/experiments.ts";
import { fileOperations } from "./resources/workflows/files.ts";
import { galleryOperations } from "./resources/workflows/gallery.ts";
import { layoutOperations } from "./resources/workflows/layouts.ts";
import { objectiveOperations } from "./resources/workflows/objectives.ts";
import { previewOperations } from "./resources/workflows/previews.ts";
import { publishOperations } from "./resources/workflows/publishes.ts";
import { publishingOperations } from "./resources/workflows/publishing.ts";
import { stepRequestOperations } from "./resources/workflows/requests.ts";
import { stepTemplateOperations } from "./resources/workflows/step-templates.ts";
import { workflowTestOperations } from "./resources/workflows/tests.ts";
import { translationOperations } from "./resources/workflows/translations.ts";
import { versionOperations } from "./resources/workflows/versions.ts";
import { workflowOperations } from "./resources/workflows/workflows.ts";

export const operations = {
  ...eventOperations,
  ...explainOperations,
  ...retractionOperations,
  ...audienceOperations,
  ...audienceMemberOperations,
  ...broadcastOperations,
  ...broadcastCheckOperations,
  ...broadcastResultOperations,
  ...backtestOperations,
  ...signalOperations,
  ...scenarioOperations,
  ...notificationOperations,
  ...messageOperations,
  ...activityOperations,
  ...statisticsOperations,
  ...workflowOperations,
  ...objectiveOperations,
  ...experimentOperations,
  ...previewOperations,
  ...workflowTestOperations,
  ...stepRequestOperations,
  ...versionOperations,
  ...bridgeOperations,
  ...commentOperations,
  ...stepTemplateOperations,
  ...digestOperations,
  ...layoutOperations,
  ...assetOperations,
  ...brandOperations,
  ...galleryOperations,
  ...translationOperations,
  ...fileOperations,
  ...subscriberOperations,
  ...subscriberCredentialOperations,
  ...erasureOperations,
  ...importOperations,
  ...preferenceOperations,
  ...subscriberAttentionOperations,
  ...categoryOperations,
  ...matchOperations,
  ...messageMarkOperations,
  ...feedOperations,
  ...subscriberNotificationOperations,
  ...inboxSessionOperations,
  ...inboxNotificationOperations,
  ...inboxPreferenceOperations,
  ...inboxAttentionOperations,
  ...inboxSubscriptionOperations,
  ...inboxChannelOperations,
  ...inboxOauthOperations,
  ...inboxWebPushOperations,
  ...topicOperations,
  ...topicSubscriptionOperations,
  ...contextOperations,
  ...integrationOperations,
  ...providerOperations,
  ...channelConnectionOperations,
  ...channelEndpointOperations,
  ...environmentOperations,
  ...apiKeyOperations,
  ...environmentVariableOperations,
  ...timelineOperations,
  ...retentionOperations,
  ...publishingOperations,
  ...publishOperations,
  ...webhookOperations,
  ...sourceOperations,
  ...inboundWebhookOperations,
  ...inboundReceiptOperations,
  ...suppressionOperations,
  ...capturedOperations,
  ...deadLetterOperations,
  ...attentionOperations,
  ...deadLetterReplayOperations,
  ...failedTaskOperations,
  ...alertRuleOperations,
  ...alertOperations,
  ...authOperations,
  ...memberOperations,
  ...auditLogOperations,
  ...systemOperations,
};

export type Operations = typeof operations;
export type OperationId = keyof Operations;
export type Input<Id extends OperationId> = InputOf<Operations[Id]>;
export type Output<Id extends OperationId> = OutputOf<Operations[Id]>;

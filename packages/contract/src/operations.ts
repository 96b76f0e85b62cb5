// Every operation of the service, by id.
import type { InputOf, OutputOf } from "./operation.ts";
import { capturedOperations } from "./resources/captured.ts";
import { channelConnectionOperations } from "./resources/channel-connections.ts";
import { channelEndpointOperations } from "./resources/channel-endpoints.ts";
import { contextOperations } from "./resources/contexts.ts";
import { deadLetterOperations } from "./resources/dead-letters.ts";
import { digestOperations } from "./resources/digests.ts";
import { environmentOperations } from "./resources/environments.ts";
import { eventOperations } from "./resources/events.ts";
import { explainOperations } from "./resources/explain.ts";
import { failedTaskOperations } from "./resources/failed-tasks.ts";
import { feedOperations } from "./resources/feed.ts";
import { inboundWebhookOperations } from "./resources/inbound-webhooks.ts";
import { integrationOperations } from "./resources/integrations.ts";
import { layoutOperations } from "./resources/layouts.ts";
import { messageMarkOperations } from "./resources/message-marks.ts";
import { messageOperations } from "./resources/messages.ts";
import { notificationOperations } from "./resources/notifications.ts";
import { preferenceOperations } from "./resources/preferences.ts";
import { providerOperations } from "./resources/providers.ts";
import { publishingOperations } from "./resources/publishing.ts";
import { subscriberCredentialOperations } from "./resources/subscriber-credentials.ts";
import { subscriberNotificationOperations } from "./resources/subscriber-notifications.ts";
import { subscriberOperations } from "./resources/subscribers.ts";
import { suppressionOperations } from "./resources/suppressions.ts";
import { topicSubscriptionOperations } from "./resources/topic-subscriptions.ts";
import { topicOperations } from "./resources/topics.ts";
import { translationOperations } from "./resources/translations.ts";
import { webhookOperations } from "./resources/webhooks.ts";
import { workflowOperations } from "./resources/workflows.ts";

export const operations = {
  ...eventOperations,
  ...explainOperations,
  ...notificationOperations,
  ...messageOperations,
  ...workflowOperations,
  ...digestOperations,
  ...layoutOperations,
  ...translationOperations,
  ...subscriberOperations,
  ...subscriberCredentialOperations,
  ...preferenceOperations,
  ...messageMarkOperations,
  ...feedOperations,
  ...subscriberNotificationOperations,
  ...topicOperations,
  ...topicSubscriptionOperations,
  ...contextOperations,
  ...integrationOperations,
  ...providerOperations,
  ...channelConnectionOperations,
  ...channelEndpointOperations,
  ...environmentOperations,
  ...publishingOperations,
  ...webhookOperations,
  ...inboundWebhookOperations,
  ...suppressionOperations,
  ...capturedOperations,
  ...deadLetterOperations,
  ...failedTaskOperations,
};

export type Operations = typeof operations;
export type OperationId = keyof Operations;
export type Input<Id extends OperationId> = InputOf<Operations[Id]>;
export type Output<Id extends OperationId> = OutputOf<Operations[Id]>;

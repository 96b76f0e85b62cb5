// Every function of the published SDK and the operation it calls. The test next to this file reads method and path out
// of the SDK's own sources and fails when a row is missing, superfluous or wrong.
import { activityTrack } from "@novu/api/funcs/activityTrack.js";
import { cancel } from "@novu/api/funcs/cancel.js";
import { channelConnectionsCreate } from "@novu/api/funcs/channelConnectionsCreate.js";
import { channelConnectionsDelete } from "@novu/api/funcs/channelConnectionsDelete.js";
import { channelConnectionsList } from "@novu/api/funcs/channelConnectionsList.js";
import { channelConnectionsRetrieve } from "@novu/api/funcs/channelConnectionsRetrieve.js";
import { channelConnectionsUpdate } from "@novu/api/funcs/channelConnectionsUpdate.js";
import { channelEndpointsCreate } from "@novu/api/funcs/channelEndpointsCreate.js";
import { channelEndpointsDelete } from "@novu/api/funcs/channelEndpointsDelete.js";
import { channelEndpointsList } from "@novu/api/funcs/channelEndpointsList.js";
import { channelEndpointsRetrieve } from "@novu/api/funcs/channelEndpointsRetrieve.js";
import { channelEndpointsUpdate } from "@novu/api/funcs/channelEndpointsUpdate.js";
import { contextsCreate } from "@novu/api/funcs/contextsCreate.js";
import { contextsDelete } from "@novu/api/funcs/contextsDelete.js";
import { contextsList } from "@novu/api/funcs/contextsList.js";
import { contextsRetrieve } from "@novu/api/funcs/contextsRetrieve.js";
import { contextsUpdate } from "@novu/api/funcs/contextsUpdate.js";
import { environmentsCreate } from "@novu/api/funcs/environmentsCreate.js";
import { environmentsDelete } from "@novu/api/funcs/environmentsDelete.js";
import { environmentsDiff } from "@novu/api/funcs/environmentsDiff.js";
import { environmentsGetTags } from "@novu/api/funcs/environmentsGetTags.js";
import { environmentsList } from "@novu/api/funcs/environmentsList.js";
import { environmentsPublish } from "@novu/api/funcs/environmentsPublish.js";
import { environmentsUpdate } from "@novu/api/funcs/environmentsUpdate.js";
import { integrationsCreate } from "@novu/api/funcs/integrationsCreate.js";
import { integrationsDelete } from "@novu/api/funcs/integrationsDelete.js";
import { integrationsGenerateChatOAuthUrl } from "@novu/api/funcs/integrationsGenerateChatOAuthUrl.js";
import { integrationsIntegrationsControllerAutoConfigureIntegration } from "@novu/api/funcs/integrationsIntegrationsControllerAutoConfigureIntegration.js";
import { integrationsList } from "@novu/api/funcs/integrationsList.js";
import { integrationsListActive } from "@novu/api/funcs/integrationsListActive.js";
import { integrationsSetAsPrimary } from "@novu/api/funcs/integrationsSetAsPrimary.js";
import { integrationsUpdate } from "@novu/api/funcs/integrationsUpdate.js";
import { layoutsCreate } from "@novu/api/funcs/layoutsCreate.js";
import { layoutsDelete } from "@novu/api/funcs/layoutsDelete.js";
import { layoutsDuplicate } from "@novu/api/funcs/layoutsDuplicate.js";
import { layoutsGeneratePreview } from "@novu/api/funcs/layoutsGeneratePreview.js";
import { layoutsList } from "@novu/api/funcs/layoutsList.js";
import { layoutsRetrieve } from "@novu/api/funcs/layoutsRetrieve.js";
import { layoutsUpdate } from "@novu/api/funcs/layoutsUpdate.js";
import { layoutsUsage } from "@novu/api/funcs/layoutsUsage.js";
import { messagesDelete } from "@novu/api/funcs/messagesDelete.js";
import { messagesDeleteByTransactionId } from "@novu/api/funcs/messagesDeleteByTransactionId.js";
import { messagesRetrieve } from "@novu/api/funcs/messagesRetrieve.js";
import { notificationsList } from "@novu/api/funcs/notificationsList.js";
import { notificationsRetrieve } from "@novu/api/funcs/notificationsRetrieve.js";
import { subscribersCreate } from "@novu/api/funcs/subscribersCreate.js";
import { subscribersCreateBulk } from "@novu/api/funcs/subscribersCreateBulk.js";
import { subscribersCredentialsAppend } from "@novu/api/funcs/subscribersCredentialsAppend.js";
import { subscribersCredentialsDelete } from "@novu/api/funcs/subscribersCredentialsDelete.js";
import { subscribersCredentialsUpdate } from "@novu/api/funcs/subscribersCredentialsUpdate.js";
import { subscribersDelete } from "@novu/api/funcs/subscribersDelete.js";
import { subscribersMessagesMarkAll } from "@novu/api/funcs/subscribersMessagesMarkAll.js";
import { subscribersMessagesMarkAllAs } from "@novu/api/funcs/subscribersMessagesMarkAllAs.js";
import { subscribersMessagesUpdateAsSeen } from "@novu/api/funcs/subscribersMessagesUpdateAsSeen.js";
import { subscribersNotificationsFeed } from "@novu/api/funcs/subscribersNotificationsFeed.js";
import { subscribersNotificationsUnseenCount } from "@novu/api/funcs/subscribersNotificationsUnseenCount.js";
import { subscribersPatch } from "@novu/api/funcs/subscribersPatch.js";
import { subscribersPreferencesBulkUpdate } from "@novu/api/funcs/subscribersPreferencesBulkUpdate.js";
import { subscribersPreferencesList } from "@novu/api/funcs/subscribersPreferencesList.js";
import { subscribersPreferencesUpdate } from "@novu/api/funcs/subscribersPreferencesUpdate.js";
import { subscribersPropertiesUpdateOnlineFlag } from "@novu/api/funcs/subscribersPropertiesUpdateOnlineFlag.js";
import { subscribersRetrieve } from "@novu/api/funcs/subscribersRetrieve.js";
import { subscribersSearch } from "@novu/api/funcs/subscribersSearch.js";
import { subscribersTopicsList } from "@novu/api/funcs/subscribersTopicsList.js";
import { topicsCreate } from "@novu/api/funcs/topicsCreate.js";
import { topicsDelete } from "@novu/api/funcs/topicsDelete.js";
import { topicsGet } from "@novu/api/funcs/topicsGet.js";
import { topicsList } from "@novu/api/funcs/topicsList.js";
import { topicsSubscribersRetrieve } from "@novu/api/funcs/topicsSubscribersRetrieve.js";
import { topicsSubscriptionsCreate } from "@novu/api/funcs/topicsSubscriptionsCreate.js";
import { topicsSubscriptionsDelete } from "@novu/api/funcs/topicsSubscriptionsDelete.js";
import { topicsSubscriptionsGetSubscription } from "@novu/api/funcs/topicsSubscriptionsGetSubscription.js";
import { topicsSubscriptionsList } from "@novu/api/funcs/topicsSubscriptionsList.js";
import { topicsSubscriptionsUpdate } from "@novu/api/funcs/topicsSubscriptionsUpdate.js";
import { topicsUpdate } from "@novu/api/funcs/topicsUpdate.js";
import { translationsCreate } from "@novu/api/funcs/translationsCreate.js";
import { translationsDelete } from "@novu/api/funcs/translationsDelete.js";
import { translationsGroupsDelete } from "@novu/api/funcs/translationsGroupsDelete.js";
import { translationsGroupsRetrieve } from "@novu/api/funcs/translationsGroupsRetrieve.js";
import { translationsMasterImport } from "@novu/api/funcs/translationsMasterImport.js";
import { translationsMasterRetrieve } from "@novu/api/funcs/translationsMasterRetrieve.js";
import { translationsMasterUpload } from "@novu/api/funcs/translationsMasterUpload.js";
import { translationsRetrieve } from "@novu/api/funcs/translationsRetrieve.js";
import { translationsUpload } from "@novu/api/funcs/translationsUpload.js";
import { trigger } from "@novu/api/funcs/trigger.js";
import { triggerBroadcast } from "@novu/api/funcs/triggerBroadcast.js";
import { triggerBulk } from "@novu/api/funcs/triggerBulk.js";
import { workflowsCreate } from "@novu/api/funcs/workflowsCreate.js";
import { workflowsDelete } from "@novu/api/funcs/workflowsDelete.js";
import { workflowsGet } from "@novu/api/funcs/workflowsGet.js";
import { workflowsList } from "@novu/api/funcs/workflowsList.js";
import { workflowsPatch } from "@novu/api/funcs/workflowsPatch.js";
import { workflowsStepsRetrieve } from "@novu/api/funcs/workflowsStepsRetrieve.js";
import { workflowsSync } from "@novu/api/funcs/workflowsSync.js";
import { workflowsUpdate } from "@novu/api/funcs/workflowsUpdate.js";

/**
 * `operation` is the id in the contract. All 95 functions of version 3.14.1 have one: none lies outside the interface.
 */
export const functions = {
  activityTrack: { run: activityTrack, operation: "inboundWebhooks.receive" },
  cancel: { run: cancel, operation: "events.cancel" },
  channelConnectionsCreate: { run: channelConnectionsCreate, operation: "channelConnections.create" },
  channelConnectionsDelete: { run: channelConnectionsDelete, operation: "channelConnections.delete" },
  channelConnectionsList: { run: channelConnectionsList, operation: "channelConnections.list" },
  channelConnectionsRetrieve: { run: channelConnectionsRetrieve, operation: "channelConnections.retrieve" },
  channelConnectionsUpdate: { run: channelConnectionsUpdate, operation: "channelConnections.update" },
  channelEndpointsCreate: { run: channelEndpointsCreate, operation: "channelEndpoints.create" },
  channelEndpointsDelete: { run: channelEndpointsDelete, operation: "channelEndpoints.delete" },
  channelEndpointsList: { run: channelEndpointsList, operation: "channelEndpoints.list" },
  channelEndpointsRetrieve: { run: channelEndpointsRetrieve, operation: "channelEndpoints.retrieve" },
  channelEndpointsUpdate: { run: channelEndpointsUpdate, operation: "channelEndpoints.update" },
  contextsCreate: { run: contextsCreate, operation: "contexts.create" },
  contextsDelete: { run: contextsDelete, operation: "contexts.delete" },
  contextsList: { run: contextsList, operation: "contexts.list" },
  contextsRetrieve: { run: contextsRetrieve, operation: "contexts.retrieve" },
  contextsUpdate: { run: contextsUpdate, operation: "contexts.update" },
  environmentsCreate: { run: environmentsCreate, operation: "environments.create" },
  environmentsDelete: { run: environmentsDelete, operation: "environments.delete" },
  environmentsDiff: { run: environmentsDiff, operation: "environments.diff" },
  environmentsGetTags: { run: environmentsGetTags, operation: "environments.listTags" },
  environmentsList: { run: environmentsList, operation: "environments.list" },
  environmentsPublish: { run: environmentsPublish, operation: "environments.publish" },
  environmentsUpdate: { run: environmentsUpdate, operation: "environments.update" },
  integrationsCreate: { run: integrationsCreate, operation: "integrations.create" },
  integrationsDelete: { run: integrationsDelete, operation: "integrations.delete" },
  integrationsGenerateChatOAuthUrl: {
    run: integrationsGenerateChatOAuthUrl,
    operation: "integrations.createChatOauthUrl",
  },
  integrationsIntegrationsControllerAutoConfigureIntegration: {
    run: integrationsIntegrationsControllerAutoConfigureIntegration,
    operation: "integrations.autoConfigure",
  },
  integrationsList: { run: integrationsList, operation: "integrations.list" },
  integrationsListActive: { run: integrationsListActive, operation: "integrations.listActive" },
  integrationsSetAsPrimary: { run: integrationsSetAsPrimary, operation: "integrations.setPrimary" },
  integrationsUpdate: { run: integrationsUpdate, operation: "integrations.update" },
  layoutsCreate: { run: layoutsCreate, operation: "layouts.create" },
  layoutsDelete: { run: layoutsDelete, operation: "layouts.delete" },
  layoutsDuplicate: { run: layoutsDuplicate, operation: "layouts.duplicate" },
  layoutsGeneratePreview: { run: layoutsGeneratePreview, operation: "layouts.preview" },
  layoutsList: { run: layoutsList, operation: "layouts.list" },
  layoutsRetrieve: { run: layoutsRetrieve, operation: "layouts.retrieve" },
  layoutsUpdate: { run: layoutsUpdate, operation: "layouts.update" },
  layoutsUsage: { run: layoutsUsage, operation: "layouts.usage" },
  messagesDelete: { run: messagesDelete, operation: "messages.delete" },
  messagesDeleteByTransactionId: { run: messagesDeleteByTransactionId, operation: "messages.deleteByTransaction" },
  messagesRetrieve: { run: messagesRetrieve, operation: "messages.list" },
  notificationsList: { run: notificationsList, operation: "notifications.list" },
  notificationsRetrieve: { run: notificationsRetrieve, operation: "notifications.retrieve" },
  subscribersCreate: { run: subscribersCreate, operation: "subscribers.create" },
  subscribersCreateBulk: { run: subscribersCreateBulk, operation: "subscribers.createBulk" },
  subscribersCredentialsAppend: { run: subscribersCredentialsAppend, operation: "subscribers.appendCredentials" },
  subscribersCredentialsDelete: { run: subscribersCredentialsDelete, operation: "subscribers.deleteCredentials" },
  subscribersCredentialsUpdate: { run: subscribersCredentialsUpdate, operation: "subscribers.replaceCredentials" },
  subscribersDelete: { run: subscribersDelete, operation: "subscribers.delete" },
  subscribersMessagesMarkAll: { run: subscribersMessagesMarkAll, operation: "subscribers.markAllMessages" },
  subscribersMessagesMarkAllAs: { run: subscribersMessagesMarkAllAs, operation: "subscribers.markMessages" },
  subscribersMessagesUpdateAsSeen: { run: subscribersMessagesUpdateAsSeen, operation: "subscribers.markMessageAction" },
  subscribersNotificationsFeed: { run: subscribersNotificationsFeed, operation: "subscribers.listFeed" },
  subscribersNotificationsUnseenCount: {
    run: subscribersNotificationsUnseenCount,
    operation: "subscribers.countUnseen",
  },
  subscribersPatch: { run: subscribersPatch, operation: "subscribers.update" },
  subscribersPreferencesBulkUpdate: {
    run: subscribersPreferencesBulkUpdate,
    operation: "subscribers.bulkUpdatePreferences",
  },
  subscribersPreferencesList: { run: subscribersPreferencesList, operation: "subscribers.retrievePreferences" },
  subscribersPreferencesUpdate: { run: subscribersPreferencesUpdate, operation: "subscribers.updatePreferences" },
  subscribersPropertiesUpdateOnlineFlag: {
    run: subscribersPropertiesUpdateOnlineFlag,
    operation: "subscribers.updateOnlineStatus",
  },
  subscribersRetrieve: { run: subscribersRetrieve, operation: "subscribers.retrieve" },
  subscribersSearch: { run: subscribersSearch, operation: "subscribers.list" },
  subscribersTopicsList: { run: subscribersTopicsList, operation: "subscribers.listSubscriptions" },
  topicsCreate: { run: topicsCreate, operation: "topics.create" },
  topicsDelete: { run: topicsDelete, operation: "topics.delete" },
  topicsGet: { run: topicsGet, operation: "topics.retrieve" },
  topicsList: { run: topicsList, operation: "topics.list" },
  topicsSubscribersRetrieve: { run: topicsSubscribersRetrieve, operation: "topics.retrieveSubscriber" },
  topicsSubscriptionsCreate: { run: topicsSubscriptionsCreate, operation: "topicSubscriptions.create" },
  topicsSubscriptionsDelete: { run: topicsSubscriptionsDelete, operation: "topicSubscriptions.delete" },
  topicsSubscriptionsGetSubscription: {
    run: topicsSubscriptionsGetSubscription,
    operation: "topicSubscriptions.retrieve",
  },
  topicsSubscriptionsList: { run: topicsSubscriptionsList, operation: "topicSubscriptions.list" },
  topicsSubscriptionsUpdate: { run: topicsSubscriptionsUpdate, operation: "topicSubscriptions.update" },
  topicsUpdate: { run: topicsUpdate, operation: "topics.update" },
  translationsCreate: { run: translationsCreate, operation: "translations.create" },
  translationsDelete: { run: translationsDelete, operation: "translations.delete" },
  translationsGroupsDelete: { run: translationsGroupsDelete, operation: "translations.deleteGroup" },
  translationsGroupsRetrieve: { run: translationsGroupsRetrieve, operation: "translations.retrieveGroup" },
  translationsMasterImport: { run: translationsMasterImport, operation: "translations.importMaster" },
  translationsMasterRetrieve: { run: translationsMasterRetrieve, operation: "translations.retrieveMaster" },
  translationsMasterUpload: { run: translationsMasterUpload, operation: "translations.uploadMaster" },
  translationsRetrieve: { run: translationsRetrieve, operation: "translations.retrieve" },
  translationsUpload: { run: translationsUpload, operation: "translations.upload" },
  trigger: { run: trigger, operation: "events.trigger" },
  triggerBroadcast: { run: triggerBroadcast, operation: "events.broadcast" },
  triggerBulk: { run: triggerBulk, operation: "events.triggerBulk" },
  workflowsCreate: { run: workflowsCreate, operation: "workflows.create" },
  workflowsDelete: { run: workflowsDelete, operation: "workflows.delete" },
  workflowsGet: { run: workflowsGet, operation: "workflows.retrieve" },
  workflowsList: { run: workflowsList, operation: "workflows.list" },
  workflowsPatch: { run: workflowsPatch, operation: "workflows.patch" },
  workflowsStepsRetrieve: { run: workflowsStepsRetrieve, operation: "workflows.retrieveStep" },
  workflowsSync: { run: workflowsSync, operation: "workflows.sync" },
  workflowsUpdate: { run: workflowsUpdate, operation: "workflows.update" },
} as const;

export type FunctionName = keyof typeof functions;

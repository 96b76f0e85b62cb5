// Every operation with the function that handles it. Paths, schemas and rate categories are in the contract; an
// operation without a row here is a type error.
import type { OperationId } from "@tidings/contract";
import * as alertRuleTest from "../app/alerts/alert-rule-test.ts";
import * as alertRules from "../app/alerts/alert-rules.ts";
import * as alerts from "../app/alerts/alerts.ts";
import * as assets from "../app/assets/assets.ts";
import * as attention from "../app/attention/attention.ts";
import * as attentionForecast from "../app/attention/forecast.ts";
import * as audienceExplain from "../app/audiences/audience-explain.ts";
import * as audienceMembers from "../app/audiences/audience-members.ts";
import * as audiencePeople from "../app/audiences/audience-people.ts";
import * as audiences from "../app/audiences/audiences.ts";
import * as backtestPeople from "../app/backtests/backtest-people.ts";
import * as backtests from "../app/backtests/backtests.ts";
import * as brand from "../app/brand/brand.ts";
import * as brandLayout from "../app/brand/brand-layout.ts";
import * as broadcastChecks from "../app/broadcasts/broadcast-checks.ts";
import * as broadcastControl from "../app/broadcasts/broadcast-control.ts";
import * as broadcastPreview from "../app/broadcasts/broadcast-preview.ts";
import * as broadcastResend from "../app/broadcasts/broadcast-resend.ts";
import * as broadcastResults from "../app/broadcasts/broadcast-results.ts";
import * as broadcastSend from "../app/broadcasts/broadcast-send.ts";
import * as broadcastTests from "../app/broadcasts/broadcast-tests.ts";
import * as broadcasts from "../app/broadcasts/broadcasts.ts";
import * as apiKeys from "../app/environments/api-keys.ts";
import * as clock from "../app/environments/clock.ts";
import * as environments from "../app/environments/environments.ts";
import * as publishes from "../app/environments/publishes.ts";
import * as publishing from "../app/environments/publishing.ts";
import * as retention from "../app/environments/retention.ts";
import * as system from "../app/environments/system.ts";
import * as timeline from "../app/environments/timeline.ts";
import * as activity from "../app/events/activity-list.ts";
import * as digests from "../app/events/digests.ts";
import * as dryRun from "../app/events/dry-run.ts";
import * as eventCancel from "../app/events/event-cancel.ts";
import * as events from "../app/events/events.ts";
import * as explain from "../app/events/explain.ts";
import * as failedTasks from "../app/events/failed-tasks.ts";
import * as notifications from "../app/events/notifications.ts";
import * as objectives from "../app/events/objectives.ts";
import * as resend from "../app/events/resend.ts";
import * as scenarios from "../app/events/scenarios.ts";
import * as statistics from "../app/events/statistics.ts";
import * as experiments from "../app/experiments/experiments.ts";
import * as files from "../app/files/files.ts";
import * as gallery from "../app/gallery/gallery.ts";
import { asData, bySession, bySubscriber, inboxActions } from "../app/inbox/inbox-actions.ts";
import * as inboxAttention from "../app/inbox/inbox-attention.ts";
import * as inboxChannels from "../app/inbox/inbox-channels.ts";
import * as inboxOauth from "../app/inbox/inbox-oauth.ts";
import * as inboxPreferences from "../app/inbox/inbox-preferences.ts";
import * as inboxSubscriptions from "../app/inbox/inbox-subscriptions.ts";
import * as inboxWebPush from "../app/inbox/inbox-web-push.ts";
import * as inboxSession from "../app/inbox/session.ts";
import * as autoConfigure from "../app/integrations/auto-configure.ts";
import * as channelConnections from "../app/integrations/channel-connections.ts";
import * as channelEndpoints from "../app/integrations/channel-endpoints.ts";
import * as chatOauth from "../app/integrations/chat-oauth.ts";
import * as integrations from "../app/integrations/integrations.ts";
import * as providers from "../app/integrations/providers.ts";
import * as tryNow from "../app/integrations/try-now.ts";
import * as auditLog from "../app/members/audit-log.ts";
import * as links from "../app/members/links.ts";
import * as members from "../app/members/members.ts";
import * as memberSessions from "../app/members/sessions.ts";
import * as signIn from "../app/members/sign-in.ts";
import * as captured from "../app/messages/captured.ts";
import * as deadLetterPreview from "../app/messages/dead-letter-preview.ts";
import * as deadLetterReplays from "../app/messages/dead-letter-replays.ts";
import * as deadLetters from "../app/messages/dead-letters.ts";
import * as feed from "../app/messages/feed.ts";
import * as messageMarks from "../app/messages/message-marks.ts";
import * as messages from "../app/messages/messages.ts";
import * as retractionPreview from "../app/retractions/preview.ts";
import * as retractions from "../app/retractions/retractions.ts";
import * as signals from "../app/signals/signals.ts";
import * as sources from "../app/sources/sources.ts";
import * as categories from "../app/subscribers/categories.ts";
import * as contexts from "../app/subscribers/contexts.ts";
import * as erasures from "../app/subscribers/erasures.ts";
import * as imports from "../app/subscribers/imports.ts";
import * as match from "../app/subscribers/match.ts";
import * as preferences from "../app/subscribers/preferences.ts";
import * as preferencesOfMany from "../app/subscribers/preferences-many.ts";
import * as subscriberAttention from "../app/subscribers/subscriber-attention.ts";
import * as subscriberCredentials from "../app/subscribers/subscriber-credentials.ts";
import * as subscribers from "../app/subscribers/subscribers.ts";
import * as suppressions from "../app/subscribers/suppressions.ts";
import * as topicSubscriptionEntries from "../app/topics/topic-subscription-entries.ts";
import * as topicSubscriptions from "../app/topics/topic-subscriptions.ts";
import * as topics from "../app/topics/topics.ts";
import * as inboundReceipts from "../app/webhooks/inbound-receipts.ts";
import * as inboundWebhooks from "../app/webhooks/inbound-webhooks.ts";
import * as webhookDeliveries from "../app/webhooks/webhook-deliveries.ts";
import * as webhookTest from "../app/webhooks/webhook-test.ts";
import * as webhooks from "../app/webhooks/webhooks.ts";
import * as bridge from "../app/workflows/bridge-sync.ts";
import * as drafts from "../app/workflows/drafts.ts";
import * as inFlight from "../app/workflows/in-flight.ts";
import * as layouts from "../app/workflows/layouts.ts";
import * as requests from "../app/workflows/preview/requests.ts";
import * as preview from "../app/workflows/preview.ts";
import * as sampleArms from "../app/workflows/sample-arms.ts";
import * as comments from "../app/workflows/team/comments.ts";
import * as stepTemplates from "../app/workflows/team/step-templates.ts";
import * as viewers from "../app/workflows/team/viewers.ts";
import * as texts from "../app/workflows/texts/used-keys.ts";
import * as translations from "../app/workflows/translations.ts";
import * as versions from "../app/workflows/versions.ts";
import * as workflows from "../app/workflows/workflows.ts";
import { type Handler, type HandlerOf, withPrecheck } from "./handler.ts";
import { variableRoutes } from "./variable-routes.ts";

export function handlerOf(id: OperationId): Handler {
  const handler = routes[id];
  return typeof handler === "function" ? { run: handler } : handler;
}

export const routes: { [Id in OperationId]: HandlerOf<Id> } = {
  "events.trigger": { batch: events.trigger },
  "events.triggerBulk": { batch: events.triggerBulk },
  "events.broadcast": { batch: events.broadcast },
  "events.cancel": eventCancel.cancel,
  "retractions.create": retractions.create,
  "retractions.preview": retractionPreview.preview,
  "retractions.list": retractions.list,
  "retractions.retrieve": retractions.retrieve,
  "audiences.list": audiences.list,
  "audiences.create": withPrecheck(audiences.checkNew, audiences.create),
  "audiences.preview": audiencePeople.preview,
  "audiences.retrieve": audiences.retrieve,
  "audiences.update": withPrecheck(audiences.checkChange, audiences.update),
  "audiences.delete": audiences.remove,
  "audiences.count": audiencePeople.count,
  "audiences.listPeople": audiencePeople.listPeople,
  "audiences.explain": audienceExplain.explain,
  "audiences.addMembers": audienceMembers.addMembers,
  "audiences.removeMembers": audienceMembers.removeMembers,
  "audiences.snapshot": audienceMembers.snapshot,
  "broadcasts.list": broadcasts.list,
  "broadcasts.create": broadcasts.create,
  "broadcasts.retrieve": broadcasts.retrieve,
  "broadcasts.update": broadcasts.update,
  "broadcasts.delete": broadcasts.remove,
  "broadcasts.send": broadcastSend.send,
  "broadcasts.approve": broadcastSend.approve,
  "broadcasts.reject": broadcastSend.reject,
  "broadcasts.pause": broadcastControl.pause,
  "broadcasts.resume": broadcastControl.resume,
  "broadcasts.stop": broadcastControl.stop,
  "broadcasts.check": broadcastChecks.check,
  "broadcasts.retrieveCheck": broadcastChecks.retrieveCheck,
  "broadcasts.preview": broadcastPreview.preview,
  "broadcasts.test": broadcastTests.test,
  "broadcasts.retrieveResults": broadcastResults.retrieveResults,
  "broadcasts.listPeople": broadcastResults.listPeople,
  "broadcasts.resend": broadcastResend.resend,
  "backtests.create": backtests.create,
  "backtests.list": backtests.list,
  "backtests.get": backtests.get,
  "backtests.cancel": backtests.cancel,
  "backtests.delete": backtests.remove,
  "backtests.people": backtestPeople.people,
  "backtests.person": backtestPeople.person,
  "signals.send": signals.send,
  "signals.sendBulk": signals.sendBulk,
  "explain.retrieve": explain.retrieve,
  "explain.dryRun": withPrecheck(dryRun.askBridge, dryRun.dryRun),
  "explain.sampleArms": sampleArms.sampleArms,
  "scenarios.export": scenarios.exportScenario,
  "notifications.list": notifications.list,
  "notifications.retrieve": notifications.retrieve,
  "notifications.resendStep": resend.resendStep,
  "activity.listEvents": activity.list,
  "statistics.list": statistics.list,
  "messages.list": messages.list,
  "messages.delete": messages.remove,
  "messages.deleteByTransaction": messages.removeByTransaction,
  "workflows.list": workflows.list,
  "workflows.create": workflows.create,
  "workflows.retrieve": workflows.retrieve,
  "workflows.update": workflows.update,
  "workflows.patch": workflows.patch,
  "workflows.delete": workflows.remove,
  "workflows.retrieveStep": workflows.retrieveStep,
  "workflows.sync": publishing.syncWorkflow,
  "workflows.preview": withPrecheck(preview.askBridge, preview.preview),
  "workflows.test": drafts.sendTest,
  "workflows.sendRequest": withPrecheck(requests.send, requests.report),
  "workflows.listVersions": versions.list,
  "workflows.retrieveVersion": versions.retrieve,
  "workflows.diffVersions": versions.diff,
  "workflows.restoreVersion": versions.restore,
  "workflows.duplicate": versions.duplicate,
  "workflows.retrieveInFlight": inFlight.retrieve,
  "workflows.retrieveObjectives": objectives.retrieve,
  "workflows.retrieveExperiments": experiments.retrieve,
  "bridge.sync": withPrecheck(bridge.discover, bridge.sync),
  "digests.list": digests.list,
  "digests.retrieve": digests.retrieve,
  "digests.closeOne": digests.closeOne,
  "digests.close": digests.close,
  "categories.list": categories.list,
  "categories.create": categories.create,
  "categories.updateOrder": categories.updateOrder,
  "categories.retrieve": categories.retrieve,
  "categories.update": categories.update,
  "categories.delete": categories.remove,
  "layouts.list": layouts.list,
  "layouts.create": layouts.create,
  "layouts.retrieve": layouts.retrieve,
  "layouts.update": layouts.update,
  "layouts.delete": layouts.remove,
  "layouts.duplicate": layouts.duplicate,
  "layouts.preview": layouts.preview,
  "layouts.usage": layouts.usage,
  "assets.list": assets.list,
  "assets.create": assets.create,
  "assets.delete": assets.remove,
  "attention.retrieve": attention.retrieve,
  "attention.update": attention.update,
  "attention.forecast": attentionForecast.forecast,
  "brand.retrieve": brand.retrieve,
  "brand.update": brand.update,
  "brand.preview": brand.preview,
  "brand.createLayout": brandLayout.createLayout,
  "brand.retrieveContext": brand.retrieveContext,
  "brand.updateContext": brand.updateContext,
  "brand.deleteContext": brand.removeContext,
  "gallery.list": gallery.list,
  "gallery.retrieve": gallery.retrieve,
  "gallery.use": gallery.use,
  "comments.list": comments.list,
  "comments.create": comments.create,
  "comments.update": comments.update,
  "comments.delete": comments.remove,
  "stepTemplates.list": stepTemplates.list,
  "stepTemplates.create": stepTemplates.create,
  "stepTemplates.retrieve": stepTemplates.retrieve,
  "stepTemplates.update": stepTemplates.update,
  "stepTemplates.delete": stepTemplates.remove,
  "workflows.announceViewer": viewers.announce,

  "translations.create": translations.create,
  "translations.listGroups": translations.listGroups,
  "translations.retrieveGroup": translations.retrieveGroup,
  "translations.listKeys": texts.listKeys,
  "translations.retrieveMaster": translations.retrieveMaster,
  "translations.importMaster": translations.importMaster,
  "translations.uploadMaster": translations.uploadMaster,
  "translations.upload": translations.upload,
  "files.export": files.exportAll,
  "files.plan": files.plan,
  "files.apply": files.apply,
  "translations.deleteGroup": translations.removeGroup,
  "translations.retrieve": translations.retrieve,
  "translations.delete": translations.remove,
  "subscribers.create": subscribers.create,
  "subscribers.createBulk": subscribers.createBulk,
  "subscribers.list": subscribers.list,
  "subscribers.match": match.match,
  "subscribers.retrieve": subscribers.retrieve,
  "subscribers.update": subscribers.update,
  "subscribers.delete": subscribers.remove,
  "subscribers.erase": erasures.erase,
  "erasures.retrieve": erasures.retrieve,
  "erasures.verify": erasures.verify,
  "subscribers.updateOnlineStatus": subscribers.updateOnlineStatus,
  "subscribers.replaceCredentials": subscriberCredentials.replaceCredentials,
  "subscribers.appendCredentials": subscriberCredentials.appendCredentials,
  "subscribers.deleteCredentials": subscriberCredentials.deleteCredentials,
  "subscribers.retrievePreferences": preferences.retrieve,
  "subscribers.updatePreferences": preferences.update,
  "subscribers.bulkUpdatePreferences": preferences.bulkUpdate,
  "subscribers.retrieveAttention": subscriberAttention.retrieve,
  "subscribers.updateAttention": subscriberAttention.update,
  "subscribers.markMessages": messageMarks.markMessages,
  "subscribers.markAllMessages": messageMarks.markAllMessages,
  "subscribers.markMessageAction": messageMarks.markMessageAction,
  "subscribers.countUnseen": messageMarks.countUnseen,
  "subscribers.listFeed": feed.listFeed,
  "subscriberNotifications.list": bySubscriber(inboxActions.list),
  "subscriberNotifications.count": bySubscriber(inboxActions.count),
  "subscriberNotifications.markRead": bySubscriber(inboxActions.read),
  "subscriberNotifications.markUnread": bySubscriber(inboxActions.unread),
  "subscriberNotifications.archive": bySubscriber(inboxActions.archive),
  "subscriberNotifications.unarchive": bySubscriber(inboxActions.unarchive),
  "subscriberNotifications.snooze": bySubscriber(inboxActions.snooze),
  "subscriberNotifications.unsnooze": bySubscriber(inboxActions.unsnooze),
  "subscriberNotifications.completeAction": bySubscriber(inboxActions.complete),
  "subscriberNotifications.revertAction": bySubscriber(inboxActions.revert),
  "subscriberNotifications.delete": bySubscriber(inboxActions.remove),
  "subscriberNotifications.markSeen": bySubscriber(inboxActions.see),
  "subscriberNotifications.markAllRead": bySubscriber(inboxActions.readAll),
  "subscriberNotifications.archiveAll": bySubscriber(inboxActions.archiveAll),
  "subscriberNotifications.archiveAllRead": bySubscriber(inboxActions.archiveRead),
  "subscriberNotifications.deleteAll": bySubscriber(inboxActions.removeAll),
  "inbox.openSession": inboxSession.openSession,
  "inbox.createToken": inboxSession.createToken,
  "inbox.listNotifications": bySession(inboxActions.list),
  "inbox.countNotifications": bySession(asData(inboxActions.count)),
  "inbox.readNotification": bySession(asData(inboxActions.read)),
  "inbox.unreadNotification": bySession(asData(inboxActions.unread)),
  "inbox.archiveNotification": bySession(asData(inboxActions.archive)),
  "inbox.unarchiveNotification": bySession(asData(inboxActions.unarchive)),
  "inbox.snoozeNotification": bySession(asData(inboxActions.snooze)),
  "inbox.unsnoozeNotification": bySession(asData(inboxActions.unsnooze)),
  "inbox.completeAction": bySession(asData(inboxActions.complete)),
  "inbox.revertAction": bySession(asData(inboxActions.revert)),
  "inbox.deleteNotification": bySession(inboxActions.remove),
  "inbox.seeNotifications": bySession(inboxActions.see),
  "inbox.readAllNotifications": bySession(inboxActions.readAll),
  "inbox.archiveAllNotifications": bySession(inboxActions.archiveAll),
  "inbox.archiveReadNotifications": bySession(inboxActions.archiveRead),
  "inbox.markNotifications": bySession(asData(inboxActions.markMany)),
  "inbox.undoMark": bySession(inboxActions.undoMark),
  "inbox.deleteAllNotifications": bySession(inboxActions.removeAll),
  "inbox.listPreferences": inboxPreferences.list,
  "inbox.retrieveGlobalPreference": inboxPreferences.retrieveGlobal,
  "inbox.updateGlobalPreference": inboxPreferences.updateGlobal,
  "inbox.listCategoryPreferences": inboxPreferences.listCategories,
  "inbox.updateCategoryPreference": inboxPreferences.updateCategory,
  "inbox.bulkUpdatePreferences": inboxPreferences.bulkUpdate,
  "inbox.updateWorkflowPreference": inboxPreferences.updateWorkflow,
  "inbox.retrieveAttention": inboxAttention.retrieve,
  "inbox.updateAttention": inboxAttention.update,
  "inbox.listSubscriptions": inboxSubscriptions.list,
  "inbox.createSubscription": inboxSubscriptions.create,
  "inbox.retrieveSubscription": inboxSubscriptions.retrieve,
  "inbox.updateSubscription": inboxSubscriptions.update,
  "inbox.deleteSubscription": inboxSubscriptions.remove,
  "inbox.updateSubscriptionPreference": inboxSubscriptions.updatePreference,
  "inbox.listConnections": inboxChannels.listConnections,
  "inbox.createConnection": inboxChannels.createConnection,
  "inbox.retrieveConnection": inboxChannels.retrieveConnection,
  "inbox.deleteConnection": inboxChannels.deleteConnection,
  "inbox.listEndpoints": inboxChannels.listEndpoints,
  "inbox.createEndpoint": inboxChannels.createEndpoint,
  "inbox.retrieveEndpoint": inboxChannels.retrieveEndpoint,
  "inbox.deleteEndpoint": inboxChannels.deleteEndpoint,
  "inbox.createConnectionOauthUrl": inboxOauth.createConnectionUrl,
  "inbox.createEndpointOauthUrl": inboxOauth.createEndpointUrl,
  "inbox.createChatOauthUrl": inboxOauth.createChatUrl,
  "inbox.linkEndpoint": inboxOauth.linkEndpoint,
  "inbox.retrieveWebPush": inboxWebPush.retrieve,
  "inbox.subscribeWebPush": withPrecheck(inboxWebPush.checkEndpoint, inboxWebPush.subscribe),
  "inbox.unsubscribeWebPush": inboxWebPush.unsubscribe,
  "subscribers.listSubscriptions": topicSubscriptions.listOfSubscriber,
  "topics.list": topics.list,
  "topics.create": topics.create,
  "topics.retrieve": topics.retrieve,
  "topics.update": topics.update,
  "topics.delete": topics.remove,
  "topics.retrieveSubscriber": topics.retrieveSubscriber,
  "topicSubscriptions.list": topicSubscriptions.list,
  "topicSubscriptions.create": topicSubscriptionEntries.create,
  "topicSubscriptions.delete": topicSubscriptionEntries.remove,
  "topicSubscriptions.retrieve": topicSubscriptions.retrieve,
  "topicSubscriptions.update": topicSubscriptions.update,
  "contexts.list": contexts.list,
  "contexts.create": contexts.create,
  "contexts.retrieve": contexts.retrieve,
  "contexts.update": contexts.update,
  "contexts.delete": contexts.remove,
  "integrations.list": integrations.list,
  "integrations.create": withPrecheck(integrations.checkNew, integrations.create),
  "integrations.update": withPrecheck(integrations.checkChange, integrations.update),
  "integrations.delete": integrations.remove,
  "integrations.listActive": integrations.listActive,
  "integrations.setPrimary": integrations.setPrimary,
  "integrations.tryNow": withPrecheck(tryNow.tryCheck, tryNow.tryNow),
  "integrations.autoConfigure": withPrecheck(autoConfigure.register, autoConfigure.store),
  "integrations.createChatOauthUrl": chatOauth.createUrl,
  "providers.list": providers.list,
  "channelConnections.list": channelConnections.list,
  "channelConnections.create": channelConnections.create,
  "channelConnections.retrieve": channelConnections.retrieve,
  "channelConnections.update": channelConnections.update,
  "channelConnections.delete": channelConnections.remove,
  "channelEndpoints.list": channelEndpoints.list,
  "channelEndpoints.create": channelEndpoints.create,
  "channelEndpoints.retrieve": channelEndpoints.retrieve,
  "channelEndpoints.update": channelEndpoints.update,
  "channelEndpoints.delete": channelEndpoints.remove,
  ...variableRoutes,
  "environments.list": environments.list,
  "environments.create": environments.create,
  "environments.update": environments.update,
  "environments.delete": environments.remove,
  "environments.listTags": environments.listTags,
  "environments.retrieveClock": clock.retrieve,
  "environments.updateClock": clock.update,
  "environments.retrieveTimeline": timeline.retrieve,
  "retention.retrieve": retention.retrieve,
  "retention.update": retention.update,
  "retention.preview": retention.preview,
  "environments.diff": publishing.diff,
  "environments.publish": publishing.publish,
  "environments.listPublishes": publishes.list,
  "environments.retrievePublish": publishes.retrieve,
  "environments.planRestore": publishes.previewRestore,
  "environments.restorePublish": publishes.restore,
  "environments.createApiKey": apiKeys.createApiKey,
  "environments.updateApiKey": apiKeys.updateApiKey,
  "environments.revokeApiKey": apiKeys.revokeApiKey,
  "sources.list": sources.list,
  "sources.create": withPrecheck(sources.checkNew, sources.create),
  "sources.retrieve": sources.retrieve,
  "sources.update": withPrecheck(sources.checkChange, sources.update),
  "sources.delete": sources.remove,
  "sources.check": withPrecheck(sources.callDatabase, sources.check),
  "webhooks.list": webhooks.list,
  "webhooks.create": withPrecheck(webhooks.checkNew, webhooks.create),
  "webhooks.retrieve": webhooks.retrieve,
  "webhooks.update": withPrecheck(webhooks.checkChange, webhooks.update),
  "webhooks.delete": webhooks.remove,
  "webhooks.rotateSecret": webhooks.rotateSecret,
  "webhooks.listDeliveries": webhookDeliveries.list,
  "webhooks.retrieveDelivery": webhookDeliveries.retrieve,
  "webhooks.test": withPrecheck(webhookTest.call, webhookTest.record),
  "inboundReceipts.list": inboundReceipts.list,
  "webhooks.replay": webhookDeliveries.replay,
  "inboundWebhooks.receive": withPrecheck(inboundWebhooks.verify, inboundWebhooks.receive),
  "inboundWebhooks.receiveByGet": withPrecheck(inboundWebhooks.verifyByGet, inboundWebhooks.receiveByGet),
  "imports.list": imports.list,
  "imports.create": withPrecheck(imports.readFile, imports.create),
  "imports.preview": imports.preview,
  "imports.retrieve": imports.retrieve,
  "imports.listErrors": imports.listErrors,
  "preferences.updateMany": preferencesOfMany.updateMany,
  "suppressions.list": suppressions.list,
  "suppressions.create": suppressions.create,
  "suppressions.delete": suppressions.remove,
  "captured.list": captured.list,
  "captured.delete": captured.remove,
  "captured.retrieve": captured.retrieve,
  "captured.deleteOne": captured.removeOne,
  "captured.retrieveAttachment": captured.retrieveAttachment,
  "deadLetters.list": deadLetters.list,
  "deadLetters.listGroups": deadLetters.listGroups,
  "deadLetterReplays.preview": deadLetterPreview.preview,
  "deadLetterReplays.create": deadLetterReplays.create,
  "deadLetterReplays.list": deadLetterReplays.list,
  "deadLetterReplays.retrieve": deadLetterReplays.retrieve,
  "deadLetterReplays.pause": deadLetterReplays.pause,
  "deadLetterReplays.resume": deadLetterReplays.resume,
  "deadLetterReplays.stop": deadLetterReplays.stop,
  "deadLetters.replay": deadLetters.replay,
  "deadLetters.replayMany": deadLetters.replayMany,
  "alertRules.list": alertRules.list,
  "alertRules.create": withPrecheck(alertRules.checkNew, alertRules.create),
  "alertRules.retrieve": alertRules.retrieve,
  "alertRules.update": withPrecheck(alertRules.checkChange, alertRules.update),
  "alertRules.delete": alertRules.remove,
  "alertRules.test": withPrecheck(alertRuleTest.send, alertRuleTest.report),
  "alerts.list": alerts.list,
  "alerts.acknowledge": alerts.acknowledge,
  "failedTasks.list": failedTasks.list,
  "failedTasks.replay": failedTasks.replay,
  "auth.methods": signIn.methods,
  "auth.retrieveSession": memberSessions.retrieve,
  "auth.signIn": withPrecheck(signIn.checkPassword, signIn.signIn),
  "auth.checkLink": links.check,
  "auth.redeemLink": withPrecheck(links.prepare, links.redeem),
  "auth.signOut": memberSessions.signOut,
  "auth.signOutEverywhere": memberSessions.signOutEverywhere,
  "auth.updatePerson": withPrecheck(signIn.checkOwnPassword, signIn.updateOwn),
  "people.list": members.list,
  "people.update": members.update,
  "people.delete": members.remove,
  "people.createResetLink": members.createResetLink,
  "people.listResetLinks": members.listResetLinks,
  "people.deleteResetLink": members.deleteResetLink,
  "people.listInvitations": members.listInvitations,
  "people.createInvitation": members.createInvitation,
  "people.deleteInvitation": members.deleteInvitation,
  "auditLog.list": auditLog.list,
  "auditLog.export": auditLog.exportPart,
  "system.retrieve": system.retrieve,
};

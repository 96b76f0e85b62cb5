// Documented fields that no response of the conformance program has, and why.

/** Fields that the good call of no operation shows, and why. */
export const explained: [RegExp, string][] = [
  [/^Backtest/, "a short history without a change; pipeline/backtests has the others"],
  [
    /^(ResourceIssue|PublishCheck)\.|^ResourceDiff\.checks$|^FileDriftSince\.at$/,
    "the resources have no errors; app/files and app/environments test both",
  ],
  [
    /^Source\.(roles|lastAcceptedAt|measuredAt|failingSince|lastError|lastErrorAt)$/,
    "a new source, which is paused; pipeline/sources has the others",
  ],
  [/^(Credentials|ChannelCredentials|ChannelEndpoint\w+|IntegrationConfigurations)\./, "each provider uses a subset"],
  [/^ErasureRemainder\.rows$/, "only where a workflow or layout mentions the person"],
  [/^Integration\.(configurations|deletedAt|deletedBy)$/, "unset; deleted integrations are not shown"],
  [/^IntegrationHealth\.(openedAt|nextProbeAt|failingSince)$|^Step\.deadlineSeconds$/, "in use; unset"],
  [/^IntegrationHealth\.(lastError|oldestWaitingAt)$|^StatisticsWaiting\.oldestAt$/, "no provider is away"],
  [/^StepPreview\.data\.checks$|^MailCheck\./, "of an email; app/workflows/preview.test.ts"],
  [
    /^Translation\.(outdatedKeys|faults)$|^TranslationFault\.|^LocaleCompleteness\.(outdated|faulty)$|^UsedTextKey\./,
    "only of texts with a fault, and of templates with keys; app/workflows/translation-health.test.ts",
  ],
  [/^ConditionMatch\.data\.(fault|matching)$|^MatchedSubscriber\./, "app/subscribers/match.test.ts"],
  [/^(ActivityEvent|ExplainedEvent)\.isTest$/, "only of tests of drafts; app/workflows/tests.test.ts"],
  [/^SentRequest\.data\.error$/, "only of a request that failed; pipeline/requests/authoring.test.ts"],
  [
    /^(ActivityEvent|ExplainedEvent)\.startedBy$|^(Activity|Event)Starter\./,
    "only of events that a step started; pipeline/steps/start-workflow.test.ts",
  ],
  [/^StepPreview\.data\.template$/, "only with withTemplate; app/workflows/preview.test.ts"],
  [/^InboxSession\.theme$/, "only with a brand; app/brand/branded-places.test.ts"],
  [/^StepPreview\.data\.variables$/, "only with a draft; app/workflows/preview.test.ts"],
  [/^Explanation\.rollUp$|^RollUpItem\./, "only of roll-ups; pipeline/attention/budget.test.ts"],
  [/\.held$|^StatisticsHeld\./, "no budget is full; app/events/statistics-held.test.ts has it"],
  [/\.latency$|^StatisticsLatency\./, "messages are captured, which is no answer of a provider"],
  [
    /^(DeadLetterReplayJob|DeadLetterReplayPreview\.others)\.integrationIdentifier$|^WebhookDeliveryWithRequest\.nextAttemptAt$/,
    "unset: no other integration was named, no retry is planned",
  ],
  [/^StoredReceipt\.(excerpt|reason|recipient)$/, "of refused requests, and of reports on one recipient of several"],
  [/^IntegrationAutoConfigured\.integration$/, "only for providers that register webhooks themselves"],
  [
    /^(EmailBlock|FieldFilterPart|StepFilter|JobDigest)\.|^Job\.(digest|scheduleExtensionsCount)$/,
    "other contents and step types",
  ],
  [
    /^(FeedItem|Message)\.(_feedId|_messageTemplateId|deviceTokens|overrides|phone|title)$/,
    "other channels, or not sent",
  ],
  [/^Message\.(directWebhookUrl|expiresAt|snoozedUntil)$|^MessageCta\./, "other channels and states"],
  [/^SubscriberNotification\.(archivedAt|avatar|expiresAt|firstSeenAt|readAt|redirect|secondaryAction)$/, "unset"],
  [
    /^(ApiKey\.hash|CapturedMessage\.(attachments|bcc|cc|from|headers|replyTo|senderName))$|^CapturedAttachment\.|^NotificationTrigger\.subscriberVariables/,
    "optional, not sent",
  ],
  [
    /^Notification\._digestedNotificationId$|^(PreferenceEntry\.condition|GlobalPreference\.schedule|WorkflowRef\.data)$/,
    "unset",
  ],
  [
    /^(Layout|Step|Workflow)\.issues$|^(ContentIssue|IntegrationIssue|RuntimeIssue|StepIssues|User)\./,
    "nothing is wrong",
  ],
  [
    /^(ReachTopic|DigestLeader|DryRunLeftOut)\.|^Reach\.topics$|^Explanation\.digestedInto$|^DryRun\.(error|note)$/,
    "other ways to be reached, or not",
  ],
  [/^Scenario\w*\./, "other people, actions and messages; app/events/scenarios.test.ts has them"],
  [
    /^AlertMessage\.|^Alert\.(resolvedAt|ending)$/,
    "nothing is wrong, so nobody was told; app/alerts/alerts.test.ts has messages",
  ],
  [/^InvitationMail\./, "no production environment has an email integration; app/members/members.test.ts has one"],
  [/^(AuthMethods|SignInMethods)\.oidc\.name$/, "no issuer is configured; app/members/oidc.rest.test.ts has one"],
  [/^ChannelStepResult\.last(Read|Seen)Date$/, "nothing was seen or read"],
  [/^ExplainedStep\.until$|^ExplainedMessage\.(isTruncated|error\w+)$|^ExplainedAttempt\.reason$/, "all went well"],
  [
    /^ResourceDiff\.dependencies$|^(PreviewSubscriber|ResourceChange|ResourceDependency|ResourceInfo|Schedule\w*|WeeklySchedule)\./,
    "parts of a whole",
  ],
  [
    /^Webhook(WithSecret)?\.disabled(At|Reason)$|^Suppression\.messageId$/,
    "switched off and suppressed by the service",
  ],
  [
    /^ActivityEventList\.scanned(To|From)$|^WorkflowVersionStep\.(filters|deadlineSeconds)$/,
    "all events were looked at; unset",
  ],
  [/^Environment\.broadcastApproval$/, "it is off; app/broadcasts/approval.test.ts switches it on"],
  [/^StepIn\./, "broadcasts show steps as they were sent"],
  [
    /^EnvironmentPublish\.publishId$/,
    "the environments are the same; app/environments/publish-history.rest.test.ts has it",
  ],
  [/^ChangedSince\./, "nothing was changed since; app/environments/publish-history.rest.test.ts has it"],
  [/^SubscriptionRuleIn\.filter/, "a rule names a workflow, or has a filter"],
  [
    /^DecidedBy\.name$/,
    "nothing was decided by an integration or another step; app/events/explain.rest.test.ts has it",
  ],
  [/^Retention(Run|Deleted)\./, "nothing was deleted yet; app/environments/retention.rest.test.ts has it"],
  [/^OpenBreaker\./, "no circuit breaker is open"],
  [
    /^(ActivityEvent|Notification)\.searchKey$|^SearchKeyValue\./,
    "the workflows have no search keys; app/events/activity.rest.test.ts has some",
  ],
  [/^Message\.error(Id|Text)$|^WebhookHealth\.(failingSince|last\w+)$/, "all went well, and no webhook was called yet"],
  [
    /^(ExportedResources|FileInFlight|FileKept|FileChange|InFlightStep|InFlightStepRef)\./,
    "nothing is under way; app/files/files.test.ts",
  ],
  [/^PreviewResult\.(html|text|body|preheader|senderName|replyTo|cc|bcc)$/, "of an email; and the body has a fault"],
  [/^WebhookDelivery\.(lastAttemptAt|nextAttemptAt|response|responseStatus)$/, "not tried yet, or not again"],
  [/^(PublishedResource|UnpublishableResource|SkippedResource|TranslationUpload|MasterImport)\./, "other outcomes"],
];

/** Documented because the contract has them, left out for the reasons in docs/contract.md. */
export const leftOut = [
  ...["EmailBlock.content", "FeedItem._feedId", "FeedItem._messageTemplateId", "FeedItem.deviceTokens"],
  ...["Message._feedId", "Message._messageTemplateId", "MessageCta.action.buttons.resultContent"],
  ...["NotificationTrigger.subscriberVariables", "PreferenceEntry.condition", "Workflow.issues", "WorkflowRef.data"],
  ...["User.externalId", "User.firstName", "User.lastName"],
];

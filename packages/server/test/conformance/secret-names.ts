// Names of members that sound like a secret.

/** Names of members that hold secrets elsewhere, and why these do not. */
export const harmless: [RegExp, string][] = [
  [/^(ApiKey\._id|ApiKey\.hash)$/, "an id, and a hash that nothing accepts"],
  [
    /^ImportColumn\.|^Topic\.key$|^TopicRef\.key$|^DigestKey\.|\.(topicKey|digestKey)$|^OpenDigest\.key$|topics\.key$/,
    "names",
  ],
  [
    /^MessageCta\.|^EmailBlock\.url$|^Notification(Action|Redirect)\.|^(Captured|Scenario)Message\.links$/,
    "content of messages",
  ],
  [/^PreviewResult\.|^SubscriberNotification\.redirect$/, "content of messages"],
  [/^(SignedIn\.csrfToken|SignInMethods\.password|AuthMethods\.password|\w+\.hasPassword)$/, "of the own session"],
  [/^Provider(\.credentials|Credential\.\w+)$/, "describe credentials; they are none"],
  [/\.contextKeys$|^ExecutionDetail\.source$|^TopicSubscriber\.topicKey$/, "names of contexts, topics and sources"],
  [/^SearchKeyValue\.key$/, "a path in a payload"],
  [/^EnvironmentVariable\.(key|isSecret)$/, "the name of a variable, and whether its value is a secret"],
  [/^ScenarioAction\.key$/, "the key of a signal, such as an order"],
  [/^FailingWebhook\.url$/, "host and path, for every role"],
  [/^RenderedRequest\.url$/, "credentials in it are masked"],
  [/^Asset\.url$|^(Shown)?BrandLink\.url$|^ExportedResources\.brand\./, "public"],
  [/^(TranslationFault|UsedTextKey)\.key$/, "names of texts"],
  [/^ChannelConnection\.auth$|^WebhookDelivery\w*\.request$|^WebhookEvent\./, "their members are marked"],
];
export const suspicious =
  /token|secret|passw|credential|auth$|signing|apikey|private|webhookurl|accesskey|(^|\.)(key|url|link|links|hash)$/i;

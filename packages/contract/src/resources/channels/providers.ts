// The providers an integration may use, with what each of them needs: everything that a form shows.
import { ChannelWord } from "../../common.ts";
import { operation } from "../../operation.ts";
import { addedProviderIds, inAppProviderId, providerIds } from "../../provider-ids.ts";
import { named, oneOf, type Static, Type } from "../../schema.ts";

export const credentialTypes = ["string", "multiline", "number", "boolean", "select", "object"] as const;

export const ProviderCredential = named("ProviderCredential", {
  key: Type.String({ description: "Name of the member in an integration's `credentials`" }),
  label: Type.String(),
  type: oneOf(credentialTypes, { title: "CredentialType" }),
  required: Type.Boolean({
    description: "An active integration needs it; `from` and `senderName` may also come with the step or the event",
  }),
  secret: Type.Boolean({ description: "Write-only: a stored value is returned as `********`" }),
  options: Type.Optional(Type.Array(Type.String(), { description: "The values of a `select`" })),
  default: Type.Optional(Type.String({ description: "The value used when it is left blank" })),
});
export type ProviderCredential = Static<typeof ProviderCredential>;

export const ProviderLimits = named("ProviderLimits", {
  text: Type.Optional(Type.Integer({ description: "Characters in an SMS, a chat message or a push body" })),
  recipients: Type.Optional(Type.Integer({ description: "Recipients per mail: to, cc and bcc together" })),
  attachmentBytes: Type.Optional(Type.Integer({ description: "All attachments of a mail together" })),
  perSecond: Type.Optional(Type.Number({ description: "Calls per second; see `configurations.maxPerSecond`" })),
});

export const ProviderUnsending = named("ProviderUnsending", {
  delete: Type.Boolean({ description: "Deletes a message where people read it" }),
  replace: Type.Boolean({ description: "Changes a message where people read it" }),
  removal: Type.Boolean({ description: "Asks the device to remove the notification, without a confirmation" }),
});

export const Provider = named("Provider", {
  id: oneOf([...providerIds, ...addedProviderIds, inAppProviderId], { description: "`providerId` of integrations" }),
  channel: ChannelWord,
  name: Type.String(),
  docs: Type.Optional(Type.String({ description: "The provider's own documentation" })),
  help: Type.Optional(Type.String({ description: "Where to get the credentials" })),
  credentials: Type.Array(ProviderCredential),
  limits: ProviderLimits,
  receipts: Type.Boolean({
    description: "Whether the provider's own delivery reports are understood; if not, reports in the generic form are",
  }),
  canCheck: Type.Boolean({ description: "An integration's `check` asks the provider whether the credentials work" }),
  autoConfigure: Type.Boolean({
    description: "`integrations.autoConfigure` registers the webhook for its delivery reports",
  }),
  unsend: ProviderUnsending,
  isCapture: Type.Boolean({ description: "Sends nothing: messages are kept in the development mailbox" }),
});
export type Provider = Static<typeof Provider>;

export const providerOperations = {
  "providers.list": operation({
    id: "providers.list",
    method: "GET",
    path: "/v1/providers",
    summary: "List the providers",
    description: "All of them, in a fixed order, with what a form for a new integration needs.",
    category: "configuration",
    query: Type.Object({ channel: Type.Optional(ChannelWord) }),
    success: { status: 200, schema: Type.Array(Provider) },
    errors: [],
  }),
};

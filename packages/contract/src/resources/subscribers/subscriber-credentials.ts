// How a subscriber is reached on chat and push: one entry per integration, with device tokens or an address. And
// whether the subscriber is online, which the same client software reports.
import { operation } from "../../operation.ts";
import { addedProviderIdsByChannel, providerIdsByChannel } from "../../provider-ids.ts";
import { named, oneOf, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { ChannelCredentials, Subscriber, subscriberPath } from "./subscribers.ts";

/** Device tokens of one subscriber for one integration. */
export const maxDeviceTokens = 100;

/** The longest tokens are the subscriptions of browsers: JSON of 300 to 700 characters. */
export const maxDeviceTokenLength = 4_096;

const { deviceTokens, ...addresses } = ChannelCredentials.properties;

export const SubscriberCredentialsIn = named("SubscriberCredentialsIn", {
  providerId: oneOf([...providerIdsByChannel.chat, ...providerIdsByChannel.push, ...addedProviderIdsByChannel.push]),
  integrationIdentifier: Type.Optional(
    Type.String({ minLength: 1, description: "Default: the provider's first active integration" }),
  ),
  // A silently dropped secret would only show up when a send fails, so unknown members are refused.
  credentials: named(
    "ChannelCredentialsIn",
    {
      ...addresses,
      deviceTokens: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: maxDeviceTokenLength }), { maxItems: maxDeviceTokens }),
      ),
    },
    { additionalProperties: false, ...secret("editor") },
  ),
});
export type SubscriberCredentialsIn = Static<typeof SubscriberCredentialsIn>;

export const subscriberCredentialOperations = {
  "subscribers.replaceCredentials": operation({
    id: "subscribers.replaceCredentials",
    method: "PUT",
    path: "/v1/subscribers/{subscriberId}/credentials",
    summary: "Replace a subscriber's credentials for a provider",
    category: "configuration",
    role: "support",
    params: subscriberPath,
    body: SubscriberCredentialsIn,
    success: { status: 200, schema: Subscriber },
    errors: ["SUBSCRIBER_NOT_FOUND", "INTEGRATION_NOT_FOUND"],
  }),
  "subscribers.appendCredentials": operation({
    id: "subscribers.appendCredentials",
    method: "PATCH",
    path: "/v1/subscribers/{subscriberId}/credentials",
    summary: "Add to a subscriber's credentials for a provider",
    description:
      "Device tokens are added without duplicates, up to 100; any other given members replace the stored ones.",
    category: "configuration",
    role: "support",
    params: subscriberPath,
    body: SubscriberCredentialsIn,
    success: { status: 200, schema: Subscriber },
    errors: ["SUBSCRIBER_NOT_FOUND", "INTEGRATION_NOT_FOUND"],
  }),
  "subscribers.deleteCredentials": operation({
    id: "subscribers.deleteCredentials",
    method: "DELETE",
    path: "/v1/subscribers/{subscriberId}/credentials/{providerId}",
    summary: "Delete a subscriber's credentials for a provider",
    description: "For all the provider's integrations. It is not an error if nothing is stored.",
    category: "configuration",
    role: "support",
    params: Type.Object({ ...subscriberPath.properties, providerId: Type.String() }),
    success: { status: 204 },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
  "subscribers.updateOnlineStatus": operation({
    id: "subscribers.updateOnlineStatus",
    method: "PATCH",
    path: "/v1/subscribers/{subscriberId}/online-status",
    summary: "Set whether a subscriber is online",
    description: "Going offline sets `lastOnlineAt`.",
    category: "configuration",
    role: "support",
    params: subscriberPath,
    body: named("OnlineStatusIn", { isOnline: Type.Boolean() }),
    success: { status: 200, schema: Subscriber },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
};

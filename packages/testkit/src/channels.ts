// What tests of chat channels begin with: integrations, subscribers, connections and endpoints, over the interface.
import type { Input } from "@tidings/contract";
import type { TestService } from "./service.ts";

type Client = TestService["client"];

const credentialsOf: Record<string, Record<string, unknown>> = {
  slack: { applicationId: "A1", clientId: "C1", secretKey: "slack-secret" },
  getstream: { apiKey: "k" },
  "rocket-chat": { token: "t", user: "u" },
  "whatsapp-business": { apiToken: "t", phoneNumberIdentification: "1" },
  telegram: { token: "1:t" },
};

/** An active chat integration under this identifier. */
export const chatIntegration = async (client: Client, identifier: string, providerId = "slack", credentials = {}) =>
  (
    await client("integrations.create", {
      body: {
        providerId: providerId as "slack",
        channel: "chat",
        identifier,
        active: true,
        credentials: { ...credentialsOf[providerId], ...credentials },
      },
    })
  ).body;

export const subscriber = async (client: Client, subscriberId: string) =>
  (await client("subscribers.create", { body: { subscriberId } })).body;

type ConnectionIn = Partial<Input<"channelConnections.create">["body"]>;

export const connection = async (client: Client, integrationIdentifier: string, fields: ConnectionIn = {}) =>
  (
    await client("channelConnections.create", {
      body: { integrationIdentifier, workspace: { id: "T1" }, auth: { accessToken: "xoxb-1" }, ...fields },
    })
  ).body;

type EndpointIn = Partial<Input<"channelEndpoints.create">["body"]>;

export const endpoint = async (
  client: Client,
  integrationIdentifier: string,
  subscriberId: string,
  fields: EndpointIn = {},
) =>
  (
    await client("channelEndpoints.create", {
      body: {
        integrationIdentifier,
        subscriberId,
        type: "webhook",
        endpoint: { url: "https://a.example/1" },
        ...fields,
      },
    })
  ).body;

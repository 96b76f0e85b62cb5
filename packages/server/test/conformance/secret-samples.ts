// Made-up responds with a canary in every secret, and a world whose records hold canaries: what a role may not see must
// be in no response.
import { isRoleEnough, type Role, type SecretMark, secretKeyword } from "@tidings/contract";
import type { Client } from "@tidings/testkit/client";

type Schema = Record<string, unknown>;

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

/** By the canary that is in the value: who may see it. */
export type Canaries = Map<string, SecretMark["role"]>;

export const isSeenBy = (role: Role, least: SecretMark["role"]): boolean =>
  least !== "none" && isRoleEnough(role, least);

/** The canaries in a text, each once. */
export const canariesIn = (text: string): Set<string> => new Set(text.match(/canary-\d+-\w+/g));

const texts = ["text", "+441234567890", "https://example.com/a"];

function sampleText(schema: Schema, mark: SecretMark | null, canaries: Canaries): string {
  if (Array.isArray(schema.enum)) return String(schema.enum[0]);
  if (mark) {
    const canary = `canary-${canaries.size}-${mark.role}`;
    canaries.set(canary, mark.role);
    const address = `https://example.com/${mark.shown === "host and path" ? "path?key=" : ""}${canary}`;
    return mark.shown === "masked" || mark.shown === "removed" ? canary : address;
  }
  const pattern = typeof schema.pattern === "string" ? new RegExp(schema.pattern, "u") : /^/;
  return texts.find((text) => pattern.test(text)) ?? texts[0]!;
}

/** A value of the schema. `variant` chooses among alternatives; the mark of an object covers all that is below it. */
export function sampleOf(
  schema: Schema,
  variant: number,
  canaries: Canaries,
  above: SecretMark | null = null,
): unknown {
  const mark = (schema[secretKeyword] as SecretMark | undefined) ?? above;
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (choices && !schema.properties) return sampleOf(choices[variant % choices.length]!, variant, canaries, mark);
  if (schema.const !== undefined) return schema.const;
  const type = [schema.type].flat()[0];
  if (type === "array") {
    const items = schema.items as Schema;
    return [variant, variant + 1].map((one) => sampleOf(items, one, canaries, mark));
  }
  if (type === "object") {
    const properties = Object.entries((schema.properties as Record<string, Schema>) ?? {});
    const others = [schema.additionalProperties, ...Object.values((schema.patternProperties as Schema) ?? {})];
    const members = others.filter(isSchema).map((one): [string, Schema] => ["other", one]);
    // Alternatives of an object say which members it has.
    const required = (choices ?? []).map((choice) => (choice.required as string[] | undefined) ?? []);
    const chosen = required[variant % required.length] ?? [];
    const excluded = required.flat().filter((name) => !chosen.includes(name));
    return Object.fromEntries(
      [...properties, ...members]
        .filter(([name]) => !excluded.includes(name))
        .map(([name, member]) => [name, sampleOf(member, variant, canaries, mark)]),
    );
  }
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return 1;
  if (type === "null") return null;
  if (isSchema(schema.contentSchema)) return JSON.stringify(sampleOf(schema.contentSchema, variant, canaries, mark));
  return type === "string" ? sampleText(schema, mark, canaries) : {};
}

/** Alternatives of one value that a schema has, at most. */
export function maxAlternatives(schema: unknown): number {
  if (Array.isArray(schema)) return Math.max(1, ...schema.map(maxAlternatives));
  if (!isSchema(schema)) return 1;
  const own = ["anyOf", "oneOf"].map((name) => ((schema[name] as Schema[]) ?? []).length);
  return Math.max(1, ...own, ...Object.values(schema).map(maxAlternatives));
}

/** Secrets of the records in a world, and the least role that sees each; the API key of the service is one more. */
export const planted: Record<string, SecretMark["role"]> = {
  "canary-access-token": "none",
  "canary-device-token": "editor",
  "canary-chat-webhook": "editor",
  "canary-endpoint-webhook": "editor",
  "canary-account": "editor",
  "canary-provider-secret": "none",
  "canary-receiver-query": "editor",
  "canary-passthrough": "none",
  "canary-source-address": "none",
};

/** Bodies of requests that fit what was planted. */
export const plantedBodies: Record<string, unknown> = {
  "channelEndpoints.update": { endpoint: { url: "https://hooks.example.com/canary-endpoint-webhook" } },
};

const chatWebhook = "https://hooks.example.com/canary-chat-webhook";

/** The client of a world, which plants secrets in what it creates. */
export function createPlantingClient(client: Client): Client {
  const change: Record<string, (body: Schema) => Schema> = {
    "channelConnections.create": (body) => ({ ...body, auth: { accessToken: "canary-access-token" } }),
    "channelEndpoints.create": ({ connectionIdentifier: _, ...body }) => ({
      ...body,
      type: "webhook",
      endpoint: { url: "https://hooks.example.com/canary-endpoint-webhook" },
    }),
    "integrations.create": (body) => ({ ...body, credentials: plantCredentials(body) }),
    "sources.create": (body) => ({ ...body, url: `${body.url}?application_name=canary-source-address` }),
    "webhooks.create": (body) => ({ ...body, url: `${body.url}?key=canary-receiver-query` }),
    "subscribers.replaceCredentials": (body) => ({ ...body, credentials: { deviceTokens: ["canary-device-token"] } }),
    "events.triggerBulk": (body) => ({
      events: (body.events as Schema[]).map((event) => ({ ...event, overrides: passthrough })),
    }),
  };
  const call = async (id: string, input: { body?: Schema } = {}) => {
    const body = input.body && change[id] ? change[id](input.body) : input.body;
    const answer = await client(id as never, { ...input, ...(body && { body }) } as never);
    if (id === "subscribers.create") {
      const { subscriberId } = answer.body as unknown as { subscriberId: string };
      const credentials = { webhookUrl: chatWebhook };
      await client("subscribers.appendCredentials", {
        params: { subscriberId },
        body: { providerId: "svc-slack" as never, credentials },
      });
    }
    return answer;
  };
  return Object.assign(call, { raw: client.raw }) as Client;
}

const passthrough = { providers: { sendgrid: { _passthrough: { headers: { "x-api-key": "canary-passthrough" } } } } };

function plantCredentials({ providerId, credentials }: Schema): Schema {
  if (providerId === "sendgrid") return { ...(credentials as Schema), apiKey: "canary-provider-secret" };
  if (providerId === "slack") {
    return { ...(credentials as Schema), applicationId: "canary-account", secretKey: "canary-provider-secret" };
  }
  return credentials as Schema;
}

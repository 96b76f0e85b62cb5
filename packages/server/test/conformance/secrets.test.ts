// What people see of secrets: every operation, made-up and real responses, lists and single records, for every role. A
// secret that the role may not see is in no response, and no response fails because a secret in it is masked.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isForMembers,
  isRoleEnough,
  type Operation,
  type OperationId,
  operations,
  type Role,
  readsOnly,
  refusedField,
  requiredRoleOf,
  roles,
  type SecretMark,
  secretKeyword,
  secretPlacesOf,
} from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { serialize } from "../../src/http/request/call.ts";
import { hideFrom } from "../../src/http/request/visible-fields.ts";
import { compileBody } from "../../src/validation.ts";
import { type Browser, invite } from "../app/members/browsers.ts";
import { inputOf } from "./fixtures.ts";
import {
  type Canaries,
  createPlantingClient,
  maxAlternatives,
  planted,
  plantedBodies,
  sampleOf,
} from "./secret-samples.ts";
import { createWorld } from "./world.ts";

const all = (Object.values(operations) as Operation[]).filter(isForMembers);
const isSeenBy = (role: Role, least: SecretMark["role"]) => least !== "none" && isRoleEnough(role, least);

test("every operation's answer, with a canary in every secret, shows each role what it may see and nothing else", () => {
  let count = 0;
  for (const operation of all) {
    const { schema } = operation.success;
    if (!schema) continue;
    for (let variant = 0; variant < maxAlternatives(schema); variant++) {
      const canaries: Canaries = new Map();
      const answer = sampleOf(schema as never, variant, canaries);
      for (const role of roles) {
        const { body } = serialize(operation, answer, role);
        const shown = [...canaries.keys()].filter((canary) => new RegExp(`${canary}\\b`).test(body!));
        const expected = [...canaries].filter(([, least]) => isSeenBy(role, least)).map(([canary]) => canary);
        assert.deepEqual(shown, expected, `${operation.id} for ${role}`);
        count += canaries.size;
      }
      const program = serialize(operation, answer, undefined);
      assert.ok(
        [...canaries.keys()].every((canary) => program.body!.includes(canary)),
        operation.id,
      );
    }
  }
  assert.ok(count > 1_000, `${count}`);
});

/** Names of members that hold secrets elsewhere, and why these do not. */
const harmless: [RegExp, string][] = [
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
const suspicious =
  /token|secret|passw|credential|auth$|signing|apikey|private|webhookurl|accesskey|(^|\.)(key|url|link|links|hash)$/i;

test("every member of an answer whose name sounds like a secret is marked, or harmless for the reason above", () => {
  const found = new Set<string>();
  const visit = (schema: unknown, place: string, isCovered: boolean): void => {
    if (typeof schema !== "object" || schema === null) return;
    if (Array.isArray(schema)) {
      for (const one of schema) visit(one, place, isCovered);
      return;
    }
    const { title = place, properties = {}, ...rest } = schema as Record<string, never> & { properties?: object };
    const covered = isCovered || secretKeyword in schema;
    for (const [name, member] of Object.entries(properties)) {
      const field = `${title}.${name}`;
      const isMarked = covered || secretKeyword in (member as object);
      if (!isMarked && suspicious.test(name)) found.add(field);
      visit(member, field, covered);
    }
    for (const [keyword, below] of Object.entries(rest))
      if (/^(anyOf|oneOf|allOf|items|additionalProperties|patternProperties|contentSchema|\^.*)$/.test(keyword))
        visit(below, title, covered);
  };
  for (const { id, success } of all) visit(success.schema, id, false);
  assert.deepEqual(
    [...found].filter((field) => !harmless.some(([pattern]) => pattern.test(field))),
    [],
  );
});

test("what a customer stores is shown as it is, whatever its members are called", () => {
  const data = { deviceTokens: ["a"], credentials: { webhookUrl: "b" }, accessToken: "c", apiKeys: ["d"], url: "e" };
  const subscriber = { subscriberId: "ada", data, deleted: false, _organizationId: "o", _environmentId: "e" };
  const answer = { data: [{ ...subscriber, createdAt: "t", updatedAt: "t" }] };
  const { schema } = operations["subscribers.list"].success;
  assert.deepEqual(hideFrom("viewer", schema, answer), answer);
});

// Real responses. The records of this world hold the planted secrets.
const receiver = await startReceiver();
const service = await startTestService({
  TIDINGS_PUBLIC_URL: "https://notify.example.com",
  TIDINGS_TRUSTED_PROXIES: "127.0.0.1",
});
const world = createWorld(createPlantingClient(service.client), "s", receiver.url, service.db, service);
const owner = await world.once(world.owner);
const people: Record<Role, Browser> = {
  owner,
  editor: await invite(service, owner, "editor"),
  support: await invite(service, owner, "support"),
  viewer: await invite(service, owner, "viewer"),
};
const secrets: [string, SecretMark["role"]][] = [...Object.entries(planted), [service.apiKey, "owner"]];
const seen = new Map<string, Set<Role>>();

/** Calls as the person would, and checks what the person gets to see. */
async function checkAnswer(id: OperationId, role: Role, input: RawInput): Promise<void> {
  const { headers: _, ...given } = input;
  const sent = { ...given, ...(plantedBodies[id] !== undefined && { body: plantedBodies[id] }) };
  const reply = await people[role].call(id, sent);
  assert.ok(reply.status < 400, `${id} for ${role}: ${reply.status} ${reply.text.slice(0, 500)}`);
  for (const [secret, least] of secrets) {
    if (!reply.text.includes(secret)) continue;
    assert.ok(isSeenBy(role, least), `${id} shows ${secret} to ${role}`);
    seen.set(secret, (seen.get(secret) ?? new Set()).add(role));
  }
}

/** Push and chat messages, and a webhook delivery about the push message. */
async function plantMessages(): Promise<string> {
  const { id: webhookId } = await world.once(world.webhook);
  const { transactionId } = await world.deadLetter();
  const { workflowId } = await world.workflow([{ name: "Chat", type: "chat", controlValues: { body: "Hi" } }]);
  const { subscriberId } = await world.subscriber();
  await settled(service.client, await trigger(service.client, workflowId, subscriberId));
  return eventually(async () => {
    const { data } = (await service.client("webhooks.listDeliveries", { params: { webhookId } })).body;
    for (const { id: deliveryId } of data.filter(({ type }) => type === "message.failed")) {
      const { body } = await service.client("webhooks.retrieveDelivery", { params: { webhookId, deliveryId } });
      if (body.request.body.includes(transactionId)) return deliveryId;
    }
    return null;
  }, "the delivery about the push message");
}

const lists = (operation: Operation) => (operation.query?.properties.limit ? { limit: "50" } : {});

test("every answer that only reads, for every role", async () => {
  const reads = all.filter(readsOnly);
  const inputs: [OperationId, RawInput][] = [];
  for (const operation of reads) inputs.push([operation.id as OperationId, await inputOf(operation, world)]);
  const params = { webhookId: (await world.once(world.webhook)).id, deliveryId: await plantMessages() };
  inputs.push(["webhooks.retrieveDelivery", { params }]);
  for (const [id, input] of inputs) {
    const operation: Operation = operations[id];
    const allowed = roles.filter((one) => isRoleEnough(one, requiredRoleOf(operation)!));
    const query = { ...lists(operation), ...input.query };
    await Promise.all(allowed.map((role) => checkAnswer(id, role, { ...input, query })));
  }
});

/** These end the session of the person who calls them, need the key of the environment itself, or have no body. */
const leftOut = /^(auth\.signOut|auth\.signOutEverywhere|environments\.(delete|publish)|workflows\.sync)$/;

test("every answer to a change, for the least role that may make it, and for all others where it has secrets", async () => {
  for (const operation of all.filter((one) => !readsOnly(one) && !leftOut.test(one.id))) {
    for (const role of roles.filter((one) => isRoleEnough(one, requiredRoleOf(operation)!))) {
      const input = await inputOf(operation, world);
      if (refusedField(operation, input.body, role)) continue;
      await checkAnswer(operation.id as OperationId, role, input);
      if (!secretPlacesOf(operation.success.schema)) break;
    }
  }
});

test("support creates and updates endpoints with a webhook", async () => {
  const { identifier, subscriberId, integrationIdentifier } = await world.endpoint();
  const url = "https://hooks.example.com/canary-endpoint-webhook";
  const endpoint = { subscriberId, integrationIdentifier, type: "webhook", endpoint: { url: `${url}-2` } };
  const made = await people.support.call("channelEndpoints.create", { body: endpoint });
  assert.equal(made.status, 201, made.text);
  const patch = { params: { identifier }, body: { endpoint: { url: `${url}-3` } } };
  const changed = await people.support.call("channelEndpoints.update", patch);
  assert.deepEqual([changed.status, (changed.body as never as typeof endpoint).endpoint], [200, { url: "********" }]);
  const { body } = await service.client("channelEndpoints.retrieve", { params: { identifier } });
  assert.deepEqual(body.endpoint, { url: `${url}-3` });
});

test("the planted secrets were in the answers of those who may see them", () => {
  for (const [secret, least] of secrets.filter(([, role]) => role !== "none"))
    assert.deepEqual(
      [...(seen.get(secret) ?? [])].sort(),
      roles.filter((role) => isSeenBy(role, least)).sort(),
      secret,
    );
});

test("a mask fits wherever an answer may have one", () => {
  const visit = (schema: unknown): void => {
    if (typeof schema !== "object" || schema === null) return;
    const mark = (schema as Record<string, unknown>)[secretKeyword] as SecretMark | undefined;
    if (mark && (schema as { type?: string }).type === "string") assert.ok(compileBody(schema as never)("********"));
    Object.values(schema).forEach(visit);
  };
  for (const { success } of all) visit(success.schema);
});

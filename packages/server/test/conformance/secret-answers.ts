// Real responses, for every role, in a world whose records hold planted secrets.
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
  secretPlacesOf,
} from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import { settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { inputOf } from "./fixtures.ts";
import { onceOnly, type Scene } from "./scene.ts";
import { createPlantingClient, isSeenBy, planted, plantedBodies } from "./secret-samples.ts";
import { createWorld, type World } from "./world.ts";

const all = (Object.values(operations) as Operation[]).filter(isForMembers);

const lists = (operation: Operation) => (operation.query?.properties.limit ? { limit: "50" } : {});

/** These end the session of the person who calls them, need the key of the environment itself, or have no body. */
const leftOut = /^(auth\.signOut|auth\.signOutEverywhere|environments\.(delete|publish)|workflows\.sync)$/;

/** Push and chat messages, and a webhook delivery about the push message. */
async function plantMessages(world: World): Promise<string> {
  const { client } = world;
  const { id: webhookId } = await world.once(world.webhook);
  const { transactionId } = await world.deadLetter();
  const { workflowId } = await world.workflow([{ name: "Chat", type: "chat", controlValues: { body: "Hi" } }]);
  const { subscriberId } = await world.subscriber();
  await settled(client, await trigger(client, workflowId, subscriberId));
  return eventually(async () => {
    const { data } = (await client("webhooks.listDeliveries", { params: { webhookId } })).body;
    for (const { id: deliveryId } of data.filter(({ type }) => type === "message.failed")) {
      const { body } = await client("webhooks.retrieveDelivery", { params: { webhookId, deliveryId } });
      if (body.request.body.includes(transactionId)) return deliveryId;
    }
    return null;
  }, "the delivery about the push message");
}

/** Its own environment: with what the shared one has by now, every list would be long. */
async function prepare({ world: shared, clientOf, receiverUrl, db, members }: Scene) {
  const { _id: environmentId, apiKeys } = await shared.environment();
  const { key } = apiKeys![0]!;
  const secrets: [string, SecretMark["role"]][] = [...Object.entries(planted), [key, "owner"]];
  return {
    environmentId,
    secrets,
    world: createWorld(createPlantingClient(clientOf(key)), "s", receiverUrl, db, members),
  };
}

export function testSecretAnswers(scene: Scene): void {
  const prepared = onceOnly(() => prepare(scene));
  const seen = new Map<string, Set<Role>>();

  /** Calls as the person would, and checks what the person gets to see. */
  async function checkAnswer(id: OperationId, role: Role, input: RawInput): Promise<void> {
    const { environmentId, secrets } = await prepared();
    const { headers: _, ...given } = input;
    const sent = { ...given, ...(plantedBodies[id] !== undefined && { body: plantedBodies[id] }) };
    const reply = await (await scene.people())[role].call(id, sent, environmentId);
    assert.ok(reply.status < 400, `${id} for ${role}: ${reply.status} ${reply.text.slice(0, 500)}`);
    for (const [secret, least] of secrets) {
      if (!reply.text.includes(secret)) continue;
      assert.ok(isSeenBy(role, least), `${id} shows ${secret} to ${role}`);
      seen.set(secret, (seen.get(secret) ?? new Set()).add(role));
    }
  }

  test("every answer that only reads, for every role", async () => {
    const { world } = await prepared();
    const reads = all.filter(readsOnly);
    const inputs: [OperationId, RawInput][] = [];
    for (const operation of reads) inputs.push([operation.id as OperationId, await inputOf(operation, world)]);
    const params = { webhookId: (await world.once(world.webhook)).id, deliveryId: await plantMessages(world) };
    inputs.push(["webhooks.retrieveDelivery", { params }]);
    for (const [id, input] of inputs) {
      const operation: Operation = operations[id];
      const allowed = roles.filter((one) => isRoleEnough(one, requiredRoleOf(operation)!));
      const query = { ...lists(operation), ...input.query };
      await Promise.all(allowed.map((role) => checkAnswer(id, role, { ...input, query })));
    }
  });

  test("every answer to a change, for the least role that may make it, and for all others where it has secrets", async () => {
    const { world } = await prepared();
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
    const { world, environmentId } = await prepared();
    const { support } = await scene.people();
    const { identifier, subscriberId, integrationIdentifier } = await world.endpoint();
    const url = "https://hooks.example.com/canary-endpoint-webhook";
    const endpoint = { subscriberId, integrationIdentifier, type: "webhook", endpoint: { url: `${url}-2` } };
    const made = await support.call("channelEndpoints.create", { body: endpoint }, environmentId);
    assert.equal(made.status, 201, made.text);
    const patch = { params: { identifier }, body: { endpoint: { url: `${url}-3` } } };
    const changed = await support.call("channelEndpoints.update", patch, environmentId);
    assert.deepEqual([changed.status, (changed.body as never as typeof endpoint).endpoint], [200, { url: "********" }]);
    const { body } = await world.client("channelEndpoints.retrieve", { params: { identifier } });
    assert.deepEqual(body.endpoint, { url: `${url}-3` });
  });

  test("the planted secrets were in the answers of those who may see them", async () => {
    const { secrets } = await prepared();
    for (const [secret, least] of secrets.filter(([, role]) => role !== "none"))
      assert.deepEqual(
        [...(seen.get(secret) ?? [])].sort(),
        roles.filter((role) => isSeenBy(role, least)).sort(),
        secret,
      );
  });
}

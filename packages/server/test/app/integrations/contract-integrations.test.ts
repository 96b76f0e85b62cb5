// Integrations as the contract has them: every credential and every condition by name, and who delivers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { only } from "@tidings/testkit/lists";
import { faultsOf } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";
import { createWorkflow, detailsOf, messagesOf, settled, trigger } from "@tidings/testkit/verbs";

const { client } = await shareService();

const texts =
  "apiKey user secretKey domain password host port region accountSid messageProfileId token from senderName projectName " +
  "applicationId clientId baseUrl webhookUrl redirectUrl serviceAccount ipPoolName apiKeyRequestHeader " +
  "secretKeyRequestHeader idPath datePath apiToken authenticationTokenKey instanceId alertUid title imageUrl state " +
  "externalLink channelId phoneNumberIdentification accessKey appSid senderId tenantId AppIOBaseUrl";
const flags = "secure requireTls ignoreTls hmac authenticateByToken";
const each = <T>(names: string, value: T) => Object.fromEntries(names.split(" ").map((name) => [name, value]));

const update = async (integrationId: string, body: object) =>
  (await client("integrations.update", { params: { integrationId }, body })).body;
const sms = async (identifier: string, active = true) =>
  (await client("integrations.create", { body: { providerId: "svc-sms", channel: "sms", identifier, active } })).body;

test("40 texts, 5 switches and tlsOptions are known, and each has its type", async () => {
  const create = { providerId: "nodemailer" as const, channel: "email" as const, identifier: "all" };
  await client("integrations.create", { body: create });
  const given = { ...each(texts, "1000"), ...each(flags, false), tlsOptions: { minVersion: "TLSv1.2" } };
  assert.equal(Object.keys(given).length, 46);
  const { credentials } = await update("all", { credentials: given });
  const shown = Object.entries(credentials).map(([name, value]) => [name, value === "********" ? "1000" : value]);
  assert.deepEqual(Object.fromEntries(shown), given, "all of them are kept, secrets masked");

  const wrong = { ...each(texts, true), ...each(flags, "true"), tlsOptions: "x" };
  const faults = await faultsOf(client, "integrations.update", {
    params: { integrationId: "all" },
    body: { credentials: wrong },
  });
  assert.deepEqual(
    Object.keys(faults).toSorted(),
    Object.keys(given)
      .map((name) => `credentials.${name}`)
      .toSorted(),
  );
});

test("conditions of every type, joined either way, with every operator, are kept as given", async () => {
  const operators =
    "LARGER SMALLER LARGER_EQUAL SMALLER_EQUAL EQUAL NOT_EQUAL ALL_IN ANY_IN NOT_IN BETWEEN NOT_BETWEEN LIKE NOT_LIKE IN";
  const children = operators.split(" ").map((operator, n) => ({
    field: `f${n}`,
    value: "1,2",
    operator,
    on: n % 2 ? "subscriber" : "payload",
  }));
  const types = "BOOLEAN TEXT DATE NUMBER STATEMENT LIST MULTI_LIST GROUP".split(" ");
  const conditions = types.map((type, n) => ({
    isNegated: n > 3,
    type,
    value: n % 2 ? "AND" : "OR",
    children: children.slice(n * 2, n * 2 + 2),
  }));
  await sms("conditional", false);
  assert.deepEqual((await update("conditional", { conditions })).conditions, conditions);
  const bad = [
    { ...conditions[0], type: "SET", value: "XOR", children: [{ ...children[0], operator: "IS", on: "actor" }] },
  ];
  const input = { params: { integrationId: "conditional" }, body: { conditions: bad } };
  assert.deepEqual(Object.keys(await faultsOf(client, "integrations.update", input)).toSorted(), [
    "conditions.0.children.0.on",
    "conditions.0.children.0.operator",
    "conditions.0.type",
    "conditions.0.value",
  ]);
});

test("the primary delivers SMS; one that is not active, or deleted, sends nothing", async () => {
  await createWorkflow(client, "text", [{ name: "Text", type: "sms", controlValues: { body: "Hi" } }]);
  const send = async () => {
    const transactionId = await trigger(client, "text", { subscriberId: "ada", phone: "+4915112345678" });
    const notification = only(await settled(client, transactionId));
    const [captured] = (await client("captured.list", { query: { transactionId } })).body.data;
    const [message] = await messagesOf(client, transactionId);
    return { used: captured?.integrationIdentifier, message, details: detailsOf(notification, "sms") };
  };
  await sms("a");
  await sms("b");
  for (const integrationId of ["b", "a", "b"]) {
    await client("integrations.setPrimary", { params: { integrationId } });
    assert.equal((await send()).used, integrationId);
  }
  const others = (await client("integrations.list")).body.filter(
    ({ channel, identifier }) => channel === "sms" && identifier !== "b",
  );
  for (const { identifier } of others) await update(identifier, { active: false });
  const left = (await client("integrations.delete", { params: { integrationId: "b" } })).body;
  assert.ok(left.every(({ identifier, deleted, deletedAt }) => identifier !== "b" && !deleted && !deletedAt));
  const { used, message, details } = await send();
  assert.deepEqual([used, message?.status, message?.errorId], [undefined, "warning", "sms_missing_integration"]);
  assert.equal(details.at(-1), "No active integration for the channel");
});

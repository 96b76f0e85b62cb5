// The two vocabularies: which words are exchanged, where, and that nothing else ever is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatOrPushProviderEnum } from "@novu/api/models/components/chatorpushproviderenum.js";
import { GetChannelEndpointResponseDtoType } from "@novu/api/models/components/getchannelendpointresponsedto.js";
import { ProvidersIdEnum } from "@novu/api/models/components/providersidenum.js";
import { ResourceOriginEnum } from "@novu/api/models/components/resourceoriginenum.js";
import { ResourceTypeEnum } from "@novu/api/models/components/resourcetypeenum.js";
import { inAppProviderId, type Operation, operations, origins, providerIds } from "@tidings/contract";
import { pushSubscription } from "@tidings/testkit/browser";
import { newStage } from "@tidings/testkit/clock";
import fc from "@tidings/testkit/properties";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { createTranslator, exchangeSchema, exchangeWords, wordPositionsOf } from "../../src/http/request/vocabulary.ts";
import { createSecrets, parseEncryptionKeys } from "../../src/lib/secrets.ts";

const all = Object.values(operations) as Operation[];
const inWords = (values: readonly string[]) => exchangeSchema({ enum: values }).enum;

test("every word of the contract becomes the word that the SDK checks against, and back", () => {
  assert.deepEqual(new Set(inWords([...providerIds, inAppProviderId])), new Set(Object.values(ProvidersIdEnum)));
  assert.deepEqual(inWords(origins), Object.values(ResourceOriginEnum));
  const endpointTypes = ["chatapp_channel", "chatapp_user", "webhook", "phone", "teamsapp_channel", "teamsapp_user"];
  assert.deepEqual(new Set(inWords(endpointTypes)), new Set(Object.values(GetChannelEndpointResponseDtoType)));
  const types = exchangeSchema({ title: "ResourceType", enum: ["workflow", "layout", "step"] }).enum;
  assert.deepEqual(new Set(types), new Set(Object.values(ResourceTypeEnum)));
  for (const id of Object.values(ChatOrPushProviderEnum)) {
    assert.ok((providerIds as readonly string[]).includes(inWords([id])[0]!), id);
  }
});

test("neutral has no translator at all", () => {
  for (const operation of all) assert.equal(createTranslator("neutral", operation), null);
});

const table: { name: string; schema: object; given: unknown; expected: unknown }[] = [
  {
    name: "by the member's name",
    schema: { type: "object", properties: { providerId: { type: "string" }, name: { type: "string" } } },
    given: { providerId: "svc-email", name: "svc-email" },
    expected: { providerId: "novu-email", name: "svc-email" },
  },
  {
    name: "by a closed set that lists a word",
    schema: { type: "object", properties: { type: { enum: ["chatapp_user", "phone"] } } },
    given: { type: "chatapp_user" },
    expected: { type: "slack_user" },
  },
  {
    name: "not in a set without one",
    schema: { type: "object", properties: { type: { enum: ["regular", "timed"] } } },
    given: { type: "chatapp_user" },
    expected: { type: "chatapp_user" },
  },
  {
    name: "in lists, maps and lists of words",
    schema: {
      type: "object",
      properties: {
        list: { type: "array", items: { type: "object", properties: { origin: { type: "string" } } } },
        map: { type: "object", patternProperties: { "^.*$": { enum: ["svc"] } } },
        providerId: { type: "array", items: { type: "string" } },
      },
    },
    given: { list: [{ origin: "svc-cloud" }, 1], map: { a: "svc", __proto__x: "svc" }, providerId: ["svc", "fcm"] },
    expected: {
      list: [{ origin: "novu-cloud" }, 1],
      map: { a: "novu", __proto__x: "novu" },
      providerId: ["novu", "fcm"],
    },
  },
  {
    name: "by the title of a set with words of its own, and in no other set of the same values",
    schema: {
      type: "object",
      properties: {
        resourceType: { title: "PublishedType", enum: ["workflow", "layout"] },
        object: { enum: ["workflow", "layout"] },
      },
    },
    given: { resourceType: "layout", object: "layout" },
    expected: { resourceType: "BRIDGE", object: "layout" },
  },
  {
    name: "once in a union whose branches share the member",
    schema: {
      anyOf: [
        { type: "object", properties: { type: { const: "chatapp_user" } } },
        { type: "object", properties: { type: { const: "teamsapp_user" } } },
      ],
    },
    given: { type: "teamsapp_user" },
    expected: { type: "ms_teams_user" },
  },
  {
    name: "never inside what callers write",
    schema: {
      type: "object",
      properties: { payload: { type: "object", additionalProperties: true }, providerId: { type: "string" } },
    },
    given: {
      payload: { providerId: "svc", origin: "svc-cloud", type: "chatapp_user" },
      providerId: { providerId: "svc" },
    },
    expected: {
      payload: { providerId: "svc", origin: "svc-cloud", type: "chatapp_user" },
      providerId: { providerId: "svc" },
    },
  },
];

for (const { name, schema, given, expected } of table) {
  test(`a word is exchanged ${name}`, () => {
    const places = wordPositionsOf(schema);
    assert.deepEqual(exchangeWords(places, given), expected);
    assert.deepEqual(exchangeWords(places, exchangeWords(places, given)), given);
  });
}

const schemasOf = ({ params, query, body, success }: Operation) => [params, query, body, success.schema];
const words = [
  "svc",
  "novu",
  "workflow",
  "REGULAR",
  "svc-cloud",
  "novu-cloud-v1",
  "chatapp_user",
  "slack_user",
  "fcm",
  "x",
];
const names = [
  "providerId",
  "origin",
  "resourceType",
  "resources",
  "type",
  "data",
  "channels",
  "events",
  "to",
  "steps",
  "payload",
  "__proto__",
  "a",
];

/** Values that look like the interface's own more often than chance would have it. */
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(...words),
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie("node"), { maxKeys: 6, noNullPrototype: true }),
  ),
})).node;

test("exchanging twice gives back every value, at every place of every operation, and changes nothing given", () => {
  const places = all.flatMap(schemasOf).map((schema) => wordPositionsOf(schema));
  assert.ok(places.some((place) => place !== null));
  fc.assert(
    fc.property(fc.constantFrom(...places), value, (place, given) => {
      const before = JSON.stringify(given);
      const there = exchangeWords(place, given);
      assert.equal(JSON.stringify(given), before);
      assert.equal(JSON.stringify(exchangeWords(place, there)), before);
    }),
    { numRuns: 3_000 },
  );
});

test("the schemas callers are checked against accept exactly the exchanged values", () => {
  for (const schema of all.flatMap(schemasOf)) {
    if (schema) assert.deepEqual(exchangeSchema(exchangeSchema(schema)), JSON.parse(JSON.stringify(schema)));
  }
});

const TIDINGS_ENCRYPTION_KEY = "ef".repeat(32);
const peer = await startTestService({ TIDINGS_VOCABULARY: "novu", TIDINGS_ENCRYPTION_KEY });

test("requests, answers, refusals and the document speak the chosen words; stored text does not change", async () => {
  const { client } = peer;
  const body = { providerId: "novu-email", channel: "email", name: "svc-email", identifier: "svc-email" };
  const made = await client.raw("integrations.create", { body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const record = made.body as Record<string, unknown>;
  assert.deepEqual([record.providerId, record.name, record.identifier], ["novu-email", "svc-email", "svc-email"]);
  const [row] = await peer.db
    .selectFrom("integrations")
    .select("provider_id")
    .where("identifier", "=", "svc-email")
    .execute();
  assert.equal(row?.provider_id, "svc-email");

  const refused = await client.raw("integrations.create", { body: { ...body, providerId: "svc-email" } });
  assert.equal(refused.status, 422);
  const fault = (refused.body as { errors: Record<string, { messages: string[]; value: unknown }> }).errors.providerId!;
  assert.equal(fault.value, "svc-email");
  assert.match(fault.messages[0]!, /novu-email/);
  assert.doesNotMatch(fault.messages[0]!, /svc-email/);

  const text = await (await fetch(`${peer.url}/openapi.json`)).text();
  assert.match(text, /"novu-cloud"/);
  assert.doesNotMatch(text, /"svc-cloud"/);
});

test("what is published may be named with the SDK's words or the neutral ones", async () => {
  await createWorkflow(peer.client, "either", []);
  const publish = (resourceType: string) => {
    const body = { resources: [{ resourceType, resourceId: "either" }] };
    return peer.production.raw("environments.publish", { params: { targetEnvironmentId: "production" }, body });
  };
  type Report = { results: { resourceType: string; successful: unknown[]; skipped: unknown[] }[] };
  const report = async (word: string) => ((await publish(word)).body as Report).results[0]!;
  const first = await report("workflow");
  assert.deepEqual([first.resourceType, first.successful.length], ["REGULAR", 1], JSON.stringify(first));
  assert.equal((await report("REGULAR")).skipped.length, 1);
  assert.equal((await publish("layout")).status, 200);
  const { errors } = (await publish("BOTH")).body as { errors: Record<string, { messages: string[] }> };
  const field = "resources.0.resourceType";
  assert.deepEqual(errors[field]!.messages, [
    `${field} must be one of: REGULAR, workflow, BRIDGE, layout, category, audience, brand, attention`,
  ]);
  await peer.client("categories.create", { body: { categoryId: "news", name: "News" } });
  const { results } = (await publish("REGULAR")).body as Report;
  const all = { params: { targetEnvironmentId: "production" }, body: {} };
  const { resources } = (await peer.production.raw("environments.diff", all)).body as {
    resources: { resourceType: string }[];
  };
  const words = resources.map(({ resourceType }) => resourceType);
  assert.deepEqual([results.length, words], [2, ["REGULAR"]], "the SDK has no word for categories and brands");
  const published = (await peer.production.raw("environments.publish", all)).body as Report;
  assert.deepEqual(
    published.results.map(({ resourceType }) => resourceType),
    ["REGULAR", "BRIDGE"],
  );
  assert.equal((await peer.production("categories.list")).body.categories.length, 1);
});

test("a workflow is active unless it says otherwise, as programs of that API expect", async () => {
  const create = async (workflowId: string, more: object = {}) =>
    (await peer.client("workflows.create", { body: { name: "A", workflowId, steps: [], ...more } })).body.active;
  assert.deepEqual([await create("silent"), await create("off", { active: false })], [true, false]);
});

test("what callers write comes back as written", async () => {
  const payload = { providerId: "novu", origin: "svc-cloud", nested: { type: "chatapp_user" } };
  const payloadSchema = {
    type: "object",
    properties: { origin: { type: "string", enum: ["svc-cloud", "novu-cloud"] } },
  };
  const controlValues = { body: "svc novu", data: { origin: "svc-cloud" } };
  const created = await peer.client("workflows.create", {
    body: {
      name: "svc",
      workflowId: "words",
      active: true,
      tags: ["svc"],
      payloadSchema,
      steps: [{ name: "novu", type: "in_app", controlValues }],
    },
  });
  const { origin, name, tags, steps, ...workflow } = created.body;
  assert.deepEqual([origin, name, tags, workflow.payloadSchema], ["novu-cloud", "svc", ["svc"], payloadSchema]);
  assert.deepEqual([steps[0]!.origin, steps[0]!.name], ["novu-cloud", "novu"]);
  assert.deepEqual(steps[0]!.controlValues, controlValues);

  const transactionId = await trigger(peer.client, "words", { subscriberId: "ada", data: payload }, payload);
  const [notification] = await settled(peer.client, transactionId);
  assert.deepEqual(notification!.payload, payload);
  assert.equal(notification!.jobs![0]!.providerId, "novu");
  assert.equal(notification!.template!.origin, "novu-cloud");
  const { body } = await peer.client("subscribers.retrieve", { params: { subscriberId: "ada" } });
  assert.deepEqual(body.data, payload);
});

test("a provider that the SDK has no word for is left out, or shown as the nearest, where its sets are closed", async () => {
  const { client } = peer;
  const params = { subscriberId: "surfer" };
  await client("subscribers.create", { body: params });
  const append = async (providerId: "web-push" | "push-webhook", token: string) =>
    (
      await client("subscribers.appendCredentials", {
        params,
        body: { providerId, credentials: { deviceTokens: [token] } },
      })
    ).body.channels;
  assert.deepEqual(await append("web-push", pushSubscription("https://10.0.0.1/")), []);
  await createWorkflow(client, "surf", [
    { name: "Push", type: "push", controlValues: { subject: "Hi", body: "There" } },
  ]);
  const transactionId = await trigger(client, "surf", "surfer");
  const [notification] = await settled(client, transactionId);
  const [job] = notification!.jobs!;
  const used = [job!.providerId, ...job!.executionDetails.flatMap(({ providerId }) => providerId ?? [])];
  assert.deepEqual(new Set(used), new Set(["push-webhook"]));
  // Open sets name it, as the list of integrations and of providers do.
  assert.equal((await messagesOf(client, transactionId))[0]!.providerId, "web-push");
  assert.deepEqual((await messagesOf(client, transactionId))[0]!.subscriber!.channels ?? [], []);
  const providers = (await client("providers.list", { query: { channel: "push" } })).body.map(({ id }) => id);
  assert.ok(providers.includes("web-push"));
  const everyone = (await client("providers.list")).body.map(({ id }): string => id);
  assert.ok(everyone.includes("novu-email") && !everyone.includes("svc-email"));

  await client("integrations.create", {
    body: {
      ...{ providerId: "push-webhook", channel: "push", active: true },
      credentials: { webhookUrl: "https://example.com", secretKey: "x" },
    },
  });
  const both = await append("push-webhook", "device");
  assert.deepEqual(
    both?.map(({ providerId }) => providerId),
    ["push-webhook"],
    "the others are still there",
  );
});

test("a stored answer is neutral: it replays in the words of today, byte for byte as before", async () => {
  const send = (url: string, key: string, apiKey: string) =>
    fetch(`${url}/v1/integrations`, {
      method: "POST",
      headers: { authorization: `ApiKey ${apiKey}`, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ providerId: "novu-sms", channel: "sms", identifier: "once" }),
    });
  const first = await send(peer.url, "k1", peer.apiKey);
  const again = await send(peer.url, "k1", peer.apiKey);
  assert.equal(first.status, 201);
  assert.equal(again.headers.get("idempotency-replay"), "true");
  const text = await first.text();
  assert.equal(await again.text(), text);
  assert.match(text, /"providerId":"novu-sms"/);
  const [stored] = await peer.db.selectFrom("idempotency_keys").select("body").where("key", "=", "k1").execute();
  const secrets = createSecrets(parseEncryptionKeys(TIDINGS_ENCRYPTION_KEY));
  assert.match(secrets.decrypt(String(stored?.body)), /"providerId":"svc-sms"/);
});

test("a record in a refusal speaks the chosen words too", async () => {
  const { client } = peer;
  const chat = { providerId: "novu-slack", channel: "chat", identifier: "chat", active: true };
  assert.equal((await client.raw("integrations.create", { body: chat })).status, 201);
  assert.equal((await client.raw("subscribers.create", { body: { subscriberId: "eve" } })).status, 201);
  const credentials = { providerId: "novu-slack", credentials: { webhookUrl: "https://example.com" } };
  const params = { subscriberId: "eve" };
  const stored = await client.raw("subscribers.replaceCredentials", { params, body: credentials });
  assert.equal(stored.status, 200, JSON.stringify(stored.body));
  for (const headers of [{}, { "idempotency-key": "conflict" }] as Record<string, string>[]) {
    const input = { body: params, query: { failIfExists: true }, headers };
    const { status, body } = await client.raw("subscribers.create", input);
    assert.equal(status, 409);
    const { code, channels } = body as { code: string; channels: { providerId: string }[] };
    assert.deepEqual([code, channels[0]?.providerId], ["SUBSCRIBER_EXISTS", "novu-slack"]);
  }
  const gone = await client.raw("subscribers.deleteCredentials", { params: { ...params, providerId: "novu-slack" } });
  assert.equal(gone.status, 204);
  assert.equal((await client.raw("subscribers.retrieve", { params })).status, 200);
});

test("a condition of an integration on the tenant is evaluated", async () => {
  const stage = (await newStage(peer)).client;
  const create = (body: object) =>
    stage("integrations.create", {
      body: {
        ...{ providerId: "nodemailer", channel: "email", active: true },
        ...{ credentials: { host: "mail.example.com", port: "587" }, ...body },
      } as never,
    });
  const part = (value: string) => ({ field: "identifier", value, operator: "EQUAL", on: "tenant" });
  const forTenant = (identifier: string, value: string) =>
    create({ identifier, conditions: [{ children: [part(value)] }] });
  await forTenant("acme-mail", "acme");
  await forTenant("named-mail", "{{ payload.account }}");
  await create({ identifier: "usual" });
  await createWorkflow(stage, "by-tenant", [email()]);
  const senderFor = async (more: object) => {
    const to = { subscriberId: "ada", email: "ada@example.com" };
    const { body } = await stage("explain.dryRun", { body: { name: "by-tenant", to, ...more } });
    return body.recipients[0]!.steps[0]!.messages[0]!.integrationIdentifier;
  };
  assert.equal(await senderFor({ tenant: { identifier: "acme" } }), "acme-mail");
  assert.equal(await senderFor({ tenant: { identifier: "globex" }, payload: { account: "globex" } }), "named-mail");
  assert.equal(await senderFor({ tenant: { identifier: "globex" } }), "usual");
  assert.equal(await senderFor({}), "usual");
});

test("an import of translations leaves empty lists out", async () => {
  const { client } = peer;
  await createWorkflow(client, "texts", [email()], { isTranslationEnabled: true });
  const importTexts = async (workflows: object) =>
    (await client("translations.importMaster", { body: { locale: "en_US", masterJson: { workflows } } as never })).body;
  const membersOf = (answer: object) => Object.keys(answer).filter((name) => ["successful", "failed"].includes(name));
  assert.deepEqual(membersOf(await importTexts({ texts: { a: "A" } })), ["successful"]);
  assert.deepEqual(membersOf(await importTexts({ nope: { a: "A" } })), ["failed"]);
  assert.deepEqual(membersOf(await importTexts({ texts: { a: "A" }, nope: { a: "A" } })), ["successful", "failed"]);
  const params = { resourceType: "workflow" as const, resourceId: "texts" };
  const { body: group } = await client("translations.retrieveGroup", { params });
  assert.equal("outdatedLocales" in group, false, "there is no locale but the default one");
});

test("a sync to the same environment is 400; with the key of the target, the id of the source is accepted", async () => {
  const { client, production } = peer;
  const { _id, slug } = await createWorkflow(client, "synced", [email()]);
  const same = await client.raw("workflows.sync", {
    params: { workflowId: "synced" },
    body: { targetEnvironmentId: "development" },
  });
  assert.deepEqual([same.status, (same.body as { code: string }).code], [400, "SAME_ENVIRONMENT"]);
  for (const workflowId of [_id, slug, "synced"]) {
    const body = { targetEnvironmentId: "production" };
    const { body: copy } = await production("workflows.sync", { params: { workflowId }, body });
    assert.equal(copy.workflowId, "synced");
    assert.notEqual(copy._id, _id);
  }
});

test("a duplicate tag is 400 when a workflow is created, updated and patched, and nothing is changed", async () => {
  const { client } = peer;
  const body = { name: "Tagged", workflowId: "tagged", steps: [email()], tags: ["a"] };
  const repeated = { ...body, tags: ["a", "b", "a"] };
  const codeOf = async (answer: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await answer;
    return [status, (body as { code?: string }).code];
  };
  const refused = [400, "DUPLICATE_TAG"];
  assert.deepEqual(await codeOf(client.raw("workflows.create", { body: repeated })), refused);
  const { origin } = (await client("workflows.create", { body })).body;
  const params = { workflowId: "tagged" };
  const update = { ...repeated, preferences: {}, origin };
  assert.deepEqual(await codeOf(client.raw("workflows.update", { params, body: update })), refused);
  assert.deepEqual(await codeOf(client.raw("workflows.patch", { params, body: { tags: ["x", "x"] } })), refused);
  assert.deepEqual((await client("workflows.retrieve", { params })).body.tags, ["a"]);
});

test("pluralize takes translation keys, as texts and as values", async () => {
  const { client } = peer;
  const body =
    "{{ payload.n | pluralize: 't.item.one', 't.item.many' }}, {{ payload.n | pluralize: t.item.one, t.item.many }}";
  await createWorkflow(client, "counted", [email({ subject: "x", body })], { isTranslationEnabled: true });
  await client("translations.create", {
    body: {
      ...{ resourceId: "counted", resourceType: "workflow", locale: "en_US" },
      content: { item: { one: "Ding", many: "Dinge" } },
    },
  });
  const to = { subscriberId: "ada", email: "ada@example.com" };
  const { body: shown } = await client("explain.dryRun", { body: { name: "counted", to, payload: { n: 2 } } as never });
  assert.match(JSON.stringify(shown), /2 Dinge, 2 Dinge/);
});

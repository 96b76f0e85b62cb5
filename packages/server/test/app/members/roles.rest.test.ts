// Roles: what each role sees of a response, and docs/members.md. Every operation in every role: conformance/roles.ts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  type Operation,
  type OperationId,
  openApiDocument,
  operations,
  type Role,
  readsOnly,
  requiredRoleOf,
  roles,
} from "@tidings/contract";
import { errorOf } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { type Browser, invite, signInOwner, visit } from "./browsers.ts";

const service = await startTestService({ TIDINGS_ROLE: "api" });
const owner = await signInOwner(service);
const people: Record<Role, Browser> = {
  owner,
  editor: await invite(service, owner, "editor"),
  support: await invite(service, owner, "support"),
  viewer: await invite(service, owner, "viewer"),
};
const all = Object.values(operations) as Operation[];
const paramsOf = ({ path }: Operation) =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, "any"]));

test("an address of a bridge in a dry run, and another payload in a replay, need an editor", async () => {
  const dryRun = { name: "any", to: "ada", payload: {} };
  const cases: [OperationId, Role, object, object][] = [
    ["explain.dryRun", "viewer", dryRun, { ...dryRun, bridgeUrl: "https://example.com/bridge" }],
    ["deadLetterReplays.create", "support", { ids: ["any"] }, { ids: ["any"], payload: { code: 1 } }],
  ];
  for (const [id, least, plain, special] of cases) {
    const [member] = Object.keys(special).filter((name) => !(name in plain));
    const allowed = await people[least].call(id, { body: plain });
    assert.notEqual(allowed.status, 403, allowed.text);
    for (const role of ["viewer", "support"] as const) {
      const { message } = errorOf(await people[role].call(id, { body: special }), "ROLE_NOT_ALLOWED");
      const sentence = `Only editors and owners can set ${member} here. Your role is ${role}: ask an owner for access`;
      if (role === least) assert.equal(message, sentence);
    }
    const editor = await people.editor.call(id, { body: special });
    assert.notEqual(editor.status, 403, editor.text);
    const described = openApiDocument({ version: "1" }).paths[operations[id].path]!.post!;
    assert.deepEqual(described["x-tidings-member-roles"], { [member!]: "editor" });
  }
});

test("files with the data of many people need support", async () => {
  for (const path of [
    "subscribers.csv",
    "subscriptions.csv",
    "faulty-lines.csv?importId=any",
    "dead-letters.csv",
    "activity.csv",
  ]) {
    const as = async (role: Role) => {
      const answer = await fetch(`${service.url}/v1/exports/${path}`, { headers: people[role].headers() });
      return [answer.status, await answer.text()] as const;
    };
    const [status, text] = await as("viewer");
    assert.equal(status, 403, text);
    assert.match(text, /Only support, editors and owners can do this\. Your role is viewer/);
    assert.notEqual((await as("support"))[0], 403);
  }
});

test("a viewer changes nothing but the own account, and is seen where it looks", () => {
  const allowed = all.filter((operation) => requiredRoleOf(operation) === "viewer" && !readsOnly(operation));
  assert.deepEqual(allowed.map(({ id }) => id).sort(), [
    "auth.signOut",
    "auth.signOutEverywhere",
    "auth.updatePerson",
    "workflows.announceViewer",
  ]);
});

test("an editor does everything but people, API keys, the retention, an erasure, an approval and the end of an environment", () => {
  const ofOwners = all.filter((operation) => requiredRoleOf(operation) === "owner").map(({ id }) => id);
  assert.ok(
    ofOwners.every((id) =>
      /^people\.|^environments\.(createApiKey|updateApiKey|revokeApiKey|delete)$|^retention\.update$|^subscribers\.erase$|^broadcasts\.approve$/.test(
        id,
      ),
    ),
    `${ofOwners}`,
  );
});

test("operations of an inbox, of providers and of visitors do not look at a session", async () => {
  for (const operation of all.filter(({ access }) => access === "inbox" || access === "signed")) {
    assert.equal(requiredRoleOf(operation), null);
    const reply = await owner.call(operation.id as OperationId, {
      params: paramsOf(operation),
      body: operation.body && {},
    });
    assert.ok([401, 404].includes(reply.status), `${operation.id} ${reply.status}`);
  }
});

test("the role of an operation is in the OpenAPI document", () => {
  const { paths } = openApiDocument({ version: "1" });
  for (const operation of all) {
    const described = paths[operation.path]![operation.method.toLowerCase()]!;
    assert.equal(described["x-tidings-role"] ?? null, requiredRoleOf(operation), operation.id);
  }
});

test("docs/members.md lists what each role may do beyond reading", () => {
  const page = readFileSync(new URL("../../../../../docs/members.md", import.meta.url), "utf8");
  const section = page.split("<!-- roles -->")[1] ?? "";
  for (const role of ["support", "owner"] as const) {
    const line = section.split("\n").find((one) => one.startsWith(`| ${role} |`)) ?? "";
    const listed = [...line.matchAll(/`(\w+\.\w+)`/g)].map(([, id]) => id).sort();
    const actual = all.filter((one) => requiredRoleOf(one) === role).map(({ id }) => id);
    assert.deepEqual(listed, actual.sort(), role);
  }
});

test("API keys are shown to owners, tokens of workspaces to no one, credentials to those who configure", async () => {
  const { client } = service;
  const { body: integration } = await client("integrations.create", {
    body: {
      providerId: "slack",
      channel: "chat",
      credentials: { applicationId: "app-id", clientId: "c", secretKey: "s3cret" },
    },
  });
  await client("subscribers.create", { body: { subscriberId: "ada" } });
  const webhookUrl = "https://hooks.example.com/s3cret";
  await client("subscribers.replaceCredentials", {
    params: { subscriberId: "ada" },
    body: { providerId: "slack", integrationIdentifier: integration.identifier, credentials: { webhookUrl } },
  });
  const connection = {
    identifier: "acme",
    integrationIdentifier: integration.identifier,
    subscriberId: "ada",
    workspace: { id: "T1" },
    auth: { accessToken: "xoxb-s3cret" },
  };
  await client("channelConnections.create", { body: connection });

  const reads: [OperationId, Record<string, string>][] = [
    ["environments.list", {}],
    ["integrations.list", {}],
    ["subscribers.retrieve", { subscriberId: "ada" }],
    ["channelConnections.retrieve", { identifier: "acme" }],
  ];
  const seen = async (role: Role) =>
    (await Promise.all(reads.map(async ([id, params]) => (await people[role].call(id, { params })).text))).join("\n");
  const found = Object.fromEntries(
    await Promise.all(
      roles.map(async (role) => {
        const text = await seen(role);
        return [role, [service.apiKey, "xoxb-s3cret", webhookUrl, "app-id"].map((secret) => text.includes(secret))];
      }),
    ),
  );
  assert.deepEqual(found, {
    viewer: [false, false, false, false],
    support: [false, false, false, false],
    editor: [false, false, true, true],
    owner: [true, false, true, true],
  });
  const made = await people.editor.call("environments.create", { body: { name: "Staging", color: "#000000" } });
  assert.equal(made.status, 201);
  assert.ok(!made.text.includes("tdg_"));

  // The mask that people see keeps the stored token when it is sent back.
  const update = { workspace: { id: "T2" }, auth: { accessToken: "********" } };
  const params = { identifier: "acme" };
  assert.equal((await people.editor.call("channelConnections.update", { params, body: update })).status, 200);
  const { body: stored } = await client("channelConnections.retrieve", { params });
  assert.deepEqual([stored.workspace.id, stored.auth.accessToken], ["T2", "xoxb-s3cret"]);
});

test("a new role counts from the next request on, and a removed person is signed out", async () => {
  const person = await invite(service, owner, "viewer", "promoted@example.com");
  const params = { personId: person.session.person._id };
  errorOf(await person.call("people.list"), "ROLE_NOT_ALLOWED");
  assert.equal((await owner.call("people.update", { params, body: { role: "owner" } })).status, 200);
  assert.equal((await person.call("people.list")).status, 200);
  assert.equal((await owner.call("people.delete", { params })).status, 204);
  errorOf(await person.call("people.list"), "SIGN_IN_REQUIRED");
  errorOf(await owner.call("people.delete", { params }), "PERSON_NOT_FOUND");
  errorOf(await visit(service, "people.list"), "SIGN_IN_REQUIRED");
});

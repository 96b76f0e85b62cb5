// Endpoints and connections for delivery: those with the recipient's contexts first, those without context second.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chatIntegration, connection, endpoint, subscriber } from "@tidings/testkit/channels";
import { startTestService } from "@tidings/testkit/service";
import { sql } from "kysely";
import { findTargetConnections, findTargetEndpoints } from "../../../src/store/integrations/channel-targets.ts";

const { client, production, db } = await startTestService();
const one = await chatIntegration(client, "one");
const two = await chatIntegration(client, "two");
const environmentId = one._environmentId;
const ids = [one._id!, two._id!];
const ada = (await subscriber(client, "ada"))._id!;
const bob = (await subscriber(client, "bob"))._id!;
const tenant = ["tenant:a"];
const other = ["tenant:b"];

describe("endpoints", () => {
  test("fall back per recipient and integration", async () => {
    const at = (url: string) => ({ endpoint: { url: `https://${url}.example` } });
    await endpoint(client, "one", "ada", { ...at("plain"), identifier: "plain" });
    await endpoint(client, "one", "ada", { ...at("second"), identifier: "second" });
    await endpoint(client, "one", "ada", { ...at("a"), identifier: "in-a", context: { tenant: "a" } });
    await endpoint(client, "one", "ada", { ...at("ab"), identifier: "in-ab", context: { tenant: "a", app: "x" } });
    await endpoint(client, "two", "ada", { ...at("two"), identifier: "two" });
    await endpoint(client, "one", "bob", { ...at("bob"), identifier: "bob", context: { tenant: "b" } });

    const recipients = [
      { subscriberId: ada, contextKeys: [] },
      { subscriberId: ada, contextKeys: tenant },
      { subscriberId: ada, contextKeys: other },
      { subscriberId: bob, contextKeys: [] },
      { subscriberId: bob, contextKeys: other },
    ];
    const found = await findTargetEndpoints(db, environmentId, ids, recipients);
    const namesOf = (n: number) => found.filter((row) => row.recipient === n).map((row) => row.identifier);
    assert.deepEqual(
      recipients.map((_, n) => namesOf(n)),
      [["plain", "second", "two"], ["in-a", "two"], ["plain", "second", "two"], [], ["bob"]],
    );
    assert.equal(typeof found[0]!.endpoint, "string", "encrypted");
    const onlyTwo = await findTargetEndpoints(db, environmentId, [two._id!], recipients);
    assert.deepEqual(
      onlyTwo.map((row) => row.identifier),
      ["two", "two", "two"],
    );
    assert.deepEqual(await findTargetEndpoints(db, environmentId, [], recipients), []);
    assert.deepEqual(await findTargetEndpoints(db, environmentId, ids, []), []);
    const [foreign] = (await production("integrations.list")).body;
    assert.deepEqual(await findTargetEndpoints(db, foreign!._environmentId, ids, recipients), []);
  });
});

describe("connections", () => {
  test("prefer the contexts, then the subscriber's own, then the newest", async () => {
    const make = (identifier: string, fields: object = {}) => connection(client, "one", { identifier, ...fields });
    await make("shared");
    await make("shared-a", { context: { tenant: "a" } });
    await make("own-old", { subscriberId: "ada" });
    // Two connections of one subscriber: possible in data from before the rule that allows only one.
    await make("own", { subscriberId: "ada", context: { tenant: "none" } });
    await sql`update channel_connections set context_keys = '{}' where identifier = 'own'`.execute(db);
    await make("own-a", { subscriberId: "ada", context: { tenant: "a" } });
    const recipients = [
      { subscriberId: ada, contextKeys: [] },
      { subscriberId: ada, contextKeys: tenant },
      { subscriberId: ada, contextKeys: other },
      { subscriberId: bob, contextKeys: tenant },
      { subscriberId: bob, contextKeys: other },
    ];
    const namesFor = async () => {
      const found = await findTargetConnections(db, environmentId, ids, recipients);
      assert.ok(found.every((row) => row.integration_id === one._id && row.workspace.id === "T1"));
      return found.map((row) => [row.recipient, row.identifier]);
    };
    const expected = [
      [0, "own"],
      [1, "own-a"],
      [2, "own"],
      [3, "shared-a"],
      [4, "shared"],
    ];
    assert.deepEqual(await namesFor(), expected);
    await client("channelConnections.delete", { params: { identifier: "own-a" } });
    assert.deepEqual((await namesFor())[1], [1, "shared-a"]);
  });
});

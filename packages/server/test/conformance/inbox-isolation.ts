// Every operation of the inbox in the browser, from the list of operations: a token that is forged, swapped or expired
// opens none of them, and the token of another subscriber of the same environment reaches nothing of its neighbour.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Operation, type OperationId, operations } from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import { createSecrets } from "../../src/lib/secrets.ts";
import { type InboxSession, readInboxToken, signInboxToken } from "../../src/lib/tokens/inbox-token.ts";
import type { Change } from "./changes.ts";
import { ofOwnInbox } from "./inputs.ts";
import { onceOnly, type Scene } from "./scene.ts";

const inboxOperations = (Object.values(operations) as Operation[]).filter(({ access }) => access === "inbox");

const tokenOf = ({ headers }: RawInput): string => headers!.authorization!.replace("Bearer ", "");
const withToken = (input: RawInput, token: string): RawInput => ({
  ...input,
  headers: { ...input.headers, authorization: `Bearer ${token}` },
});

/** Things of one subscriber; topics and workflows belong to all. */
const ownParams = ["notificationId", "identifier"];
/** Existing clients read this as none. */
const emptyAnswers: Partial<Record<OperationId, number>> = { "inbox.retrieveSubscription": 204 };

export function testInboxIsolation({ probe, inputs, world, apiKey, encryptionKey, changes }: Scene): void {
  const secrets = createSecrets([{ version: 1, key: encryptionKey }]);
  const sessionOf = (token: string): InboxSession => readInboxToken(secrets, token, new Date())!;
  const findStranger = onceOnly(async () => ofOwnInbox(world));

  test("all operations of the inbox are here", () => {
    const paths = (Object.values(operations) as Operation[]).filter(({ path }) => path.startsWith("/v1/inbox/"));
    assert.deepEqual(
      paths.filter(({ access }) => access !== "inbox").map(({ id }) => id),
      ["inbox.openSession"],
    );
    assert.ok(inboxOperations.length >= 35);
  });

  for (const operation of inboxOperations) {
    const id = operation.id as OperationId;
    test(`${id}: wrong tokens are refused, and another subscriber reaches nothing`, async () => {
      const input = await inputs.take(operation);
      const token = tokenOf(input);
      const session = sessionOf(token);
      const strangerToken = tokenOf(await findStranger());
      const isOfNeighbour = ({ subscriberId }: Change) => subscriberId === session.subscriberId;
      // Messages of a fixture may still be on their way to their provider.
      await changes.rest(isOfNeighbour);
      const [text, mac] = token.split(".") as [string, string];
      const wrong = {
        forged: `${text}.${Buffer.alloc(32).toString("base64url")}`,
        swapped: `${text}.${strangerToken.split(".")[1]}`,
        changed: `${strangerToken.split(".")[0]}.${mac}`,
        expired: signInboxToken(secrets, { ...session, expiresAt: new Date(Date.now() - 1_000) }),
        "of another environment": signInboxToken(secrets, { ...session, environmentId: session.keyId }),
        "an API key": apiKey,
      };
      for (const [name, one] of Object.entries(wrong)) {
        const answer = await probe(id, withToken(input, one));
        assert.deepEqual([answer.status, (answer.body as { code: string }).code], [401, "INBOX_TOKEN_INVALID"], name);
      }
      const answer = await probe(id, withToken(input, strangerToken));
      const isOwn = Object.keys(operation.params?.properties ?? {}).some((name) => ownParams.includes(name));
      if (isOwn) assert.equal(answer.status, emptyAnswers[id] ?? 404, answer.text);
      else assert.ok(answer.status < 300, `${answer.status} ${answer.text}`);
      assert.ok(!answer.text.includes(session.subscriberId), "nothing of the neighbour in the answer");
      // A list that is read has messages that may still be on their way.
      if (operation.method !== "GET")
        assert.deepEqual((await changes.take()).filter(isOfNeighbour), [], "nothing of the neighbour is changed");
      // The stranger has created what the input names.
      const own = await probe(id, id === "inbox.createSubscription" ? await inputs.take(operation) : input);
      assert.ok(own.status < 300, `the owner is served: ${own.status} ${own.text}`);
    });
  }
}

// A host that begins its response and never ends it: the time limit is that of the whole call.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { atEnd } from "@tidings/testkit/at-end";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, settled, trigger } from "@tidings/testkit/verbs";

const server = createServer((_request, response) => {
  response.writeHead(200).write("{");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
atEnd(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});
const { client } = await startTestService({ TIDINGS_REQUEST_TIMEOUT: "1", TIDINGS_DELIVERY_ATTEMPTS: "2" });

test("a body that does not end is given up with its reason, after the attempts", async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const controlValues = { method: "GET", url };
  await createWorkflow(client, "slow", [{ name: "Slow", stepId: "slow", type: "http_request", controlValues }]);
  const [notification] = await settled(client, await trigger(client, "slow", "ada"));
  const [job] = notification!.jobs!;
  assert.equal(job!.status, "failed");
  const entries = job!.executionDetails.filter(({ detail }) => detail.startsWith("HTTP request failed"));
  const raws = entries.map(({ raw }) => JSON.parse(raw!) as { attempt: number; reason: string });
  assert.deepEqual(
    raws.map(({ attempt }) => attempt),
    [1, 2],
  );
  for (const { reason } of raws) assert.match(reason, /did not respond in time/);
});

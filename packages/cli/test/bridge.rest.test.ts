import assert from "node:assert/strict";
import { test } from "node:test";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { shareService } from "@tidings/testkit/service";
import { openTerminal } from "./support.ts";

const workflow = { workflowId: "shipped", steps: [{ stepId: "tell", type: "in_app", controls: {} }] };
const bridge = await startReceiver(() => ({ status: 200, text: JSON.stringify({ workflows: [workflow] }) }));
const service = await shareService();
const terminal = openTerminal(service);

test("bridge sync tells what it changed, and refuses wrong use", async () => {
  const first = await terminal.run("bridge", "sync", bridge.url);
  assert.deepEqual([first.code, first.stdout], [0, "created: shipped\n"], first.stderr);
  const again = await terminal.json<{ unchanged: string[] }>("bridge", "sync", bridge.url);
  assert.deepEqual(again.unchanged, ["shipped"]);
  assert.equal((await terminal.run("bridge", "sync")).code, 64);
  const away = await terminal.run("bridge", "sync", "http://127.0.0.1:9/");
  assert.equal(away.code, 1);
  assert.match(away.stderr, /The workflows of the bridge at 127\.0\.0\.1:9 cannot be read/);
});

// The examples of docs/client.md, run as one program against a real service, with what is built.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { shareService } from "@tidings/testkit/service";

const service = await shareService();
const root = join(import.meta.dirname, "../../..");

test("the examples of the guide run as they stand", async (context) => {
  const blocks = [...readFileSync(join(root, "docs/client.md"), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)];
  const program = blocks.map(([, code]) => code!.replaceAll("https://notify.example.com", service.url)).join("\n");
  const folder = mkdtempSync(join(tmpdir(), "tidings-client-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules/@tidings"), { recursive: true });
  symlinkSync(join(root, "packages/client"), join(folder, "node_modules/@tidings/client"));
  writeFileSync(join(folder, "example.mts"), program);
  const env = { PATH: process.env.PATH, TIDINGS_API_KEY: service.apiKey };
  const { stdout } = await promisify(execFile)(process.execPath, ["example.mts"], {
    cwd: folder,
    env,
    timeout: 60_000,
  });
  const [transactionId, reached, error, notifications] = stdout.trim().split("\n");
  assert.match(transactionId!, /\S{10,}/);
  assert.equal(reached, "0");
  assert.match(error!, /^404 .*unknown/);
  assert.ok(Number(notifications) >= 1, stdout);
  const { body } = await service.client("notifications.list", { query: { transactionId: transactionId! } });
  assert.equal(body.data.length, 1);
});

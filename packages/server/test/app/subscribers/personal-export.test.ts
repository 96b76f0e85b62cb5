// An export that is larger than the memory of its process: it is streamed.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { skipUnlessLong } from "@tidings/testkit/long";
import { temporaryFolder } from "@tidings/testkit/process";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";

const encryptionKey = randomBytes(32).toString("base64");
const megabytes = 200;

test("200 MB of messages pass through a heap of 96 MB", { skip: skipUnlessLong }, async (context) => {
  const service = await startTestService({ TIDINGS_ENCRYPTION_KEY: encryptionKey });
  const { client, db } = service;
  await createWorkflow(client, "greet", [inApp({ body: "Hello" })]);
  const transactionId = await trigger(client, "greet", "large");
  await settled(client, transactionId);
  const [message] = await messagesOf(client, transactionId);
  // Contents that cannot be compressed, so that the archive is as large as the messages: ten to a megabyte.
  const rowsPerInsert = 100;
  for (let first = 1; first <= megabytes * 10; first += rowsPerInsert) {
    await sql`
      insert into messages select r.* from messages m, generate_series(${first}::int, ${first + rowsPerInsert - 1}::int) n,
        jsonb_populate_record(m, jsonb_build_object(
          'id', overlay(m.id::text placing lpad(to_hex(n), 12, '0') from 25),
          'content', (select string_agg(md5(random()::text || n || i), '') from generate_series(1, 3200) i))) r
      where m.id = ${message!._id}`.execute(db);
  }
  const program = temporaryFolder(context).run({
    DATABASE_URL: service.database.url,
    TIDINGS_ENCRYPTION_KEY: encryptionKey,
    TIDINGS_ROLE: "api",
    NODE_OPTIONS: "--max-old-space-size=96",
  });
  const { url } = await program.started();
  const headers = { authorization: `ApiKey ${service.apiKey}` };
  const response = await fetch(`${url}/v2/subscribers/large/export`, { method: "POST", headers });
  assert.equal(response.status, 200);
  let bytes = 0;
  for await (const chunk of response.body!) bytes += chunk.length;
  // Hexadecimal digits are compressed to half of their length.
  assert.ok(bytes > (megabytes * 1_000_000) / 2, `${bytes} bytes`);
  assert.equal((await fetch(`${url}/ready`)).status, 200, "the process is still there");
  await program.end("SIGTERM");
});

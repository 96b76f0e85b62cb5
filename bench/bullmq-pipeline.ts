// The hand-built pipeline that bullmq.ts measures, in its own process: an HTTP endpoint for bulk triggers and one for
// the feed, and three queues (trigger → recipient → message) whose workers share the process. Each hop does what it has
// to: the trigger finds the workflow, the recipient reads the subscriber, the message renders its text and inserts one
// row.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Db, openDb } from "@tidings/server/source/store/db";
import { Queue, Worker } from "bullmq";
import { sql } from "kysely";
import { buyers } from "./load.ts";

export const messagesTable = "pipeline_messages";

export async function createPipelineTables(db: Db): Promise<void> {
  await sql`create table pipeline_subscribers (subscriber_id text primary key, first_name text not null)`.execute(db);
  await sql`
    create table ${sql.table(messagesTable)} (id uuid primary key, transaction_id text not null, subscriber_id text not null,
      status text not null, subject text not null, content text not null, created_at timestamptz not null default now())`.execute(
    db,
  );
  await sql`create index on ${sql.table(messagesTable)} (subscriber_id, created_at)`.execute(db);
  await sql`
    insert into pipeline_subscribers
    select 'buyer-' || i, 'Buyer ' || i from generate_series(0, ${buyers - 1}::int) i`.execute(db);
}

type Payload = { order: string; city: string };
type TriggerJob = { name: string; to: string; payload: Payload; transactionId: string };
type RecipientJob = { subscriberId: string; templates: Templates; payload: Payload; transactionId: string };
type MessageJob = RecipientJob & { firstName: string };
type Templates = { subject: string; body: string };

const workflows: Record<string, Templates> = {
  "order-shipped": {
    subject: "Order {{ payload.order }} shipped",
    body: "Hello {{ subscriber.firstName }}, order {{ payload.order }} is on its way to {{ payload.city }}.",
  },
};

const render = (template: string, { payload, firstName }: MessageJob): string =>
  template
    .replaceAll("{{ payload.order }}", payload.order)
    .replaceAll("{{ payload.city }}", payload.city)
    .replaceAll("{{ subscriber.firstName }}", firstName);

async function readJson(request: IncomingMessage) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function run({ DATABASE_URL = "", REDIS_PORT = "", CONCURRENCY = "" }: NodeJS.ProcessEnv): Promise<void> {
  const db = openDb({ url: DATABASE_URL, poolSize: 20, onError: () => {} });
  const connection = { host: "127.0.0.1", port: Number(REDIS_PORT), maxRetriesPerRequest: null };
  const defaultJobOptions = { removeOnComplete: true, attempts: 3 };
  const queues = {
    trigger: new Queue<TriggerJob>("trigger", { connection, defaultJobOptions }),
    recipient: new Queue<RecipientJob>("recipient", { connection, defaultJobOptions }),
    message: new Queue<MessageJob>("message", { connection, defaultJobOptions }),
  };
  const options = { connection, concurrency: Number(CONCURRENCY) };
  const workers = [
    new Worker<TriggerJob>(
      "trigger",
      async ({ data: { name, to, payload, transactionId } }) => {
        await queues.recipient.add("recipient", {
          subscriberId: to,
          templates: workflows[name]!,
          payload,
          transactionId,
        });
      },
      options,
    ),
    new Worker<RecipientJob>(
      "recipient",
      async ({ data }) => {
        const { rows } = await sql<{ first_name: string }>`
          select first_name from pipeline_subscribers where subscriber_id = ${data.subscriberId}`.execute(db);
        await queues.message.add("message", { ...data, firstName: rows[0]!.first_name });
      },
      options,
    ),
    new Worker<MessageJob>(
      "message",
      async ({ data }) => {
        await sql`
          insert into ${sql.table(messagesTable)} (id, transaction_id, subscriber_id, status, subject, content)
          values (${randomUUID()}, ${data.transactionId}, ${data.subscriberId}, 'sent',
                  ${render(data.templates.subject, data)}, ${render(data.templates.body, data)})`.execute(db);
      },
      options,
    ),
  ];
  const server = createServer(async (request, response) => {
    if (request.method === "POST") {
      const { events } = (await readJson(request)) as { events: Omit<TriggerJob, "transactionId">[] };
      const jobs = events.map((event) => ({ name: "trigger", data: { ...event, transactionId: randomUUID() } }));
      await queues.trigger.addBulk(jobs);
      const results = jobs.map(({ data }) => ({ status: "processed", transactionId: data.transactionId }));
      return answer(response, 201, results);
    }
    const subscriberId = request.url!.split("/").at(-1);
    const { rows } = await sql`
      select * from ${sql.table(messagesTable)} where subscriber_id = ${subscriberId} order by created_at desc limit 10`.execute(
      db,
    );
    return answer(response, 200, { data: rows });
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  const stop = async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    process.exit(0);
  };
  process.once("SIGTERM", stop);
  process.once("disconnect", stop);
}

if (process.send && process.env.CONCURRENCY) await run(process.env);

// Valid inputs of the operations that the tests in test/http call. test/conformance calls all operations, with richer
// data.
import type { OperationId } from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import type { TestService } from "@tidings/testkit/service";
import { createWorkflow, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { sql } from "kysely";
import type { Db } from "../../src/store/db.ts";

/** One record for each path parameter. */
export type Things = Record<"subscriberId" | "workflowId" | "integrationId" | "notificationId", string>;

export async function makeThings(client: TestService["client"], tag: string): Promise<Things> {
  const subscriberId = `${tag}-person`;
  const workflowId = `${tag}-flow`;
  const integrationId = `${tag}-mail`;
  await client("subscribers.create", { body: { subscriberId } });
  await createWorkflow(client, workflowId, [inApp()]);
  await client("integrations.create", {
    body: { providerId: "nodemailer", channel: "email", identifier: integrationId },
  });
  return { subscriberId, workflowId, integrationId, notificationId: "none" };
}

/** A notification needs workers, so it is only created where it is needed. */
export async function makeNotification(client: TestService["client"], things: Things): Promise<Things> {
  const transactionId = await trigger(client, things.workflowId, things.subscriberId);
  const [notification] = await settled(client, transactionId);
  return { ...things, notificationId: notification!._id! };
}

export type InputId = Extract<
  OperationId,
  | "events.trigger"
  | "events.triggerBulk"
  | "notifications.list"
  | "notifications.retrieve"
  | "messages.list"
  | "workflows.list"
  | "workflows.create"
  | "workflows.retrieve"
  | "workflows.update"
  | "workflows.patch"
  | "workflows.delete"
  | "subscribers.create"
  | "subscribers.createBulk"
  | "subscribers.list"
  | "subscribers.retrieve"
  | "subscribers.update"
  | "subscribers.delete"
  | "subscribers.listFeed"
  | "integrations.list"
  | "integrations.create"
  | "integrations.update"
  | "integrations.delete"
  | "environments.list"
  | "captured.list"
>;

/** `tag` goes into the names of what is created. */
export const validInput = {
  "events.trigger": ({ workflowId, subscriberId }) => ({
    body: { name: workflowId, to: subscriberId, payload: { name: "Ada" } },
  }),
  "events.triggerBulk": ({ workflowId, subscriberId }) => ({
    body: { events: [{ name: workflowId, to: [subscriberId, { subscriberId, firstName: "Ada" }] }] },
  }),
  "notifications.list": () => ({}),
  "notifications.retrieve": ({ notificationId }) => ({ params: { notificationId } }),
  "messages.list": () => ({}),
  "workflows.list": () => ({}),
  "workflows.create": (_, tag) => ({ body: { name: "New", workflowId: `${tag}-new-flow`, steps: [inApp()] } }),
  "workflows.retrieve": ({ workflowId }) => ({ params: { workflowId } }),
  "workflows.update": ({ workflowId }) => ({
    params: { workflowId },
    body: { name: "Updated", steps: [inApp()], preferences: {}, origin: "svc-cloud" },
  }),
  "workflows.patch": ({ workflowId }) => ({ params: { workflowId }, body: { name: "Patched", tags: ["a"] } }),
  "workflows.delete": ({ workflowId }) => ({ params: { workflowId } }),
  "subscribers.create": (_, tag) => ({ body: { subscriberId: `${tag}-new-person`, firstName: "Ada", data: { a: 1 } } }),
  "subscribers.createBulk": (_, tag) => ({ body: { subscribers: [{ subscriberId: `${tag}-bulk-person` }] } }),
  "subscribers.list": () => ({}),
  "subscribers.retrieve": ({ subscriberId }) => ({ params: { subscriberId } }),
  "subscribers.update": ({ subscriberId }) => ({ params: { subscriberId }, body: { firstName: "Bob" } }),
  "subscribers.delete": ({ subscriberId }) => ({ params: { subscriberId } }),
  "subscribers.listFeed": ({ subscriberId }) => ({ params: { subscriberId } }),
  "integrations.list": () => ({}),
  "integrations.create": (_, tag) => ({
    body: { providerId: "nodemailer", channel: "email", identifier: `${tag}-new-mail`, credentials: { user: "a" } },
  }),
  "integrations.update": ({ integrationId }) => ({ params: { integrationId }, body: { name: "Renamed" } }),
  "integrations.delete": ({ integrationId }) => ({ params: { integrationId } }),
  "environments.list": () => ({}),
  "captured.list": () => ({}),
} satisfies Partial<Record<OperationId, (things: Things, tag: string) => RawInput>> as Record<
  InputId,
  (things: Things, tag: string) => RawInput
>;

export const inputIds = Object.keys(validInput) as InputId[];

/** Rows by table, in all tables that hold what callers wrote: what must not change when a request is refused. */
export async function countRows(db: Db, except: string[] = []): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
    order by 1`.execute(db);
  // One statement: some tests count after each of a thousand requests.
  const counted = tables.rows.filter((table) => !except.includes(table.name));
  const counts = counted.map(
    ({ name }) => sql`select ${sql.lit(name)} as name, count(*) as count from ${sql.table(name)}`,
  );
  const { rows } = await sql<{ name: string; count: number }>`${sql.join(counts, sql` union all `)}`.execute(db);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

// Common actions of tests, over the API.
import assert from "node:assert/strict";
import type { FeedItem, Message, Notification, StepIn, WorkflowIn } from "@tidings/contract";
import type { TestService } from "./service.ts";
import { eventually } from "./wait.ts";

type Client = TestService["client"];

export async function createWorkflow(
  client: Client,
  workflowId: string,
  steps: StepIn[],
  settings: Partial<WorkflowIn> = {},
) {
  const body = { name: workflowId, workflowId, steps, active: true, ...settings };
  return (await client("workflows.create", { body })).body;
}

export const inApp = (controlValues: Record<string, unknown> = { body: "Hello {{ payload.name }}" }): StepIn => ({
  name: "In-app",
  type: "in_app",
  controlValues,
});

export const email = (controlValues: Record<string, unknown> = { subject: "Hi", body: "<p>Hello</p>" }): StepIn => ({
  name: "Email",
  type: "email",
  controlValues,
});

/** Triggers one event and expects it to be accepted; returns its transaction id. */
export async function trigger(
  client: Client,
  name: string,
  to: string | object | (string | object)[],
  payload: object = {},
) {
  const events = [{ name, to, payload }] as never;
  const [result] = (await client("events.triggerBulk", { body: { events } })).body;
  assert.equal(result?.status, "processed", JSON.stringify(result));
  return result.transactionId!;
}

/** An in-app step has an issue until the environment has served a feed for the first time. */
export async function connectInbox(client: Client): Promise<void> {
  await client("subscribers.create", { body: { subscriberId: "first-reader" } });
  await feedOf(client, "first-reader");
}

export const feedOf = async (client: Client, subscriberId: string): Promise<FeedItem[]> =>
  (await client("subscribers.listFeed", { params: { subscriberId }, query: { limit: 100 } })).body.data;

export const messagesOf = async (client: Client, transactionId: string): Promise<Message[]> =>
  (await client("messages.list", { query: { transactionId: [transactionId], limit: 1000 } })).body.data;

export const notificationsOf = async (client: Client, transactionId: string): Promise<Notification[]> =>
  (await client("notifications.list", { query: { transactionId, limit: 50 } })).body.data;

const finished = new Set(["completed", "failed", "skipped", "canceled", "merged"]);

/** Waits until every job of the transaction has ended, and returns its notifications. */
export function settled(client: Client, transactionId: string, limitMs?: number): Promise<Notification[]> {
  return eventually(
    async () => {
      const list = await notificationsOf(client, transactionId);
      const jobs = list.flatMap((notification) => notification.jobs ?? []);
      return jobs.length > 0 && jobs.every((job) => finished.has(job.status)) ? list : null;
    },
    `the end of transaction ${transactionId}`,
    limitMs,
  );
}

export const detailsOf = (notification: Notification, stepType: string): string[] =>
  (notification.jobs ?? [])
    .filter((job) => job.type === stepType)
    .flatMap((job) => job.executionDetails.map((entry) => entry.detail));

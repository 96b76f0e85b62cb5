// Every operation and the function that carries it out, on one page. Paths, shapes and rate categories are in the
// contract; a test fails when an operation has no row here.
import type { Input, OperationId, Output } from "@tidings/contract";
import * as captured from "../app/captured.ts";
import * as environments from "../app/environments.ts";
import * as events from "../app/events.ts";
import * as integrations from "../app/integrations.ts";
import * as messages from "../app/messages.ts";
import * as notifications from "../app/notifications.ts";
import * as subscribers from "../app/subscribers.ts";
import * as workflows from "../app/workflows.ts";
import type { Caller, Ctx } from "../context.ts";

export type HandlerOf<Id extends OperationId> = (ctx: Ctx, caller: Caller, input: Input<Id>) => Promise<Output<Id>>;
export type Handler = (ctx: Ctx, caller: Caller, input: never) => Promise<unknown>;

export const routes: { [Id in OperationId]: HandlerOf<Id> } = {
  "events.trigger": events.trigger,
  "events.triggerBulk": events.triggerBulk,
  "notifications.list": notifications.list,
  "notifications.retrieve": notifications.retrieve,
  "messages.list": messages.list,
  "workflows.list": workflows.list,
  "workflows.create": workflows.create,
  "workflows.retrieve": workflows.retrieve,
  "workflows.update": workflows.update,
  "workflows.patch": workflows.patch,
  "workflows.delete": workflows.remove,
  "subscribers.create": subscribers.create,
  "subscribers.createBulk": subscribers.createBulk,
  "subscribers.list": subscribers.list,
  "subscribers.retrieve": subscribers.retrieve,
  "subscribers.update": subscribers.update,
  "subscribers.delete": subscribers.remove,
  "subscribers.listFeed": messages.listFeed,
  "integrations.list": integrations.list,
  "integrations.create": integrations.create,
  "integrations.update": integrations.update,
  "integrations.delete": integrations.remove,
  "environments.list": environments.list,
  "captured.list": captured.list,
};

const lengthOf = (body: unknown, name: string): number => {
  const value = (body as Record<string, unknown> | undefined)?.[name];
  return Array.isArray(value) ? Math.max(1, value.length) : 1;
};

/** A request costs one token of its rate limit; bulk operations cost by what they carry. */
export const bulkCosts: Partial<Record<OperationId, (body: unknown) => number>> = {
  "events.triggerBulk": (body) => lengthOf(body, "events"),
  "subscribers.createBulk": (body) => Math.ceil(lengthOf(body, "subscribers") / 10),
};

// Every operation of the service, by id.
import type { InputOf, OutputOf } from "./operation.ts";
import { capturedOperations } from "./resources/captured.ts";
import { environmentOperations } from "./resources/environments.ts";
import { eventOperations } from "./resources/events.ts";
import { feedOperations } from "./resources/feed.ts";
import { integrationOperations } from "./resources/integrations.ts";
import { messageOperations } from "./resources/messages.ts";
import { notificationOperations } from "./resources/notifications.ts";
import { subscriberOperations } from "./resources/subscribers.ts";
import { workflowOperations } from "./resources/workflows.ts";

export const operations = {
  ...eventOperations,
  ...notificationOperations,
  ...messageOperations,
  ...workflowOperations,
  ...subscriberOperations,
  ...feedOperations,
  ...integrationOperations,
  ...environmentOperations,
  ...capturedOperations,
};

export type Operations = typeof operations;
export type OperationId = keyof Operations;
export type Input<Id extends OperationId> = InputOf<Operations[Id]>;
export type Output<Id extends OperationId> = OutputOf<Operations[Id]>;

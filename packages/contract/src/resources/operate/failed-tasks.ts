// Failed tasks: work of the pipeline that failed on every attempt. It was set aside, so that the queue behind it
// continues, and can be replayed once the cause is fixed. An addition of Tidings.
import { pageEnvelope, pageQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, openObject, type Static, Type } from "../../schema.ts";

export const failedTaskStatuses = ["open", "replayed"] as const;

export const FailedTask = named("FailedTask", {
  id: Type.String(),
  kind: Type.String({
    description:
      "The stage of the pipeline: `relay` (a call by SQL that was refused), `trigger`, `fanout`, `wake`, `bridge`, " +
      "`deliver`, `webhook` or `unsnooze`",
  }),
  data: openObject({
    description: "The task's data: ids of events, notifications, messages or deliveries, or the refused call",
  }),
  error: Type.String({ description: "Why the last attempt failed" }),
  attempts: Type.Integer({ description: "Number of attempts" }),
  status: oneOf(failedTaskStatuses),
  createdAt: isoTime("When it was set aside"),
  replayedAt: Type.Optional(isoTime("When it was put back into the queue")),
});
export type FailedTask = Static<typeof FailedTask>;

export const failedTaskOperations = {
  "failedTasks.list": operation({
    id: "failedTasks.list",
    method: "GET",
    path: "/v1/failed-tasks",
    summary: "List pipeline tasks that were set aside",
    description: "Newest first. Kept as long as dead letters, 30 days by default. See docs/delivery.md.",
    category: "global",
    query: Type.Object({
      ...pageQuery({ default: 10, maximum: 100 }),
      status: Type.Optional(oneOf(failedTaskStatuses)),
    }),
    success: {
      status: 200,
      schema: Type.Object(
        {
          ...pageEnvelope(FailedTask),
          totalCount: Type.Integer({ description: "Tasks that match the filter, counted up to 50,000" }),
        },
        { title: "FailedTaskList" },
      ),
    },
    errors: [],
  }),
  "failedTasks.replay": operation({
    id: "failedTasks.replay",
    method: "POST",
    path: "/v1/failed-tasks/{id}/replay",
    summary: "Put a failed task back into the queue",
    description: "It starts over. A task that fails again is set aside again, with a new id.",
    category: "global",
    role: "support",
    params: Type.Object({ id: Type.String() }),
    success: { status: 200, schema: FailedTask },
    errors: ["FAILED_TASK_NOT_FOUND", "FAILED_TASK_NOT_OPEN"],
  }),
};

// The runs that a replay begins: those of the past, in the version of the variant, and roll-ups.
import type { RecipientRow } from "../../store/subscribers/subscribers.ts";
import { rollUpTransactionId } from "../attention/roll-up-items.ts";
import type { Run } from "../run/run.ts";
import type { PastRun } from "./history.ts";
import { newJob } from "./past-jobs.ts";
import { type BegunRollUp, rollUpNotificationId } from "./places.ts";
import type { RunVersion } from "./state.ts";

type Given = Pick<Run, "event" | "actor" | "contextKeys" | "subscriptions">;

export const runOfPast = (past: PastRun, chosen: RunVersion, subscriber: RecipientRow): Run =>
  newRun(past.notification.id, subscriber, chosen, {
    event: past.event,
    actor: past.actor,
    contextKeys: past.notification.context_keys,
    subscriptions: past.notification.subscriptions,
  });

export function runOfRollUp({ id, channel, at, ask }: BegunRollUp, chosen: RunVersion, subscriber: RecipientRow): Run {
  const notificationId = rollUpNotificationId(id);
  const { event, version, jobs, notificationId: by } = ask.run;
  const { workflowId } = version.definition;
  const stepId = jobs.find((job) => job.id === ask.claim.jobId)!.step.stepId;
  const path = [...(event.startedBy?.path ?? []), workflowId];
  return newRun(notificationId, subscriber, chosen, {
    event: {
      ...{ id: notificationId, transactionId: rollUpTransactionId(id), payload: { channel }, overrides: null },
      ...{ tenant: null, tenantFields: null, bridgeUrl: null, trace: null, supersedeKey: null, priority: null },
      startedBy: { eventId: event.id, notificationId: by, workflowId, stepId, path, rollUp: { id, channel, at } },
      createdAt: ask.now,
    },
    actor: null,
    contextKeys: [],
    subscriptions: null,
  });
}

function newRun(notificationId: string, subscriber: RecipientRow, { version, rules }: RunVersion, given: Given): Run {
  const steps = version.definition.steps.filter((step) => step.active);
  return {
    notificationId,
    environmentId: version.environmentId,
    isNew: true,
    version,
    rules,
    subscriber,
    isWorkflowDeleted: false,
    jobs: steps.map((step, index) => newJob(notificationId, step, index)),
    ...given,
  };
}

// Due tasks wait for a worker longer than they should: the service does not keep up, or no process works.
import { findOldTasks } from "../../../store/alerts/findings.batch.ts";
import type { AlertKind } from "../kind.ts";

const second = 1_000;

export const queueAge: AlertKind<"queue_age"> = {
  async find(ctx, rules, now) {
    const shortest = Math.min(...rules.map(({ parameters }) => parameters.seconds));
    const old = await findOldTasks(ctx.db, new Date(now.getTime() - shortest * second));
    const oldest = new Map(old.map((row) => [row.environment_id, row]));
    return rules.flatMap(({ id, environmentId, environmentName, parameters }) => {
      const task = oldest.get(environmentId);
      const seconds = task ? Math.floor((now.getTime() - task.oldest.getTime()) / second) : 0;
      if (!task || seconds < parameters.seconds) return [];
      const subject = { type: "queue" as const, id: environmentId, name: environmentName };
      return [{ ruleId: id, subject, code: "tasks_wait", facts: { seconds, task: task.kind } }];
    });
  },
};

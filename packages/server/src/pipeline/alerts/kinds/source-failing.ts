// A source whose database could not be read for a while: events that were committed there wait in its outbox.
import { findFailingSources } from "../../../store/alerts/findings.batch.ts";
import type { AlertKind } from "../kind.ts";

const minute = 60_000;

export const sourceFailing: AlertKind<"source_failing"> = {
  async find(ctx, rules, now) {
    const since = rules.map(({ id, environmentId, parameters }) => ({
      rule_id: id,
      environment_id: environmentId,
      before: new Date(now.getTime() - parameters.forMinutes * minute),
    }));
    const found = await findFailingSources(ctx.db, since);
    return found.map((row) => ({
      ruleId: row.rule_id,
      subject: { type: "source", id: row.id, name: row.name },
      code: "failing",
      facts: {
        minutes: Math.floor((now.getTime() - row.failing_since.getTime()) / minute),
        error: row.last_error ?? "",
      },
    }));
  },
};

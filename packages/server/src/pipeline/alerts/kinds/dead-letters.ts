// More messages than usual could not be delivered, and wait as dead letters for a decision.
import { firstIdAt } from "../../../lib/ids.ts";
import { countLettersOfRules } from "../../../store/alerts/findings.batch.ts";
import type { AlertKind } from "../kind.ts";

const minute = 60_000;

export const deadLetters: AlertKind<"dead_letters"> = {
  async find(ctx, rules, now) {
    const byId = new Map(rules.map((rule) => [rule.id, rule]));
    const counts = await countLettersOfRules(
      ctx.db,
      rules.map(({ id, environmentId, parameters: { moreThan, withinMinutes } }) => ({
        rule_id: id,
        environment_id: environmentId,
        more_than: moreThan,
        // Ids have the real time in which the message was given up, even where a test clock is used.
        since: firstIdAt(withinMinutes === undefined ? new Date(0) : new Date(now.getTime() - withinMinutes * minute)),
      })),
    );
    return counts.map((found) => {
      const { environmentId, environmentName, parameters } = byId.get(found.rule_id)!;
      return {
        ruleId: found.rule_id,
        subject: { type: "environment", id: environmentId, name: environmentName },
        code: parameters.withinMinutes === undefined ? "waiting" : "new",
        facts: {
          count: found.count,
          ...(parameters.withinMinutes !== undefined && { minutes: parameters.withinMinutes }),
          integrationId: found.integration_id,
          errorClass: found.error_class,
          error: found.error,
        },
      };
    });
  },
};

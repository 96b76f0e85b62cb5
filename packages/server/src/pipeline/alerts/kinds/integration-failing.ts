// An integration whose provider cannot be reached, or refuses the credentials: every call has failed for a while. A
// short pause of the circuit breaker opens no alert, and neither does one failed call that was not repeated yet.
import { findFailingIntegrations } from "../../../store/alerts/findings.batch.ts";
import type { AlertKind } from "../kind.ts";

const second = 1_000;
/** Failures of a provider in a row before it counts as failing with its circuit breaker still closed. */
const minFailures = 3;

export const integrationFailing: AlertKind<"integration_failing"> = {
  async find(ctx, rules, now) {
    const since = rules.map(({ id, environmentId, parameters }) => ({
      rule_id: id,
      environment_id: environmentId,
      before: new Date(now.getTime() - parameters.forSeconds * second),
    }));
    const found = await findFailingIntegrations(ctx.db, since, minFailures);
    return found.map((row) => ({
      ruleId: row.rule_id,
      subject: { type: "integration", id: row.id, name: row.name },
      code: row.state === "closed" ? "failing" : "breaker_open",
      facts: {
        provider: row.provider_id,
        channel: row.channel,
        minutes: Math.floor((now.getTime() - row.failing_since.getTime()) / (60 * second)),
        failures: row.failures,
        error: row.last_error ?? "",
        errorClass: row.last_error_class ?? "",
      },
    }));
  },
};

// A webhook whose receiver has refused or missed every call for a while, or that the service switched off for it.
import { findFailingWebhooks } from "../../../store/alerts/findings.batch.ts";
import type { AlertKind } from "../kind.ts";

const minute = 60_000;
/** An event is tried again after 5 seconds and 5 minutes: three failures are more than one lost call. */
const minFailures = 3;
/** A webhook that was switched off longer ago is not reported: nobody needs it. */
const offForMs = 7 * 24 * 60 * minute;

export const webhookFailing: AlertKind<"webhook_failing"> = {
  async find(ctx, rules, now) {
    const since = rules.map(({ id, environmentId, parameters }) => ({
      rule_id: id,
      environment_id: environmentId,
      before: new Date(now.getTime() - parameters.forMinutes * minute),
    }));
    const offSince = new Date(now.getTime() - offForMs);
    const found = await findFailingWebhooks(ctx.db, since, { minFailures, offSince });
    return found.map((row) => ({
      ruleId: row.rule_id,
      subject: { type: "webhook", id: row.id, name: URL.parse(row.url)?.host ?? "an unknown host" },
      code: row.disabled_reason === null ? "failing" : "disabled",
      facts: {
        failures: row.failures,
        minutes: row.failing_since ? Math.floor((now.getTime() - row.failing_since.getTime()) / minute) : 0,
        error: row.last_error ?? "",
        reason: row.disabled_reason ?? "",
      },
    }));
  },
};

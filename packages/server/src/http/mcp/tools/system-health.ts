// system_health: what is failing and what is waiting.
import { maskUrlTemplate } from "../../../pipeline/requests/mask.ts";
import { answerOf, id, plural, quote } from "../answer.ts";
import { readingTool } from "../tool.ts";

export const systemHealth = readingTool({
  name: "system_health",
  title: "System health",
  description:
    "Shows whether messages flow: queue, integrations that fail, messages that wait for them, dead letters, webhooks and open alerts.",
  operations: ["system.retrieve", "alerts.list"],
  input: {},
  run: async (host) => {
    const [{ versions, processes, queue, environment }, alerts] = await Promise.all([
      host.call("system.retrieve", {}),
      host.call("alerts.list", { query: { status: "open", limit: 10 } }),
    ]);
    const { breakers, waiting, deadLetters, failedTasks, failedWebhookDeliveries, disabledWebhooks } = environment;
    const busy = queue.filter(({ due, active }) => due + active > 0);
    return answerOf([
      `Tidings ${id(versions.service)}, PostgreSQL ${id(versions.postgres)}, ${plural(processes, "process")}.`,
      busy.length === 0
        ? "The queue is empty."
        : `Queue of the installation: ${busy.map((one) => `${id(one.kind)} ${one.due} due, ${one.active} running, lag ${one.lagSeconds} s`).join("; ")}.`,
      `Oldest event of this environment in the queue: ${environment.oldestEventSeconds} s.`,
      breakers.length === 0 && "No circuit breaker of an integration is open.",
      ...breakers
        .slice(0, 20)
        .map(
          (one) =>
            `Integration ${id(one.identifier)} (${id(one.providerId)}): circuit breaker ${one.state} after ${plural(one.failures, "failure")}${one.nextProbeAt ? `, next attempt ${one.nextProbeAt}` : ""}. ${one.lastError ? quote(one.lastError.message) : ""}`,
        ),
      ...waiting
        .slice(0, 20)
        .map(
          (one) => `${plural(one.count, `${one.channel} message`)} for ${quote(one.name, 128)} since ${one.oldestAt}.`,
        ),
      `${plural(deadLetters, "open dead letter")}, ${plural(failedTasks, "failed task")}, ${failedWebhookDeliveries} webhook deliveries given up, ${plural(disabledWebhooks, "webhook")} switched off.`,
      ...environment.failingWebhooks
        .slice(0, 10)
        .map(
          (one) =>
            `Webhook ${quote(maskUrlTemplate(one.url))} fails since ${one.failingSince}: ${quote(one.lastError)}`,
        ),
      `${plural(alerts.openCount, "open alert")}.`,
      ...alerts.data.map(
        (one) => `Alert since ${one.openedAt}: ${quote(one.title)} ${quote(one.text)} ${quote(one.advice)}`,
      ),
      host.linkTo("/settings"),
    ]);
  },
});

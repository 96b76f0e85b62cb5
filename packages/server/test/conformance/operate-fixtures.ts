// Good inputs of the operations for operators: alerts, dead letters and their replays, failed tasks, sources, webhooks,
// reports of providers.
import type { OperationId } from "@tidings/contract";
import { type Fixture, listOf, ofReport, ofReportByGet, ofWebhook, threeDeliveries, withBody } from "./inputs.ts";
import type { World } from "./world.ts";

const ofReplay: Fixture = async (w) => ({ params: { replayId: (await w.replay()).id } });

const ofAlertRule: Fixture = async (w) => ({ params: { ruleId: (await w.alertRule())._id } });

/** A delivery of a webhook that was tested. */
async function ofDelivery(w: World) {
  const { id: webhookId } = await w.webhook();
  const { body } = await w.client("webhooks.test", { params: { webhookId } });
  return { params: { webhookId, deliveryId: body.id } };
}

/** Reports on one message: each as it comes has a row. */
async function makeReport(w: World): Promise<void> {
  const { params, body, headers } = await ofReport(w);
  await w.client("inboundWebhooks.receive", { params, body, headers } as never);
}

const ofSource: Fixture = async (w) => ({ params: { sourceId: (await w.once(w.source)).id } });

const ofVariable: Fixture = async (w) => ({ params: { variableKey: (await w.variable()).key } });

/** A variable that a workflow and a layout use. */
const ofUsedVariable: Fixture = async (w) => {
  const { key } = await w.variable();
  const step = { name: "In-app", type: "in_app" as const, controlValues: { body: `{{ env.${key} }}` } };
  await w.client("workflows.create", { body: { workflowId: w.unique("user"), name: "User", steps: [step] } });
  const { layoutId } = await w.layout();
  const email = { body: `<p>{{ env.${key} }}{{ content }}</p>`, editorType: "html" as const };
  await w.client("layouts.update", { params: { layoutId }, body: { name: key, controlValues: { email } } });
  return { params: { variableKey: key } };
};

export const operateFixtures: Partial<Record<OperationId, Fixture>> = {
  "deadLetters.list": listOf((w) => w.deadLetter()),
  "deadLetters.listGroups": listOf((w) => w.deadLetter()),
  "deadLetters.replay": async (w) => ({ params: { id: (await w.deadLetter()).id } }),
  "deadLetters.replayMany": async (w) => ({ body: { ids: [(await w.deadLetter()).id], perSecond: 100 } }),
  "deadLetterReplays.preview": async (w) => ({
    body: { ids: [(await w.deadLetter()).id, (await w.unwantedLetter()).id] },
  }),
  "deadLetterReplays.create": async (w) => ({
    body: { ids: [(await w.deadLetter()).id], perSecond: 100, payload: { name: "Eve" } },
  }),
  "deadLetterReplays.list": listOf((w) => w.replay()),
  "deadLetterReplays.retrieve": ofReplay,
  "deadLetterReplays.pause": ofReplay,
  "deadLetterReplays.resume": ofReplay,
  "deadLetterReplays.stop": ofReplay,
  "failedTasks.list": listOf((w) => w.failedTask()),
  "failedTasks.replay": async (w) => ({ params: { id: (await w.failedTask()).id } }),
  "alertRules.list": listOf((w) => w.alertRule()),
  "alertRules.create": (w) => ({
    body: {
      name: w.unique("rule"),
      kind: "webhook_failing",
      parameters: { forMinutes: 5 },
      targets: [{ type: "webhook", url: `${w.webhookUrl}/alerts` }],
    },
  }),
  "alertRules.retrieve": ofAlertRule,
  "alertRules.update": withBody(ofAlertRule, { active: false, quiet: null, targets: [{ type: "owners" }] }),
  "alertRules.delete": ofAlertRule,
  "alertRules.test": ofAlertRule,
  "alerts.list": listOf((w) => w.alert()),
  "alerts.acknowledge": async (w) => ({ params: { alertId: (await w.alert()).id } }),
  "environmentVariables.list": listOf((w) => w.variable()),
  "environmentVariables.create": (w) => ({ body: { key: w.unique("VARIABLE").replaceAll("-", "_"), isSecret: true } }),
  "environmentVariables.retrieve": ofVariable,
  "environmentVariables.update": withBody(ofVariable, { isSecret: true }),
  "environmentVariables.delete": ofVariable,
  "environmentVariables.usage": ofUsedVariable,
  "sources.list": listOf((w) => w.source()),
  "sources.create": async (w) => ({
    body: { name: w.unique("source"), url: await w.once(w.outbox), schema: "tidings", paused: true },
  }),
  "sources.retrieve": ofSource,
  "sources.update": withBody(ofSource, { name: "Orders", paused: true }),
  "sources.delete": async (w) => ({ params: { sourceId: (await w.source()).id } }),
  "sources.check": ofSource,
  "webhooks.list": listOf((w) => w.webhook()),
  "webhooks.create": (w) => ({ body: { url: w.webhookUrl, eventTypes: ["message.sent"] } }),
  "webhooks.retrieve": ofWebhook,
  "webhooks.update": withBody(ofWebhook, { eventTypes: [], active: false }),
  "webhooks.delete": ofWebhook,
  "webhooks.rotateSecret": ofWebhook,
  "webhooks.test": ofWebhook,
  "webhooks.listDeliveries": listOf(threeDeliveries, async (w) => ({
    params: { webhookId: (await w.once(w.webhook)).id },
  })),
  "webhooks.retrieveDelivery": ofDelivery,
  "webhooks.replay": withBody(ofWebhook, { since: "2026-01-01T00:00:00Z" }),
  "inboundWebhooks.receive": ofReport,
  "inboundWebhooks.receiveByGet": ofReportByGet,
  "inboundReceipts.list": listOf(makeReport),
};

// Reports on captured messages, sent to the service as a provider sends them: to the address of the integration that
// captures the channel, with its key.
import type { reportedChannels } from "@tidings/contract";
import { CliError } from "../failure.ts";
import type { Stage } from "./environment.ts";

/** How long a report may take. */
const maxMs = 30_000;

type ReportedChannel = (typeof reportedChannels)[number];

type Report = { channel: ReportedChannel; messageIds: string[]; status: "delivered" | "clicked" | "bounced"; at: Date };

/** Each channel has its own statuses: clicks, for example, are not reported on every one. */
export async function report(stage: Stage, { channel, messageIds, status, at }: Report): Promise<void> {
  if (messageIds.length === 0)
    throw new CliError(
      `"${status}" needs ${channel === "email" ? "an email" : `a message by ${channel}`}, and none was sent.`,
    );
  const { tidings, environment, url } = stage;
  const captured = captureProviders[channel];
  const integration = (await tidings.integrations.list()).find(({ providerId }) => providerId === captured);
  if (!integration) throw new CliError(`There is no integration that captures ${channel}.`);
  const key = crypto.randomUUID();
  const configurations = { ...integration.configurations, inboundWebhookEnabled: true, inboundWebhookSigningKey: key };
  await tidings.integrations.update({ params: { integrationId: integration.identifier }, body: { configurations } });
  const address = `${url}/v2/inbound-webhooks/delivery-providers/${environment._id}/${integration.identifier}`;
  const response = await fetch(address, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`tidings:${key}`)}`, "content-type": "application/json" },
    signal: AbortSignal.timeout(maxMs),
    body: JSON.stringify(messageIds.map((messageId) => ({ messageId, status, date: at.toISOString() }))),
  });
  const read: unknown = response.ok ? await response.json() : [];
  if (!Array.isArray(read) || read.length === 0)
    throw new CliError(`A report "${status}" on ${channel} was refused.`, {
      fix: `Messages by ${channel} may have no such report.`,
    });
}

const captureProviders: Record<ReportedChannel, string> = { email: "svc-email", sms: "svc-sms", chat: "svc-slack" };

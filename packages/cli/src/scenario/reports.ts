// Reports on captured messages, sent to the service as a provider sends them: to the address of the integration that
// captures the channel, with its key.
import type { reportedChannels } from "@tidings/contract";
import { CliError } from "../failure.ts";
import type { Stage } from "./environment.ts";

type ReportedChannel = (typeof reportedChannels)[number];

type Report = { channel: ReportedChannel; messageIds: string[]; status: "delivered" | "clicked" | "bounced"; at: Date };

/** A provider accepts only the statuses of its channel: nobody clicks on an SMS that reports it. */
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
    body: JSON.stringify(messageIds.map((messageId) => ({ messageId, status, date: at.toISOString() }))),
  });
  const read: unknown = response.ok ? await response.json() : [];
  if (!Array.isArray(read) || read.length === 0)
    throw new CliError(`A report "${status}" on ${channel} was refused.`, { fix: "docs/testing.md has the statuses." });
}

const captureProviders: Record<ReportedChannel, string> = { email: "svc-email", sms: "svc-sms", chat: "svc-slack" };

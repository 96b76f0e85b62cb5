// How the service reaches the fake providers, and settings under which what they break ends within a run.
import type { Client } from "@tidings/testkit/client";

/**
 * For the processes of a run. With the defaults, the last retry of a message may come minutes after the load has ended,
 * and the breaker of a provider that was out for a minute may stay open for two more.
 */
export const runSettings: Record<string, string> = {
  TIDINGS_DELIVERY_WAIT_FACTOR: "2",
  TIDINGS_DELIVERY_ATTEMPTS: "8",
  TIDINGS_PROVIDER_TIMEOUT: "15",
  TIDINGS_CIRCUIT_FIRST_PROBE: "5",
};

export type Ports = { smtp: number; sms: number };

export const mailCredentials = (port: number) => ({
  ...{ from: "chaos@example.com", senderName: "Chaos" },
  ...{ host: "127.0.0.1", port: String(port), ignoreTls: true },
});

export const smsCredentials = (port: number) => ({
  ...{ baseUrl: `http://127.0.0.1:${port}/`, apiKeyRequestHeader: "x-key", apiKey: "key" },
  ...{ idPath: "id", from: "12" },
});

export async function createIntegrations(client: Client, { smtp, sms }: Ports): Promise<void> {
  await switchOffCapture(client);
  const credentials = mailCredentials(smtp);
  await client("integrations.create", {
    body: { name: "mail", channel: "email", active: true, providerId: "nodemailer", credentials },
  });
  await client("integrations.create", {
    body: { name: "text", channel: "sms", active: true, providerId: "generic-sms", credentials: smsCredentials(sms) },
  });
}

/** A new environment captures email and SMS. Messages would fail over to that, and no provider would see them. */
async function switchOffCapture(client: Client): Promise<void> {
  for (const { _id, channel } of (await client("integrations.list")).body) {
    if (channel !== "email" && channel !== "sms") continue;
    await client("integrations.update", { params: { integrationId: _id! }, body: { active: false } });
  }
}

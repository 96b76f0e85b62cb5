// Integrations whose provider is a server of the test (the generic webhook providers), and the recorded attempts.
import type { Integration, StepIn } from "@tidings/contract";
import { sql } from "kysely";
import type { TestService } from "../service.ts";

type Client = TestService["client"];

export const secretKey = `whsec_${Buffer.from("a secret of the webhooks").toString("base64")}`;

export async function integration(
  client: Client,
  providerId: string,
  identifier: string,
  credentials: Integration["credentials"],
): Promise<Integration> {
  const channel = ({ "email-webhook": "email", "generic-sms": "sms", "push-webhook": "push" } as const)[providerId];
  const body = { channel: channel ?? "chat", identifier, active: true, credentials } as const;
  return (await client("integrations.create", { body: { ...body, providerId: providerId as "fcm" } })).body;
}

export const mailer = (client: Client, identifier: string, webhookUrl: string) =>
  integration(client, "email-webhook", identifier, { webhookUrl, secretKey, from: "a@example.com", senderName: "A" });

export const texter = (client: Client, identifier: string, baseUrl: string) =>
  integration(client, "generic-sms", identifier, {
    ...{ baseUrl, apiKeyRequestHeader: "x-key", apiKey: "key-s3cret" },
    ...{ idPath: "id", from: "12" },
  });

export const step = (type: StepIn["type"], controlValues: StepIn["controlValues"]): StepIn => ({
  name: type,
  type,
  controlValues,
});

export const person = (name: string) => ({
  subscriberId: name,
  email: `${name}@example.com`,
  phone: "+4915112345678",
});

/** A recorded attempt: `<integration> <number> <outcome>`. */
export type Attempt = { line: string; at: Date };

export async function attemptsOf(db: TestService["db"], transactionId: string): Promise<Attempt[]> {
  const { rows } = await sql<Attempt>`
    select i.identifier || ' ' || a.number || ' ' || coalesce(a.outcome, '?') as line, a.started_at as at
    from attempts a join integrations i on i.id = a.integration_id join messages m on m.id = a.message_id
    join events e on e.id = m.event_id where e.transaction_id = ${transactionId} order by a.id`.execute(db);
  return rows;
}

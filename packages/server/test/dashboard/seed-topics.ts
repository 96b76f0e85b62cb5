// The audience and the content of the small company of seed.ts: topics with rules, contexts, suppressions, an import,
// layouts and texts. Only the pictures need all of it.
import type { Client } from "@tidings/testkit/client";

const page = (inside: string) =>
  `<div style="background:#f2f4f5;padding:24px;font-family:sans-serif"><div style="max-width:520px;margin:0 auto;background:#fff;` +
  `border-radius:8px;padding:24px"><p style="color:#0f766e;font-weight:700;font-size:18px">Northwind</p>${inside}` +
  `<p style="color:#66717b;font-size:12px">{{ t.footer }} · {{ subscriber.email }}</p></div></div>`;

export async function seedTopics(client: Client): Promise<{ imported: string }> {
  for (const [key, name] of [
    ["release-notes", "Release notes"],
    ["project-apollo", "Project Apollo"],
    ["on-call", "On call"],
  ] as const) {
    await client("topics.create", { body: { key, name } });
  }
  await client("topicSubscriptions.create", {
    params: { topicKey: "release-notes" },
    body: {
      subscriptions: ["ada", "grace", "radia"],
      preferences: [
        { workflowId: "maintenance", condition: { "==": [{ var: "payload.severity" }, "high"] } },
        { filter: {}, enabled: false },
      ],
    },
  });
  for (const [id, data] of [
    ["acme", { name: "Acme Ltd", plan: "enterprise", logo: "https://example.com/acme.png" }],
    ["globex", { name: "Globex", plan: "team" }],
    ["initech", {}],
  ] as const) {
    await client("contexts.create", { body: { type: "tenant", id, data } });
  }
  await client("contexts.create", { body: { type: "project", id: "apollo", data: { owner: "margaret" } } });
  await client("suppressions.create", { body: { channel: "email", address: "former@example.com" } });
  await client("suppressions.create", { body: { channel: "sms", address: "+1 415 555 0199" } });
  const csv =
    "subscriberId,email,firstName,data.plan\nalan,alan@example.com,Alan,pro\nedsger,edsger at example,Edsger,free\n" +
    "donald,donald@example.com,Donald,pro\nada,,Ada,pro\nbad id,x@example.com,Xavier,\n";
  const { body: made } = await client("imports.create", {
    body: { kind: "subscribers", csv, fileName: "people-march.csv" },
  });
  await client("imports.create", {
    body: { kind: "subscriptions", csv: "topicKey,subscriberId\non-call,grace\non-call,margaret", dryRun: true },
  });
  await client("layouts.create", { body: { layoutId: "company", name: "Company", isTranslationEnabled: true } });
  await client("layouts.update", {
    params: { layoutId: "company" },
    body: { name: "Company", controlValues: { email: { body: page("{{content}}"), editorType: "html" } } },
  });
  await client("layouts.create", { body: { layoutId: "plain", name: "Plain text" } });
  const texts = (locale: string, content: Record<string, unknown>) =>
    client("translations.create", {
      body: { resourceType: "workflow", resourceId: "order-shipped", locale, content },
    });
  await texts("en_US", {
    subject: "Order {{ payload.order }} has shipped",
    greeting: "Hello {{ subscriber.firstName }}",
    button: { open: "Follow the parcel", help: "Get help" },
  });
  await texts("de_DE", {
    subject: "Bestellung {{ payload.order }} ist unterwegs",
    greeting: "Hallo {{ subscriber.firstName }}",
    button: { open: "Paket verfolgen" },
  });
  await texts("fr_FR", { subject: "Commande {{ payload.order }} expédiée", salutation: "Bonjour" });
  await client("translations.create", {
    body: { resourceType: "layout", resourceId: "company", locale: "en_US", content: { footer: "Sent by Northwind" } },
  });
  return { imported: made.id };
}

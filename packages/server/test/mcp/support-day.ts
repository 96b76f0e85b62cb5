// A day of support: people, workflows and events of one environment on a test clock, set up as a product does it, about
// which questions.test.ts asks.
import type { Schedule, StepIn, TriggerEvent } from "@tidings/contract";
import { newStage } from "@tidings/testkit/clock";
import { startScriptedMail } from "@tidings/testkit/mail/scripted-mail";
import type { SharedService } from "@tidings/testkit/service";
import { createWorkflow, inApp, settled, trigger } from "@tidings/testkit/verbs";
import { type Assistant, connectTo, sharePublicService } from "./assistant.ts";

const step = (type: StepIn["type"], controlValues: Record<string, unknown>, stepId: string = type): StepIn => ({
  name: stepId,
  stepId,
  type,
  controlValues,
});
const mailStep = step("email", { subject: "Your invoice", body: "<p>Please pay {{payload.amount}}</p>" });

const officeHours: Schedule = {
  isEnabled: true,
  weeklySchedule: { monday: { isEnabled: true, hours: [{ start: "09:00 AM", end: "05:00 PM" }] } },
};

export type SupportDay = {
  assistant: Assistant;
  /** For an environment of the same organisation, in which nothing of this happened. */
  elsewhere: Assistant;
  /** For an environment whose mail server takes no login. */
  outage: Assistant;
  /** Transaction ids by a word for the event. */
  events: Record<string, string>;
};

export const secretPassword = "a-secret-password";

/** Another environment, whose only mail server takes no login: its mail ends as dead letters. */
async function openOutage(service: SharedService, smtp: object): Promise<Assistant> {
  const { client, apiKey } = await newStage(service);
  for (const { _id: integrationId, channel } of (await client("integrations.list")).body)
    if (channel === "email")
      await client("integrations.update", { params: { integrationId: integrationId! }, body: { active: false } });
  const credentials = { ...smtp, user: "shop", password: secretPassword };
  await client("integrations.create", {
    body: { providerId: "nodemailer", channel: "email", identifier: "locked", active: true, credentials },
  });
  await createWorkflow(client, "receipt", [mailStep]);
  for (const to of ["joe", "kim"])
    await settled(client, await trigger(client, "receipt", { subscriberId: to, email: `${to}@example.com` }));
  return connectTo({ url: service.url, apiKey });
}

export async function openSupportDay(): Promise<SupportDay> {
  const mail = await startScriptedMail((address) => (address.startsWith("refused") ? 550 : null));
  const service = await sharePublicService();
  const stage = await newStage(service, "2026-03-01T12:00:00.000Z");
  const { client } = stage;
  const people = ["ada", "bob", "cleo", "dan", "fay", "gus", "hal", "ina", "refused"];
  for (const subscriberId of people)
    await client("subscribers.create", {
      body: { subscriberId, email: `${subscriberId}@example.com`, firstName: subscriberId, timezone: "UTC" },
    });
  await client("subscribers.create", { body: { subscriberId: "eve" } });
  const choose = (subscriberId: string, body: object) =>
    client("subscribers.updatePreferences", { params: { subscriberId }, body: body as never });

  await createWorkflow(client, "invoice", [mailStep], { searchKeys: ["invoice"] });
  await createWorkflow(client, "collect", [step("digest", { amount: 1, unit: "hours" }), inApp({ body: "Digest" })]);
  await createWorkflow(client, "reminder", [step("delay", { amount: 3, unit: "days" }), mailStep]);
  await createWorkflow(client, "retired", [mailStep], { active: false });
  await createWorkflow(client, "code", [step("sms", { body: "Your code" })]);
  await createWorkflow(client, "upgrade", [
    step("email", { ...mailStep.controlValues, skip: { "==": [{ var: "payload.plan" }, "free"] } }),
  ]);
  await createWorkflow(client, "quiet-by-default", [mailStep], {
    preferences: { workflow: { channels: { email: { enabled: false } } } },
  });
  await createWorkflow(client, "login", [
    step("throttle", { amount: 1, unit: "hours", threshold: 1 }),
    inApp({ body: "In" }),
  ]);
  await createWorkflow(client, "announce", [inApp({ body: "News" })]);
  await createWorkflow(client, "nudge", [
    step("in_app", { body: "Look" }, "bell"),
    step("email", { ...mailStep.controlValues, skip: { "==": [{ var: "steps.bell.read" }, true] } }, "mail"),
  ]);
  await createWorkflow(client, "broken", [
    step("email", { subject: "Hi", body: "<p>{{ payload.name | nosuch }}</p>" }),
  ]);

  await choose("bob", { workflowId: "invoice", channels: { email: false } });
  await client("suppressions.create", { body: { channel: "email", address: "cleo@example.com" } });
  await choose("dan", { schedule: officeHours });
  await choose("fay", { channels: { email: false } });
  const topic = { topicKey: "news" };
  const condition = { "==": [{ var: "payload.area" }, "north"] };
  await client("topicSubscriptions.create", { params: topic, body: { subscriberIds: ["gus", "hal"] } });
  await client("topicSubscriptions.create", {
    params: topic,
    body: {
      subscriptions: [{ subscriberId: "ina", identifier: "news-ina" }],
      preferences: [{ workflowId: "announce", enabled: true, condition }],
    } as never,
  });
  const smtp = { host: "127.0.0.1", port: String(mail.port), ignoreTls: true, from: "a@example.com" };
  const integration = { providerId: "nodemailer", channel: "email", active: true } as const;
  await client("integrations.create", { body: { ...integration, identifier: "strict", credentials: smtp } });

  const events: Record<string, string> = {};
  const send = async (word: string, event: Partial<TriggerEvent>) => {
    const { body } = await client("events.trigger", { body: { to: "ada", ...event } as TriggerEvent });
    if (body.transactionId) events[word] = body.transactionId;
  };
  const invoice = (to: string, number: string) => ({ name: "invoice", to, payload: { invoice: number, amount: 7 } });
  for (const [index, person] of ["ada", "bob", "cleo", "dan", "eve", "fay"].entries())
    await send(`invoice-${person}`, invoice(person, `INV-${index + 1}`));
  await send("digest", { name: "collect" });
  await send("digest-second", { name: "collect" });
  await send("delay", { name: "reminder" });
  await send("canceled", { name: "reminder", to: "hal" });
  await send("inactive", { name: "retired" });
  await send("no-phone", { name: "code" });
  await send("condition", { name: "upgrade", payload: { plan: "free" } });
  await send("workflow-off", { name: "quiet-by-default" });
  await send("login", { name: "login" });
  const news = [{ type: "Topic" as const, topicKey: "news", exclude: ["gus"] }];
  await send("topic", { name: "announce", to: news, payload: { area: "south" } });
  const through = (integrationIdentifier: string) => ({ email: { integrationIdentifier } });
  await send("refused", { ...invoice("refused", "INV-90"), overrides: through("strict") });
  await stage.advance(1, "minutes");
  await send("throttled", { name: "login" });
  await client("events.cancel", { params: { transactionId: events.canceled! } });
  await stage.advance(1, "minutes");
  return {
    outage: await openOutage(service, smtp),
    assistant: await connectTo({ url: service.url, apiKey: stage.apiKey }),
    elsewhere: await connectTo(service),
    events,
  };
}

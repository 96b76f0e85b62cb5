// A builder per resource: each call makes a new record in one environment, with a name that no other world uses.
import { type Output, outboxSql, type StepIn } from "@tidings/contract";
import { atEnd } from "@tidings/testkit/at-end";
import type { Client } from "@tidings/testkit/client";
import { createTestDatabase } from "@tidings/testkit/database";
import { email, inApp, messagesOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sql } from "kysely";
import { newId } from "../../src/lib/ids.ts";
import { saveSeenAlerts } from "../../src/store/alerts/alerts.batch.ts";
import type { Db } from "../../src/store/db.ts";
import { insertFailedTask } from "../../src/store/events/failed-tasks.ts";
import { type Browser, invite } from "../app/members/browsers.ts";
import { withClient } from "../pipeline/sources/shop.ts";

export type World = ReturnType<typeof createWorld>;

type Members = { target: Parameters<typeof invite>[0]; owner: () => Promise<Browser> };

/**
 * The in-app message of a transaction, once all steps have ended. Reading rows takes a tenth of the time of asking the
 * API, and there are hundreds of events.
 */
const findInAppMessage = (db: Db, transactionId: string) =>
  eventually(async () => {
    const { rows } = await sql<{ notificationId: string; messageId: string }>`
      select n.id as "notificationId", m.id as "messageId"
      from events e join notifications n on n.event_id = e.id
        join messages m on m.notification_id = n.id and m.channel = 'in_app'
      where e.transaction_id = ${transactionId} and not exists (select from jobs j where j.notification_id = n.id
        and j.status not in ('completed', 'failed', 'skipped', 'canceled', 'merged'))`.execute(db);
    return rows[0];
  }, `the end of transaction ${transactionId}`);

/**
 * `webhookUrl`: an address that takes webhooks. `db`: for states that no request can cause. `members`: for people, who
 * belong to the installation.
 */
export function createWorld(client: Client, label: string, webhookUrl: string, db: Db, members?: Members) {
  let count = 0;
  const unique = (noun: string) => `${label}-${noun}-${++count}`;

  const subscriber = async () => {
    const subscriberId = unique("subscriber");
    const profile = {
      firstName: "Ada",
      lastName: "Lovelace",
      email: `${subscriberId}@example.com`,
      phone: "+441234567890",
      avatar: "https://example.com/a.png",
      locale: "en_GB",
      timezone: "Europe/London",
      data: { plan: "pro" },
    };
    return (await client("subscribers.create", { body: { subscriberId, ...profile } })).body;
  };

  const topic = async () => {
    const body = { key: unique("topic"), name: "News" };
    return (await client("topics.create", { body })).body;
  };

  const subscription = async () => {
    const { key: topicKey } = await topic();
    const { subscriberId } = await subscriber();
    const { workflowId } = await once(eventWorkflow);
    const identifier = unique("subscription");
    const { body } = await client("topicSubscriptions.create", {
      params: { topicKey },
      body: {
        subscriptions: [{ subscriberId, identifier, name: "Mine" }],
        context: { tenant: label },
        preferences: [{ workflowId, enabled: true, condition: { "==": [1, 1] } }],
      },
    });
    return { topicKey, subscriberId, ...body.data[0]!, identifier };
  };

  const context = async () => {
    const body = { type: "tenant", id: unique("context"), data: { tier: 1 } };
    return (await client("contexts.create", { body })).body;
  };

  const button = { label: "Open", redirect: { url: "https://example.com", target: "_blank" } };
  const steps: StepIn[] = [
    inApp({ subject: "Hi", body: "Hello {{payload.name}}", primaryAction: button, data: { a: 1 } }),
    email({ subject: "Hi", body: "<p>{{payload.name}}</p>", editorType: "html" }),
  ];

  const workflow = async (given: StepIn[] = steps) => {
    const workflowId = unique("workflow");
    const { body } = await client("workflows.create", {
      body: {
        workflowId,
        name: "Shipped",
        description: "Tells the buyer",
        steps: given,
        active: true,
        tags: [label],
        severity: "low",
        isTranslationEnabled: true,
        payloadSchema: { type: "object", properties: { name: { type: "string" } } },
      },
    });
    return body;
  };

  /** A publish into the environment: it deletes a workflow that the source does not have. */
  const publish = async () => {
    const { _id: environmentId } = await own();
    const { workflowId } = await workflow();
    const { body } = await client("environments.publish", {
      params: { targetEnvironmentId: environmentId },
      body: {
        sourceEnvironmentId: (await once(environment))._id,
        resources: [{ resourceType: "workflow", resourceId: workflowId }],
      },
    });
    return { environmentId, publishId: body.publishId! };
  };

  /** A completed event with its notifications and messages. */
  const event = async () => {
    const { workflowId } = await once(eventWorkflow);
    const { subscriberId } = await subscriber();
    const transactionId = await trigger(client, workflowId, subscriberId, { name: "Ada" });
    return { workflowId, subscriberId, transactionId, ...(await findInAppMessage(db, transactionId)) };
  };
  const eventWorkflow = () => workflow();

  /** An event that waits. */
  const waiting = async () => {
    const delay = { name: "Wait", type: "delay", controlValues: { type: "regular", amount: 1, unit: "days" } } as const;
    const { workflowId } = await workflow([delay, ...steps]);
    const { subscriberId } = await subscriber();
    return { workflowId, transactionId: await trigger(client, workflowId, subscriberId, {}) };
  };

  /** Subscribers choose how often they get its digest. */
  const offeringWorkflow = () => {
    const controlValues = { amount: 1, unit: "days", allowFrequencyChoice: true };
    return workflow([{ name: "Digest", type: "digest", controlValues }, ...steps]);
  };

  /** An open digest with three members. */
  const digest = async () => {
    const controlValues = { type: "regular", amount: 1, unit: "days", digestKey: "payload.name" } as const;
    const { workflowId } = await workflow([{ name: "Digest", type: "digest", controlValues }, ...steps]);
    const { subscriberId } = await subscriber();
    for (const _ of [1, 2, 3]) await trigger(client, workflowId, subscriberId, { name: "Ada" });
    return eventually(async () => {
      const { data } = (await client("digests.list", { query: { workflowId } })).body;
      return data[0]?.count === 3 ? data[0] : null;
    }, "a digest of three");
  };

  /** A push that its provider cannot take: the credentials are not service account. */
  const deadLetter = async () => {
    const { identifier } = await once(fcm);
    const { subscriberId } = await subscriber();
    await client("subscribers.replaceCredentials", {
      params: { subscriberId },
      body: { providerId: "fcm", integrationIdentifier: identifier, credentials: { deviceTokens: ["t1"] } },
    });
    const { workflowId } = await once(pushWorkflow);
    const transactionId = await trigger(client, workflowId, subscriberId);
    await settled(client, transactionId);
    const { data } = (await client("deadLetters.list", { query: { transactionId } })).body;
    return data[0]!;
  };

  const fcm = () => integration("fcm");
  const pushWorkflow = () => workflow([{ name: "Push", type: "push", controlValues: { subject: "Hi", body: "Ho" } }]);

  /** A dead letter whose subscriber was deleted. */
  const unwantedLetter = async () => {
    const letter = await deadLetter();
    await client("subscribers.delete", { params: { subscriberId: letter.subscriberId } });
    return letter;
  };

  /** A replay that is paused in the middle of two letters. */
  const replay = async () => {
    const ids = [(await deadLetter()).id, (await deadLetter()).id];
    const { id: replayId } = (await client("deadLetterReplays.create", { body: { ids, perSecond: 1 } })).body;
    return (await client("deadLetterReplays.pause", { params: { replayId } })).body;
  };

  /** A task fails every time only when the database refuses its rows, so it is written as the pipeline writes it. */
  const failedTask = async () => {
    const { transactionId } = await waiting();
    const { _id: environmentId } = await own();
    const [event] = await db.selectFrom("events").select("id").where("transaction_id", "=", transactionId).execute();
    const task = { kind: "trigger", data: { eventIds: [event!.id] }, error: "refused", attempts: 3 } as const;
    const row = { id: newId(), environment_id: environmentId, created_at: new Date(), ...task };
    await insertFailedTask(db, environmentId, row);
    return row;
  };

  const layout = async () => {
    const layoutId = unique("layout");
    await client("layouts.create", { body: { layoutId, name: "Plain" } });
    const controlValues = { email: { body: "<html>{{content}}</html>", editorType: "html" as const } };
    return (await client("layouts.update", { params: { layoutId }, body: { name: "Plain", controlValues } })).body;
  };

  const category = async () => {
    const categoryId = unique("category");
    const body = { categoryId, name: "News", description: "What is new", channels: { email: true } };
    return (await client("categories.create", { body })).body;
  };

  /** A category with a workflow. */
  const usedCategory = async () => {
    const { categoryId } = await category();
    const { workflowId } = await workflow();
    await client("workflows.patch", { params: { workflowId }, body: { categoryId, isCommercial: true } });
    return { categoryId, workflowId };
  };

  const comment = async () => {
    const { workflowId, steps: saved } = await workflow();
    const body = { stepId: saved[0]!._id, text: "Is this the right name?" };
    const { id } = (await client("comments.create", { params: { workflowId }, body })).body;
    return { workflowId, commentId: id };
  };

  const variable = async () =>
    (await client("environmentVariables.create", { body: { key: unique("VARIABLE").replaceAll("-", "_") } })).body;

  const stepTemplate = async () => {
    const child = { on: "payload", field: "plan", operator: "EQUAL", value: "pro" } as const;
    const step = {
      ...({ name: "Welcome", stepId: "welcome", type: "in_app" } as const),
      controlValues: { body: "Hello" },
      filters: [{ isNegated: false, type: "GROUP" as const, value: "AND" as const, children: [child] }],
      ...{ active: true, shouldStopOnFail: false, deadlineSeconds: 3_600 },
    };
    return (await client("stepTemplates.create", { body: { name: unique("template"), step } })).body;
  };

  const translation = async () => {
    const { workflowId } = await workflow();
    const body = {
      resourceType: "workflow",
      resourceId: workflowId,
      locale: "en_US",
      content: { hello: "Hi" },
    } as const;
    await client("translations.create", { body: { ...body, locale: "de_DE", content: {} } });
    return (await client("translations.create", { body })).body;
  };

  const integration = async (providerId: "sendgrid" | "slack" | "fcm" = "sendgrid") => {
    const channel = ({ sendgrid: "email", slack: "chat", fcm: "push" } as const)[providerId];
    const credentials = {
      sendgrid: { apiKey: "SG.x", from: "a@example.com", senderName: "A" },
      slack: { applicationId: "a", clientId: "c", secretKey: "s", redirectUrl: "https://example.com" },
      fcm: { serviceAccount: "{}" },
    }[providerId];
    const body = { providerId, channel, credentials, active: true, identifier: unique("integration") };
    const { body: made } = await client("integrations.create", { body });
    if (channel === "email") await keepCapturing();
    return made;
  };

  const capture = async () => {
    const { body: all } = await client("integrations.list");
    return all.find(({ providerId }) => providerId === "svc-email")!;
  };

  /** A new integration becomes the primary one. Mail stays with the capture provider: no other one can be reached. */
  const keepCapturing = async () =>
    client("integrations.setPrimary", { params: { integrationId: (await once(capture))._id! } });

  const slack = () => integration("slack");

  const connection = async () => {
    const { identifier: integrationIdentifier } = await once(slack);
    const { subscriberId } = await subscriber();
    const { body } = await client("channelConnections.create", {
      body: {
        identifier: unique("connection"),
        integrationIdentifier,
        subscriberId,
        context: { tenant: label },
        workspace: { id: "T1", name: "Acme" },
        auth: { accessToken: "xoxb" },
      },
    });
    return body;
  };

  const endpoint = async () => {
    const { integrationIdentifier, subscriberId, identifier } = await connection();
    const { body } = await client("channelEndpoints.create", {
      body: {
        identifier: unique("endpoint"),
        integrationIdentifier: integrationIdentifier!,
        connectionIdentifier: identifier,
        subscriberId: subscriberId!,
        context: { tenant: label },
        type: "chatapp_channel",
        endpoint: { channelId: "C1" },
      },
    });
    return body;
  };

  /** For few kinds of events: each event of a kind is sent to every webhook. */
  const webhook = async () => {
    const body = {
      url: `${webhookUrl}/${unique("hook")}`,
      eventTypes: ["workflow.created", "message.failed"] as const,
    };
    return (await client("webhooks.create", { body: body as never })).body;
  };

  /** The address of a customer's database with an outbox. It is dropped at the end of the file, after the service. */
  const outbox = async () => {
    const { url, drop } = await createTestDatabase({ isEmpty: true });
    atEnd(drop);
    await withClient(url, (customer) => customer.query(outboxSql()));
    return url;
  };

  /** Paused, so that nothing about it changes. An environment can have few: those of earlier calls make room. */
  const source = async () => {
    const { body: others } = await client("sources.list");
    for (const { id } of others.slice(5)) await client("sources.delete", { params: { sourceId: id } });
    const body = { name: unique("source"), url: await once(outbox), paused: true };
    return (await client("sources.create", { body })).body;
  };

  const alertRule = async () => {
    const targets = [
      { type: "webhook" as const, url: `${webhookUrl}/${unique("alerts")}` },
      { type: "email" as const, to: ["ops@example.com"], integrationIdentifier: "svc-email-default" },
    ];
    const quiet = { timezone: "Europe/Berlin", days: [6, 7], from: "22:00", to: "07:00" };
    const watched = { kind: "queue_age", parameters: { seconds: 300 } } as const;
    const body = { name: unique("rule"), ...watched, targets, quiet, repeatAfterMinutes: 60 };
    return (await client("alertRules.create", { body })).body;
  };

  /** Nothing is wrong in this world, so the alert is written as the pass over the rules writes it. */
  const alert = async () => {
    const rule = await alertRule();
    const { _id: environmentId } = await own();
    const id = newId();
    const of = { environment_id: environmentId, rule_id: rule._id, rule_name: rule.name, kind: rule.kind };
    const subject = { subject_type: "queue", subject_id: environmentId, subject_name: "Development" } as const;
    const facts = { seconds: 400, task: "deliver" };
    await saveSeenAlerts(db, [{ ...of, ...subject, id, code: "tasks_wait", facts }], new Date());
    return { id };
  };

  const suppression = async () => {
    const body = { channel: "email", address: `${unique("address")}@example.com` } as const;
    return (await client("suppressions.create", { body })).body;
  };

  /** A mail that the capture provider took, with what it takes to report on it. */
  const reported = async () => {
    const key = `whsec_${Buffer.from(unique("key")).toString("base64")}`;
    const { _id: integrationId, _environmentId: environmentId } = await once(capture);
    await client("integrations.update", {
      params: { integrationId: integrationId! },
      body: { configurations: { inboundWebhookEnabled: true, inboundWebhookSigningKey: key } },
    });
    await keepCapturing();
    const { workflowId } = await workflow([steps[1]!]);
    const { subscriberId } = await subscriber();
    const transactionId = await trigger(client, workflowId, subscriberId, { name: "Ada" });
    await settled(client, transactionId);
    const [message] = await messagesOf(client, transactionId);
    return { key, environmentId, integrationId, messageId: message!._id! };
  };

  const environment = async () =>
    (await client("environments.create", { body: { name: unique("environment"), color: "#123456" } })).body;

  const own = async () => {
    const { body } = await client("environments.list");
    return body.find(({ apiKeys }) => apiKeys !== undefined)!;
  };

  const owner = () => members!.owner();

  const invitation = async () => {
    const email = `${unique("person")}@example.com`;
    const { body } = await (await once(owner)).call("people.createInvitation", { body: { email, role: "viewer" } });
    return (body as Output<"people.createInvitation">).data;
  };

  const person = async () => invite(members!.target, await once(owner), "viewer", `${unique("person")}@example.com`);

  /** The id of an open reset link. */
  const resetLink = async () => {
    const params = { personId: (await once(person)).session.person._id };
    await (await once(owner)).call("people.createResetLink", { params });
    const { body } = await (await once(owner)).call("people.listResetLinks");
    return (body as Output<"people.listResetLinks">).data[0]!._id;
  };

  /** Made once and then shared, for calls that only read. */
  const kept = new Map<unknown, Promise<unknown>>();
  const once = <T>(make: () => Promise<T>): Promise<T> => {
    if (!kept.has(make)) kept.set(make, make());
    return kept.get(make) as Promise<T>;
  };

  return {
    ...{ client, label, unique, once, webhookUrl, db },
    ...{
      subscriber,
      topic,
      subscription,
      context,
      workflow,
      event,
      waiting,
      digest,
      offeringWorkflow,
      layout,
      category,
      usedCategory,
      translation,
      comment,
      stepTemplate,
      variable,
    },
    ...{
      integration,
      slack,
      connection,
      endpoint,
      environment,
      own,
      publish,
      deadLetter,
      unwantedLetter,
      replay,
      failedTask,
    },
    ...{ alertRule, alert, outbox, source },
    ...{ webhookUrl, webhook, suppression, reported, owner, invitation, person, resetLink },
  };
}

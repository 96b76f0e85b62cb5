// The steps that leave the building, as functions: which integrations, which addresses, which messages, and what they
// say when there is none.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EmailFields, MessageDraft, Routed, StepResult } from "../../../src/pipeline/run/run.ts";
import { stepHandlers } from "../../../src/pipeline/steps/registry.gen.ts";
import type { IntegrationRow } from "../../../src/store/integrations/integrations.ts";
import { type factsOf, inputOf, runOf, step, subscriber } from "../../support/runs.ts";

type Sending = "email" | "sms" | "push" | "chat";

const row = (id: string, channel: Sending, provider_id: string, changes: Partial<IntegrationRow> = {}) =>
  ({
    id,
    environment_id: "env",
    identifier: id,
    provider_id,
    channel,
    conditions: [],
    is_primary: false,
    ...changes,
  }) as unknown as IntegrationRow;

const onlyFor = (value: string): IntegrationRow["conditions"] => [
  {
    isNegated: false,
    type: "GROUP",
    value: "AND",
    children: [{ on: "payload", field: "region", operator: "EQUAL", value }],
  },
];

const controls: Record<Sending, object> = {
  email: { subject: "Order {{ payload.order }}", body: "<p>Hi {{ payload.name }}</p>" },
  sms: { body: "Order {{ payload.order }}" },
  push: { subject: "Order", body: "No. {{ payload.order }}" },
  chat: { body: "Order {{ payload.order }}" },
};

type Case = {
  integrations: IntegrationRow[];
  overrides?: Record<string, unknown>;
  payload?: Record<string, unknown>;
  person?: Partial<typeof subscriber>;
  facts?: Parameters<typeof factsOf>[0];
  body?: object;
};

function go(channel: Sending, { integrations, overrides, payload, person, facts, body }: Case): StepResult {
  const one = step(channel, body ?? controls[channel], { stepId: "it" });
  const event = { overrides: overrides ?? null, payload: { name: "Ada", order: 7, ...payload } };
  const run = runOf([one], { event, subscriber: { ...subscriber, phone: "+491", ...person } });
  return stepHandlers[channel].run(inputOf(run, { integrations, ...facts }));
}

const messagesOf = (result: StepResult): MessageDraft[] => {
  assert.equal(result.kind, "sending", JSON.stringify(result));
  return (result as Extract<StepResult, { kind: "sending" }>).messages;
};
const outgoingOf = (result: StepResult) => JSON.parse(JSON.stringify(messagesOf(result)[0]!.outgoing));
const namesOf = (result: StepResult): string[] => ("details" in result ? result.details.map(({ d }) => d) : []);

/** Status and errorId of the message, and the last detail. */
const failureOf = (result: StepResult, kind: "failed" | "skipped" = "failed") => {
  assert.equal(result.kind, kind, JSON.stringify(result));
  const { message } = result as Extract<StepResult, { kind: "failed" }>;
  return [message?.status, message?.errorId, namesOf(result).at(-1)];
};

const primary = row("primary", "email", "ses", { is_primary: true });
const second = row("second", "email", "sendgrid");
const regional = row("regional", "email", "mailgun", { conditions: onlyFor("eu") });
const mailers = [primary, second, regional];

describe("route", () => {
  const route = (extra: Partial<Case>) => outgoingOf(go("email", { integrations: mailers, ...extra })).route;
  const named = (id: unknown) => ({ overrides: { email: { integrationIdentifier: id } } });

  test("named, then conditions that pass, then the primary, then the others", () => {
    assert.deepEqual(route({}), ["primary", "second"]);
    assert.deepEqual(route({ payload: { region: "eu" } }), ["regional", "primary", "second"]);
    assert.deepEqual(route(named("second")), ["second", "primary"]);
    assert.deepEqual(route({ ...named("regional") }), ["regional", "primary", "second"]);
  });

  test("the details say who was chosen and why", () => {
    const selected = (extra: Partial<Case>) => {
      const result = go("email", { integrations: mailers, ...extra });
      assert.equal(result.kind, "sending");
      return "details" in result ? result.details.find(({ d }) => d === "integration_selected") : undefined;
    };
    assert.deepEqual(selected({})?.p, "ses");
    assert.deepEqual(selected({})?.r, { identifier: "primary", reason: "primary" });
    const cases = [{}, { payload: { region: "eu" } }, named("second"), { integrations: [second] }];
    const reasons = cases.map((extra) => selected(extra)?.r?.reason);
    assert.deepEqual(reasons, ["primary", "its conditions pass", "named by the event", "first in order of priority"]);
  });

  test("one that is named and not there is no case for a guess; none at all is another", () => {
    const warning = ["warning", "email_missing_integration"];
    assert.deepEqual(failureOf(go("email", { integrations: mailers, ...named("gone") })), [
      ...warning,
      "named_integration_missing",
    ]);
    assert.deepEqual(failureOf(go("email", { integrations: [regional] })), [...warning, "no_integration"]);
    assert.deepEqual(failureOf(go("email", { integrations: mailers, ...named(7) })), [
      "error",
      "mail_unexpected_error",
      "override_invalid",
    ]);
    for (const channel of ["sms", "push", "chat"] as const) {
      const failure = ["warning", `${channel}_missing_integration`, "no_integration"];
      assert.deepEqual(failureOf(go(channel, { integrations: mailers })), failure);
    }
  });
});

describe("email", () => {
  const mail = (extra: Partial<Case> = {}) => go("email", { integrations: [primary, second], ...extra });

  test("the message, and what the provider is handed", () => {
    const [draft] = messagesOf(mail());
    assert.deepEqual(
      [draft!.subject, draft!.content, draft!.address, draft!.integrationId, draft!.providerId],
      ["Order 7", "<p>Hi Ada</p>", "ada@example.com", "primary", "ses"],
    );
    assert.deepEqual(outgoingOf(mail()), { to: ["ada@example.com"], text: "Hi Ada", route: ["primary", "second"] });
    assert.deepEqual(namesOf(mail()), ["start_sending", "integration_selected", "message_created", "step_queued"]);
  });

  test("overrides for the channel count for everyone, those of a provider for it alone", () => {
    const overrides = {
      email: { to: ["b@a.example"], cc: "c@a.example", text: "plain", tags: ["a"] },
      providers: { sendgrid: { to: "only@a.example", replaceToRecipient: true, tags: null } },
    };
    const outgoing: Routed<EmailFields> = outgoingOf(mail({ overrides }));
    const { perProvider, route, ...common } = outgoing;
    assert.deepEqual(common, {
      to: ["ada@example.com", "b@a.example"],
      cc: ["c@a.example"],
      text: "plain",
      extra: { tags: ["a"] },
    });
    assert.deepEqual(Object.keys(perProvider ?? {}), ["sendgrid"]);
    assert.deepEqual(perProvider?.sendgrid, { to: ["only@a.example"], cc: ["c@a.example"], text: "plain" });
  });

  test("an address may come from the event; without any, the message says so", () => {
    const unaddressed = failureOf(mail({ person: { email: null } }), "skipped");
    assert.deepEqual(unaddressed, ["warning", "subscriber_missing_email", "no_email"]);
    const overrides = { email: { to: "b@a.example" } };
    assert.equal(messagesOf(mail({ person: { email: null }, overrides }))[0]!.address, "b@a.example");
    const empty = { email: { to: [], replaceToRecipient: true } };
    assert.deepEqual(outgoingOf(mail({ overrides: empty })).to, ["ada@example.com"]);
  });

  test("toRecipient stands in for the subscriber's own address", () => {
    const sent = (email: object, person: Case["person"] = {}) => outgoingOf(mail({ overrides: { email }, person })).to;
    assert.deepEqual(sent({ toRecipient: "Bob <bob@a.example>" }), ["Bob <bob@a.example>"]);
    assert.deepEqual(sent({ toRecipient: "bob@a.example" }, { email: null }), ["bob@a.example"]);
    assert.deepEqual(sent({ toRecipient: "bob@a.example", to: "c@a.example" }), ["bob@a.example", "c@a.example"]);
    const replaced = { toRecipient: "bob@a.example", to: "c@a.example", replaceToRecipient: true };
    assert.deepEqual(sent(replaced), ["c@a.example"]);
    assert.equal(messagesOf(mail({ overrides: { ses: { toRecipient: "b@a.example" } } }))[0]!.address, "b@a.example");
    assert.deepEqual(failureOf(mail({ overrides: { email: { toRecipient: "nobody" } } })), [
      "error",
      "mail_unexpected_error",
      "override_invalid",
    ]);
  });

  test("malformed overrides and templates never reach a provider", () => {
    const invalid = ["error", "mail_unexpected_error", "override_invalid"];
    assert.deepEqual(failureOf(mail({ overrides: { email: { to: 7 } } })), invalid);
    assert.deepEqual(failureOf(mail({ overrides: { sendgrid: { headers: { a: "b\nc" } } } })), invalid);
    const broken = mail({ body: { subject: "{{ x", body: "y" } });
    assert.deepEqual(failureOf(broken), ["error", "render_failed", "render_failed"]);
  });

  test("the layout wraps the body; an unknown one fails", () => {
    const layout = {
      id: "l",
      layout_id: "house",
      is_default: true,
      control_values: { email: { body: "[{{ content }}]" } },
    };
    const layouts = new Map([["env", [layout]]]) as never;
    const framed = mail({ facts: { layouts } });
    assert.equal(messagesOf(framed)[0]!.content, "[<p>Hi Ada</p>]");
    assert.ok(namesOf(framed).includes("layout_selected"));
    const overrides = { steps: { it: { layoutId: null } } };
    assert.equal(messagesOf(mail({ facts: { layouts }, overrides }))[0]!.content, "<p>Hi Ada</p>");
    const unknown = mail({ facts: { layouts }, overrides: { layoutIdentifier: "gone" } });
    assert.deepEqual(failureOf(unknown), ["error", "layout_not_found", "layout_missing"]);
  });

  test("attachments are announced when one is for email", () => {
    const file = { name: "a.txt", mime: "text/plain", file: "YQ==" };
    assert.equal(outgoingOf(mail({ payload: { attachments: [file] } })).attachments, true);
    const elsewhere = [{ ...file, channels: ["chat"] }];
    assert.equal(outgoingOf(mail({ payload: { attachments: elsewhere } })).attachments, undefined);
  });
});

describe("sms", () => {
  const integrations = [row("a", "sms", "twilio"), row("b", "sms", "plivo")];

  test("text, number and what a provider of its own says", () => {
    const overrides = { sms: { from: "Shop" }, twilio: { content: "Hello", to: "+492" } };
    const [draft] = messagesOf(go("sms", { integrations, overrides }));
    assert.deepEqual([draft!.content, draft!.address], ["Hello", "+492"]);
    assert.deepEqual(outgoingOf(go("sms", { integrations, overrides })), {
      to: "+491",
      from: "Shop",
      text: "Order 7",
      route: ["a", "b"],
      perProvider: { twilio: { to: "+492", from: "Shop" } },
    });
  });

  test("without a number the message says so", () => {
    const person = { phone: null };
    assert.deepEqual(failureOf(go("sms", { integrations, person }), "skipped"), [
      "warning",
      "subscriber_missing_phone",
      "no_phone",
    ]);
    const overrides = { twilio: { to: "+492" } };
    assert.equal(outgoingOf(go("sms", { integrations, person, overrides })).to, "+492");
  });
});

describe("push", () => {
  const integrations = [row("a", "push", "fcm"), row("b", "push", "expo"), row("c", "push", "apns")];
  const entry = (_integrationId: string, deviceTokens: string[]) => ({
    providerId: "fcm",
    _integrationId,
    credentials: { deviceTokens },
  });

  test("a message for each device of each integration, with the overrides of its provider", () => {
    const channels = [entry("a", ["t1", "t2", "t1"]), entry("b", ["t3"]), entry("gone", ["t4"])];
    const overrides = { push: { data: { a: 1 } }, fcm: { sound: "x" } };
    const result = go("push", { integrations, person: { channels }, overrides });
    assert.deepEqual(
      messagesOf(result).map(({ address, providerId, subject, content }) => [address, providerId, subject, content]),
      ["t1", "t2", "t3"].map((token) => [token, token === "t3" ? "expo" : "fcm", "Order", "No. 7"]),
    );
    const [first, , third] = messagesOf(result).map(({ outgoing }) => JSON.parse(JSON.stringify(outgoing)));
    assert.deepEqual(first, { token: "t1", data: { a: 1 }, extra: { sound: "x" } });
    assert.deepEqual(third, { token: "t3", data: { a: 1 } });
    assert.equal(new Set(messagesOf(result).map(({ id }) => id)).size, 3);
  });

  test("no device, no message; too many, and the number has an end that is told", () => {
    const failure = ["warning", "subscriber_missing_device_tokens", "no_device_tokens"];
    const none = go("push", { integrations, person: { channels: [entry("a", [])] } });
    assert.deepEqual(failureOf(none, "skipped"), failure);
    const many = Array.from({ length: 600 }, (_, n) => `t${n}`);
    const result = go("push", { integrations, person: { channels: [entry("a", many)] } });
    assert.equal(messagesOf(result).length, 500);
    assert.ok(namesOf(result).includes("some_devices_failed"));
  });
});

describe("chat", () => {
  const integrations = [row("a", "chat", "slack"), row("b", "chat", "discord")];
  const webhookUrl = "https://hooks.example/1";
  const entry = (credentials: object) => [{ _integrationId: "b", credentials }];
  const endpoint = (type: string, address: object, connection_id: string | null = null) => ({
    integration_id: "a",
    type,
    endpoint: address,
    connection_id,
  });

  function reached(endpoints: object[], channels: object[] = []): StepResult {
    const one = step("chat", controls.chat, { stepId: "it" });
    const run = runOf([one], { subscriber: { ...subscriber, channels: channels as never } });
    const chatEndpoints = new Map([[run.notificationId, endpoints]]) as never;
    return stepHandlers.chat.run(inputOf(run, { integrations, chatEndpoints }));
  }

  test("each endpoint is a target of its own, and an entry serves where there is none", () => {
    const endpoints = [
      endpoint("chatapp_channel", { channelId: "C1" }, "conn"),
      endpoint("chatapp_user", { userId: "U1" }),
      endpoint("webhook", { url: webhookUrl, channel: "#x" }),
      endpoint("phone", { phoneNumber: "+491" }),
      endpoint("teamsapp_channel", { teamId: "T", channelId: "C2" }),
    ];
    const messages = messagesOf(reached(endpoints, entry({ webhookUrl: "https://hooks.example/2", title: "Alert" })));
    assert.deepEqual(
      messages.map(({ address, providerId, outgoing }) => [
        address,
        providerId,
        JSON.parse(JSON.stringify((outgoing as { target: object }).target)),
      ]),
      [
        ["C1", "slack", { kind: "channel", channel: "C1", connectionId: "conn" }],
        ["U1", "slack", { kind: "user", user: "U1" }],
        [webhookUrl, "slack", { kind: "webhook", webhookUrl, channel: "#x" }],
        ["+491", "slack", { kind: "phone", phone: "+491" }],
        ["C2", "slack", { kind: "channel", channel: "C2", team: "T" }],
        ["https://hooks.example/2", "discord", { kind: "webhook", webhookUrl: "https://hooks.example/2" }],
      ],
    );
    assert.deepEqual((messages.at(-1)!.outgoing as { extra?: object }).extra, { title: "Alert" });
  });

  test("nowhere to go, and almost somewhere", () => {
    const failure = ["warning", "subscriber_missing_chat_channel"];
    assert.deepEqual(failureOf(reached([]), "skipped"), [...failure, "no_chat_channel"]);
    assert.deepEqual(failureOf(reached([], entry({ channel: "#x" })), "skipped"), [...failure, "no_webhook_url"]);
  });
});

test("members that the provider has no place for are named in the job", () => {
  const ignoredBy = (channel: Sending, provider: string, overrides: Case["overrides"], person: Case["person"] = {}) => {
    const result = go(channel, { integrations: [row("i", channel, provider)], overrides, person });
    assert.equal(result.kind, "sending");
    const ignored = "details" in result ? result.details.filter(({ d }) => d === "override_ignored") : [];
    return ignored.map(({ p, r }) => [p, r?.override]);
  };
  const overrides = { email: { tags: ["a"], _passthrough: { body: { a: 1 } }, cc: "c@a.example" } };
  assert.deepEqual(ignoredBy("email", "svc-email", overrides), [
    ["svc-email", "tags"],
    ["svc-email", "_passthrough"],
  ]);
  // What happens to these is known when the mail is sent.
  assert.deepEqual(ignoredBy("email", "nodemailer", overrides), []);
  assert.deepEqual(ignoredBy("email", "sendgrid", overrides), []);
  assert.deepEqual(ignoredBy("sms", "svc-sms", { sms: { unicode: true } }), [["svc-sms", "unicode"]]);
  const channels = (providerId: string, credentials: object) =>
    ({ channels: [{ providerId, _integrationId: "i", credentials }] }) as unknown as Case["person"];
  const push = { push: { integrationIdentifier: "other", sound: "x" } };
  const devices = channels("fcm", { deviceTokens: ["t"] });
  assert.deepEqual(ignoredBy("push", "fcm", push, devices), [["fcm", "integrationIdentifier"]]);
  const hook = channels("svc-slack", { webhookUrl: "https://a.example" });
  assert.deepEqual(ignoredBy("chat", "svc-slack", { chat: { blocks: [] } }, hook), [["svc-slack", "blocks"]]);
});

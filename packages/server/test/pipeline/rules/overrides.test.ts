// Overrides: precedence, what is understood, what is refused, what nobody will read.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  OverrideError,
  readEmailOverride,
  readExtras,
  readPushOverride,
  readSmsOverride,
} from "../../../src/pipeline/rules/override-fields.ts";
import {
  hasOwnOverrides,
  ignoredOverrides,
  mergeOverrides,
  namedIntegration,
  overridesFor,
  severityOverride,
} from "../../../src/pipeline/rules/overrides.ts";
import { step } from "../../support/runs.ts";

describe("precedence", () => {
  const overrides = {
    email: { from: "channel@a.example", text: "channel", tags: ["a", "b"], settings: { one: 1, two: 2 } },
    sendgrid: { text: "top", settings: { two: 22 } },
    providers: { sendgrid: { tags: ["c"], replyTo: "p@a.example" }, mailgun: { text: "other" } },
    steps: { mail: { providers: { sendgrid: { replyTo: null, settings: { one: null, three: 3 } } } } },
  };

  test("objects are merged, lists replaced, null removes; the step wins over the provider over the channel", () => {
    assert.deepEqual(overridesFor(overrides, "email", "mail", "sendgrid"), {
      from: "channel@a.example",
      text: "top",
      tags: ["c"],
      settings: { two: 22, three: 3 },
    });
    assert.deepEqual(overridesFor(overrides, "email", "other-step", "sendgrid").replyTo, "p@a.example");
    assert.deepEqual(overridesFor(overrides, "email", "mail", "ses"), overrides.email);
    assert.deepEqual(overridesFor(overrides, "email", "mail", null), overrides.email);
    assert.deepEqual(overridesFor(overrides, "sms", "mail", "twilio"), {});
    assert.deepEqual(overridesFor(null, "email", "mail", "ses"), {});
    assert.deepEqual(
      ["sendgrid", "mailgun", "ses"].map((id) => hasOwnOverrides(overrides, "mail", id)),
      [true, true, false],
    );
  });

  test("names from outside never reach a prototype", () => {
    const hostile = JSON.parse('{"email":{"__proto__":{"text":"x"},"a":1},"steps":{"__proto__":{"providers":{}}}}');
    const merged = overridesFor(hostile, "email", "constructor", "toString");
    assert.equal(merged.text, undefined);
    assert.equal(({} as Record<string, unknown>).text, undefined);
    assert.deepEqual(mergeOverrides({ a: { b: 1 } }, { a: null }), {});
  });

  test("the most particular object that names an integration decides", () => {
    const name = (overrides: object) => namedIntegration(overrides as never, "sms", "text");
    const channel = { sms: { integrationIdentifier: "of-channel" } };
    const provider = { ...channel, providers: { twilio: { integrationIdentifier: "of-provider" } } };
    const ofStep = { text: { providers: { plivo: { integrationIdentifier: "of-step" } } } };
    assert.equal(name({}), undefined);
    assert.equal(name(channel), "of-channel");
    assert.equal(name(provider), "of-provider");
    assert.equal(name({ ...provider, steps: ofStep }), "of-step");
    assert.equal(name({ providers: { sendgrid: { integrationIdentifier: "of-email" } } }), undefined);
  });

  test("a severity counts when it is one", () => {
    assert.equal(severityOverride({ severity: "high" }), "high");
    assert.equal(severityOverride({ severity: "urgent" }), undefined);
    assert.equal(severityOverride(null), undefined);
  });
});

describe("ignored", () => {
  test("unknown steps and providers, and only those, are told once", () => {
    const steps = [step("email", {}, { stepId: "mail" }), step("sms", {}, { stepId: "text" })];
    const overrides = {
      email: {},
      sendgrid: {},
      nosuch: {},
      severity: "urgent",
      providers: { twilio: {}, nobody: {} },
      steps: { mail: { providers: { sendgrid: {}, twilio: {} }, layoutId: null }, gone: {} },
    };
    assert.deepEqual(
      ignoredOverrides(overrides, steps).map(({ stepId, path }) => [stepId, path]),
      [
        [null, "nosuch"],
        [null, "severity"],
        [null, "providers.nobody"],
        ["mail", "steps.mail.providers.twilio"],
        [null, "steps.gone"],
      ],
    );
    assert.deepEqual(ignoredOverrides(null, steps), []);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, {}]));
    assert.equal(ignoredOverrides(many, steps).length, 20);
  });
});

test("members that none of the objects has are told, with what is no object", () => {
  const steps = [
    step("email", {}, { stepId: "mail" }),
    step("sms", {}, { stepId: "text" }),
    step("sms", {}, { stepId: "other" }),
  ];
  const overrides = {
    svc: {},
    delay: { amount: 1, unit: "days", type: "x" },
    channels: { email: { layoutId: "a", from: "x" }, sms: { layoutId: "b" } },
    providers: { twilio: "x", svc: {} },
    steps: {
      mail: { layoutId: "a", subject: "Hi", providers: { sendgrid: 7 } },
      text: { layoutId: "a", providers: [] },
      other: "x",
    },
  };
  assert.deepEqual(
    ignoredOverrides(overrides, steps).map(({ stepId, path }) => [stepId, path]),
    [
      [null, "svc"],
      [null, "delay.type"],
      [null, "channels.sms"],
      [null, "channels.email.from"],
      [null, "providers.twilio"],
      [null, "providers.svc"],
      ["mail", "steps.mail.subject"],
      ["mail", "steps.mail.providers.sendgrid"],
      ["text", "steps.text.layoutId"],
      ["text", "steps.text.providers"],
      ["other", "steps.other"],
    ],
  );
});

describe("fields", () => {
  test("common members are understood, the rest goes to the provider", () => {
    const read = readEmailOverride({
      to: "Bob <bob@a.example>",
      cc: ["c@a.example"],
      senderName: "Shop",
      headers: { "X-Order": "7" },
      replaceToRecipient: true,
      integrationIdentifier: "mine",
      templateId: "t-1",
      _passthrough: { body: { a: [1] }, headers: { "X-A": "b" }, query: { c: "d" } },
    });
    assert.deepEqual(JSON.parse(JSON.stringify(read)), {
      to: ["Bob <bob@a.example>"],
      cc: ["c@a.example"],
      replacesTo: true,
      senderName: "Shop",
      headers: { "X-Order": "7" },
      extra: { templateId: "t-1" },
      passthrough: { body: { a: [1] }, headers: { "X-A": "b" }, query: { c: "d" } },
    });
    const sms = readSmsOverride({ to: " +4912345 ", content: "Hi", unicode: true });
    assert.deepEqual([sms.to, sms.content, sms.extra], ["+4912345", "Hi", { unicode: true }]);
    const push = readPushOverride({ data: { a: 1 }, sound: "x" });
    assert.deepEqual([push.data, push.extra], [{ a: 1 }, { sound: "x" }]);
  });

  test("what is malformed is refused by name", () => {
    const many = Array.from({ length: 51 }, (_, n) => `a${n}@a.example`);
    const table: [read: (given: Record<string, unknown>) => unknown, given: object, message: RegExp][] = [
      [readEmailOverride, { to: 7 }, /^to must be a string/],
      [readEmailOverride, { to: ["a@a.example", "nobody"] }, /^to\.1 must be an email address/],
      [readEmailOverride, { to: [null] }, /^to\.0 must be a string/],
      [readEmailOverride, { to: "a@a.example, b@a.example" }, /^to must be an email address/],
      [readEmailOverride, { cc: many }, /^cc must not hold more than 50/],
      [readEmailOverride, { cc: many.slice(0, 30), bcc: many.slice(0, 30) }, /^to, cc and bcc/],
      [readEmailOverride, { from: "a@a.example\r\nBcc: b@a.example" }, /^from must not contain line ends/],
      [readEmailOverride, { senderName: "A\nB" }, /^senderName must not contain line ends/],
      [readEmailOverride, { replyTo: ["a@a.example"] }, /^replyTo must be a string/],
      [readEmailOverride, { toRecipient: ["a@a.example"] }, /^toRecipient must be a string/],
      [readEmailOverride, { text: {} }, /^text must be a string/],
      [readEmailOverride, { replaceToRecipient: "yes" }, /^replaceToRecipient must be a boolean/],
      [readEmailOverride, { headers: [] }, /^headers must be an object/],
      [readEmailOverride, { headers: { "X-A": "b\r\nX-C: d" } }, /^headers\.X-A must not contain line ends/],
      [readEmailOverride, { headers: { "X A": "b" } }, /^headers\.X A is not a valid name/],
      [readEmailOverride, { headers: { "X-A": 1 } }, /^headers\.X-A must be a string/],
      [readSmsOverride, { to: ["+49"] }, /^to must be a string/],
      [readSmsOverride, { to: "" }, /^to must not be empty/],
      [readSmsOverride, { from: "+49\n1" }, /^from must not contain line ends/],
      [readSmsOverride, { content: 5 }, /^content must be a string/],
      [readPushOverride, { data: "x" }, /^data must be an object/],
      [readExtras, { _passthrough: "x" }, /^_passthrough must be an object/],
      [readExtras, { _passthrough: { body: "x" } }, /^_passthrough\.body must be an object/],
      [
        readExtras,
        { _passthrough: { headers: { "a\r\nb": "c" } } },
        /^_passthrough\.headers\.a\?\?b is not a valid name/,
      ],
      [readExtras, { big: "x".repeat(70_000) }, /^members for the provider must not be larger/],
    ];
    for (const [read, given, message] of table) {
      assert.throws(
        () => read(given as Record<string, unknown>),
        (error) => error instanceof OverrideError && message.test(error.message),
        JSON.stringify(given).slice(0, 100),
      );
    }
  });
});

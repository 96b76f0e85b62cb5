// Alert rules: what the service watches in an environment, and who is notified (docs/alerts.md).
import { emailPattern, identifiers } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, type Static, Type } from "../../schema.ts";
import { secret } from "../../secrets.ts";
import { alertKinds, parametersFitKind, parametersOfAnyKind } from "./alert-kinds.ts";

export const alertRulesPerEnvironment = 50;
export const targetsPerRule = 10;

export const alertTargetTypes = ["email", "owners", "webhook", "slack"] as const;
export type AlertTargetType = (typeof alertTargetTypes)[number];
const targetType = oneOf(alertTargetTypes, {
  title: "AlertTargetType",
  description:
    "`owners`: the members with the role owner, by email. `slack`: an incoming webhook of Slack. The dashboard shows " +
    "every alert in any case",
});

const to = Type.Array(Type.String({ pattern: emailPattern.source, maxLength: 254 }), {
  minItems: 1,
  maxItems: 20,
  description: "Email addresses, for `email`",
});
const integrationIdentifier = Type.String({
  ...identifiers.integration,
  description:
    "For `email`: the integration to send through. Another one is used while it fails, and for alerts about itself",
});
const webhookSecret = {
  pattern: "^whsec_[A-Za-z0-9+/]{32,}={0,2}$",
  maxLength: 200,
  description: "For `webhook`: signs the messages as Standard Webhooks says. Generated if it is left out",
};

/** A target as requests name it; each type needs its own fields. */
const AlertTargetIn = named(
  "AlertTargetIn",
  {
    type: targetType,
    to: Type.Optional(to),
    integrationIdentifier: Type.Optional(integrationIdentifier),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description:
          "For `webhook` and `slack`: HTTPS, or HTTP in development environments; private addresses are refused",
        ...secret("editor"),
      }),
    ),
    secret: Type.Optional(Type.String({ ...webhookSecret, ...secret("editor") })),
  },
  {
    allOf: [
      { type: "email", required: ["to"] },
      { type: "webhook", required: ["url"] },
      { type: "slack", required: ["url"] },
    ].map(({ type, required }) => ({
      if: { properties: { type: { const: type } }, required: ["type"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required },
    })),
  },
);
export type AlertTargetIn = Static<typeof AlertTargetIn>;

export const AlertTarget = named("AlertTarget", {
  type: targetType,
  to: Type.Optional(Type.Array(Type.String())),
  integrationIdentifier: Type.Optional(Type.String()),
  url: Type.Optional(Type.String(secret("editor"))),
  host: Type.Optional(Type.String({ description: "The host of `url`" })),
  secret: Type.Optional(Type.String(secret("editor"))),
});
export type AlertTarget = Static<typeof AlertTarget>;

const clockTime = (description: string) => Type.String({ pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$", description });

const AlertQuietTimesIn = named("AlertQuietTimesIn", {
  timezone: Type.String({ format: "timezone", description: "IANA name" }),
  days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    minItems: 1,
    maxItems: 7,
    description: "Days on which the quiet time begins: 1 is Monday, 7 is Sunday",
  }),
  from: clockTime("Local time, such as `22:00`"),
  to: clockTime("Local time; at or before `from`, it is on the next day"),
});
const AlertQuietTimes = named("AlertQuietTimes", {
  timezone: Type.String(),
  days: Type.Array(Type.Integer()),
  from: Type.String(),
  to: Type.String(),
});
export type AlertQuietTimes = Static<typeof AlertQuietTimes>;

const name = Type.String({ minLength: 1, maxLength: 100, pattern: "\\S", description: "Unique in the environment" });
const targets = Type.Array(AlertTargetIn, {
  maxItems: targetsPerRule,
  description: "In addition to the dashboard. A webhook that is kept without its `secret` keeps the stored one",
});
const repeatAfterMinutes = Type.Union([Type.Integer({ minimum: 5, maximum: 43_200 }), Type.Null()], {
  description: "An alert that is still open is sent again after so long; null: once",
});
const quiet = Type.Union([AlertQuietTimesIn, Type.Null()], { description: "Messages wait until it is over" });

export const AlertRule = named("AlertRule", {
  _id: Type.String(),
  name: Type.String(),
  kind: oneOf(alertKinds, { title: "AlertKind" }),
  parameters: parametersOfAnyKind,
  targets: Type.Array(AlertTarget),
  quiet: Type.Union([AlertQuietTimes, Type.Null()], { description: "Messages wait until it is over" }),
  repeatAfterMinutes: Type.Union([Type.Integer(), Type.Null()], { description: "null: an alert is sent once" }),
  active: Type.Boolean(),
  openAlerts: Type.Integer({ description: "Alerts of the rule that are open" }),
  createdAt: isoTime("When the rule was created"),
  updatedAt: isoTime("Last change"),
});
export type AlertRule = Static<typeof AlertRule>;

const AlertRuleIn = named(
  "AlertRuleIn",
  {
    name,
    kind: oneOf(alertKinds),
    parameters: parametersOfAnyKind,
    targets: Type.Optional(targets),
    quiet: Type.Optional(quiet),
    repeatAfterMinutes: Type.Optional(repeatAfterMinutes),
    active: Type.Optional(Type.Boolean({ default: true })),
  },
  {
    allOf: parametersFitKind,
    examples: [
      {
        name: "Email provider down",
        kind: "integration_failing",
        parameters: { forSeconds: 60 },
        targets: [{ type: "email", to: ["ops@example.com"] }],
      },
    ],
  },
);

const AlertTargetTest = named("AlertTargetTest", {
  target: AlertTarget,
  status: oneOf(["sent", "failed"]),
  detail: Type.String({ description: "What the receiver said, or which way the email took" }),
});
export type AlertTargetTest = Static<typeof AlertTargetTest>;

const rulePath = Type.Object({ ruleId: Type.String() });

export const alertRuleOperations = {
  "alertRules.list": operation({
    id: "alertRules.list",
    method: "GET",
    path: "/v2/alert-rules",
    summary: "List alert rules",
    description: "All of them, oldest first. A new environment has rules that show their alerts in the dashboard.",
    category: "configuration",
    success: { status: 200, schema: Type.Array(AlertRule) },
    errors: [],
  }),
  "alertRules.create": operation({
    id: "alertRules.create",
    method: "POST",
    path: "/v2/alert-rules",
    summary: "Create an alert rule",
    description: `An environment can have at most ${alertRulesPerEnvironment}.`,
    category: "configuration",
    audit: "everyone",
    body: AlertRuleIn,
    success: { status: 201, schema: AlertRule },
    errors: ["ALERT_RULE_LIMIT", "ALERT_RULE_NAME_TAKEN"],
  }),
  "alertRules.retrieve": operation({
    id: "alertRules.retrieve",
    method: "GET",
    path: "/v2/alert-rules/{ruleId}",
    summary: "Retrieve an alert rule",
    category: "configuration",
    params: rulePath,
    success: { status: 200, schema: AlertRule },
    errors: ["ALERT_RULE_NOT_FOUND"],
  }),
  "alertRules.update": operation({
    id: "alertRules.update",
    method: "PATCH",
    path: "/v2/alert-rules/{ruleId}",
    summary: "Update an alert rule",
    description:
      "`active: false` closes its open alerts without a message. The kind cannot change: `parameters` are those of the " +
      "rule's kind.",
    category: "configuration",
    audit: "everyone",
    params: rulePath,
    body: named("AlertRulePatch", {
      name: Type.Optional(name),
      parameters: Type.Optional(parametersOfAnyKind),
      targets: Type.Optional(targets),
      quiet: Type.Optional(quiet),
      repeatAfterMinutes: Type.Optional(repeatAfterMinutes),
      active: Type.Optional(Type.Boolean()),
    }),
    success: { status: 200, schema: AlertRule },
    errors: ["ALERT_RULE_NOT_FOUND", "ALERT_RULE_NAME_TAKEN"],
  }),
  "alertRules.delete": operation({
    id: "alertRules.delete",
    method: "DELETE",
    path: "/v2/alert-rules/{ruleId}",
    summary: "Delete an alert rule",
    description: "Its open alerts are closed without a message.",
    category: "configuration",
    audit: "everyone",
    params: rulePath,
    success: { status: 204 },
    errors: ["ALERT_RULE_NOT_FOUND"],
  }),
  "alertRules.test": operation({
    id: "alertRules.test",
    method: "POST",
    path: "/v2/alert-rules/{ruleId}/test",
    summary: "Send a test message to the targets of a rule",
    description: "Sends each target one message at once, without retries, and returns what each said.",
    category: "configuration",
    audit: "everyone",
    params: rulePath,
    success: { status: 200, schema: Type.Array(AlertTargetTest) },
    errors: ["ALERT_RULE_NOT_FOUND"],
  }),
};

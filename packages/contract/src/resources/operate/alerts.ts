// Alerts: what the rules of an environment have found, open and past, and the messages that were sent about it.
import { pageEnvelope, pageQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, type Static, Type } from "../../schema.ts";
import { alertKinds, alertSubjectTypes } from "./alert-kinds.ts";
import { AlertTarget } from "./alert-rules.ts";

export const alertStatuses = ["open", "resolved"] as const;
export type AlertStatus = (typeof alertStatuses)[number];
const AlertStatusWord = oneOf(alertStatuses, { title: "AlertStatus" });

export const alertEndings = ["recovered", "rule_paused", "rule_deleted"] as const;
export type AlertEnding = (typeof alertEndings)[number];

/** What a message says about an alert. `passed`: it opened and ended within a quiet time. */
export const alertNotices = ["opened", "repeated", "resolved", "passed"] as const;
export type AlertNotice = (typeof alertNotices)[number];

export const alertMessageStatuses = ["pending", "sent", "failed"] as const;
export type AlertMessageStatus = (typeof alertMessageStatuses)[number];

const AlertMessage = named("AlertMessage", {
  target: AlertTarget,
  notice: oneOf(alertNotices, {
    description: "`passed`: the alert opened and ended within a quiet time, and is reported afterwards",
  }),
  status: oneOf(alertMessageStatuses),
  isFallback: Type.Boolean({ description: "Sent to the owners, because a target of the rule failed" }),
  attempts: Type.Integer(),
  detail: Type.Optional(Type.String({ description: "What the receiver said last, or why the message was not sent" })),
  createdAt: isoTime("When the message was written"),
  lastAttemptAt: Type.Optional(isoTime("Last attempt")),
});
export type AlertMessage = Static<typeof AlertMessage>;

export const Alert = named("Alert", {
  _id: Type.String(),
  ruleId: Type.String(),
  ruleName: Type.String(),
  kind: oneOf(alertKinds),
  code: Type.String({ description: "What was found, as a word for programs, such as `breaker_open`" }),
  status: AlertStatusWord,
  subject: named("AlertSubject", {
    type: oneOf(alertSubjectTypes),
    id: Type.String(),
    name: Type.String(),
  }),
  facts: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
    description: "The figures behind it, from the last evaluation that found it",
  }),
  title: Type.String({ description: "One line, such as the subject of a mail" }),
  text: Type.String({ description: "What was found, with the figures" }),
  advice: Type.String({ description: "What to do about it" }),
  path: Type.String({ description: "The dashboard's screen that fixes it, below the address of the service" }),
  openedAt: isoTime("When it was first seen"),
  lastSeenAt: isoTime("When it was last seen"),
  resolvedAt: Type.Optional(isoTime("When it ended")),
  ending: Type.Optional(oneOf(alertEndings, { description: "Why it ended" })),
  acknowledgedAt: Type.Optional(isoTime("When somebody took it on; no more repeats since")),
  acknowledgedBy: Type.Optional(Type.String({ description: "Name of the member, or `API key`" })),
  messages: Type.Array(AlertMessage, { description: "The newest 20 messages about it, newest first" }),
});
export type Alert = Static<typeof Alert>;

export const alertOperations = {
  "alerts.list": operation({
    id: "alerts.list",
    method: "GET",
    path: "/v2/alerts",
    summary: "List alerts",
    description: "Newest first. Kept for 90 days after they ended.",
    category: "configuration",
    query: Type.Object({
      ...pageQuery({ default: 10, maximum: 100 }),
      status: Type.Optional(AlertStatusWord),
      kind: Type.Optional(oneOf(alertKinds)),
      ruleId: Type.Optional(Type.String()),
      subjectType: Type.Optional(oneOf(alertSubjectTypes)),
      subjectId: Type.Optional(Type.String({ maxLength: 200 })),
    }),
    success: {
      status: 200,
      schema: named("AlertPage", {
        totalCount: Type.Integer({ description: "Counted up to 50,000" }),
        openCount: Type.Integer({ description: "Open alerts of the environment, whatever the filters" }),
        ...pageEnvelope(Alert),
      }),
    },
    errors: [],
  }),
  "alerts.acknowledge": operation({
    id: "alerts.acknowledge",
    method: "POST",
    path: "/v2/alerts/{alertId}/acknowledge",
    summary: "Acknowledge an alert",
    description: "Somebody has taken it on: it is not repeated. It stays open until its cause is gone.",
    category: "configuration",
    role: "support",
    params: Type.Object({ alertId: Type.String() }),
    success: { status: 200, schema: Alert },
    errors: ["ALERT_NOT_FOUND"],
  }),
};

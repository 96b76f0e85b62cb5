// The controls of each step type: the JSON Schema of its control values and how an editor shows them. Layouts too.
import { type StepType, timeUnits } from "../../common.ts";
import type { JsonObject } from "../../schema.ts";

/** The pattern marks an address: one that does not fit is an issue of the step, not a refusal. */
const url = { type: "string", pattern: "^(\\{\\{|https?://|/)" };
const redirect = {
  type: "object",
  properties: {
    url,
    target: { type: "string", enum: ["_self", "_blank", "_parent", "_top", "_unfencedTop"], default: "_self" },
  },
};
const action = { type: "object", properties: { label: { type: "string" }, redirect } };
const text = { type: "string", minLength: 1 };
const plainText = { type: "string" };
const unit = { type: "string", enum: [...timeUnits] };
const throttleUnit = { type: "string", enum: ["minutes", "hours", "days"] };
const amount = { type: "integer", minimum: 1 };
const flag = { type: "boolean", default: false };
/** A JSON Logic rule: when it evaluates to something truthy, the step is skipped. */
const skip = { type: "object", additionalProperties: true };
const editorType = { type: "string", enum: ["block", "html"], default: "block" };

function controls(properties: JsonObject, rest: JsonObject = {}): JsonObject {
  return {
    type: "object",
    additionalProperties: false,
    properties,
    ...rest,
  };
}

/** One of several kinds, told apart by `type`; the first is meant when `type` is absent. */
function kinds(...branches: { type: string; properties: JsonObject; required: string[] }[]): JsonObject {
  return {
    type: "object",
    oneOf: branches.map(({ type, properties, required }, index) =>
      controls(
        { skip, type: { type: "string", enum: [type], ...(index === 0 && { default: type }) }, ...properties },
        { required: index === 0 ? required : ["type", ...required] },
      ),
    ),
  };
}

const threshold = { type: "integer", minimum: 1, maximum: 100, default: 1 };

export const stepControlSchemas: Record<StepType, JsonObject> = {
  in_app: controls(
    {
      skip,
      subject: text,
      body: text,
      avatar: url,
      primaryAction: action,
      secondaryAction: action,
      redirect,
      disableOutputSanitization: flag,
      data: { type: "object", additionalProperties: true },
    },
    { anyOf: [{ required: ["subject"] }, { required: ["body"] }] },
  ),
  email: controls(
    {
      skip,
      subject: text,
      body: { type: "string", default: "" },
      editorType,
      rendererType: { type: "string", enum: ["html", "react-email"], default: "html" },
      disableOutputSanitization: flag,
      layoutId: { type: ["string", "null"], minLength: 1 },
    },
    { required: ["subject", "body"] },
  ),
  sms: controls({ skip, body: plainText }, { required: ["body"] }),
  push: controls({ skip, subject: plainText, body: plainText }, { required: ["subject", "body"] }),
  chat: controls({ skip, body: plainText }, { required: ["body"] }),
  delay: kinds(
    { type: "regular", properties: { amount, unit, extendToSchedule: flag }, required: ["amount", "unit"] },
    { type: "timed", properties: { cron: text, extendToSchedule: flag }, required: ["cron"] },
    { type: "dynamic", properties: { dynamicKey: text, extendToSchedule: flag }, required: ["dynamicKey"] },
  ),
  digest: kinds(
    {
      type: "regular",
      properties: {
        amount,
        unit,
        lookBackWindow: controls({ amount, unit }, { required: ["amount", "unit"] }),
        digestKey: plainText,
        extendToSchedule: flag,
      },
      required: ["amount", "unit"],
    },
    { type: "timed", properties: { cron: text, digestKey: plainText, extendToSchedule: flag }, required: ["cron"] },
  ),
  throttle: kinds(
    {
      type: "fixed",
      properties: { amount, unit: throttleUnit, threshold, throttleKey: plainText },
      required: ["amount", "unit"],
    },
    {
      type: "dynamic",
      properties: { dynamicKey: text, threshold, throttleKey: plainText },
      required: ["dynamicKey"],
    },
  ),
  custom: controls({ custom: { type: "object", additionalProperties: true } }),
};

export const layoutControlSchema: JsonObject = controls({
  email: controls({ body: plainText, editorType }, { required: ["body", "editorType"] }),
});

type Property = { component: string; placeholder?: unknown; properties?: Record<string, Property> };
export type UiSchema = { group: string; properties: Record<string, Property> };

/** A placeholder without a value is left out. */
const show = (component: string, placeholder?: unknown): Property =>
  placeholder === undefined ? { component } : { component, placeholder };
const skipEditor = { skip: show("QUERY_EDITOR") };

/** A custom step has none: the interface knows no group for it. */
export const stepUiSchemas: Record<Exclude<StepType, "custom">, UiSchema> & { custom: undefined } = {
  in_app: {
    group: "IN_APP",
    properties: {
      body: show("IN_APP_BODY", ""),
      subject: show("IN_APP_PRIMARY_SUBJECT", ""),
      avatar: show("IN_APP_AVATAR", ""),
      primaryAction: show("IN_APP_BUTTON_DROPDOWN"),
      secondaryAction: show("IN_APP_BUTTON_DROPDOWN"),
      redirect: show("URL_TEXT_BOX", { url: { placeholder: "" }, target: { placeholder: "_self" } }),
      disableOutputSanitization: show("IN_APP_DISABLE_SANITIZATION_SWITCH", false),
      data: show("DATA"),
      ...skipEditor,
    },
  },
  email: {
    group: "EMAIL",
    properties: {
      subject: show("TEXT_INLINE_LABEL", ""),
      body: show("EMAIL_BODY", ""),
      editorType: show("EMAIL_EDITOR_SELECT", "block"),
      rendererType: show("EMAIL_RENDERER_SELECT", "html"),
      layoutId: show("LAYOUT_SELECT"),
      disableOutputSanitization: show("DISABLE_SANITIZATION_SWITCH", false),
      ...skipEditor,
    },
  },
  sms: { group: "SMS", properties: { body: show("SMS_BODY", ""), ...skipEditor } },
  push: {
    group: "PUSH",
    properties: { subject: show("PUSH_SUBJECT", ""), body: show("PUSH_BODY", ""), ...skipEditor },
  },
  chat: { group: "CHAT", properties: { body: show("CHAT_BODY", ""), ...skipEditor } },
  delay: {
    group: "DELAY",
    properties: {
      type: show("DELAY_TYPE", "regular"),
      amount: show("DELAY_AMOUNT"),
      unit: show("DELAY_UNIT", "seconds"),
      cron: show("DELAY_CRON", ""),
      dynamicKey: show("DELAY_DYNAMIC_KEY", ""),
      extendToSchedule: show("EXTEND_TO_SCHEDULE", false),
      ...skipEditor,
    },
  },
  digest: {
    group: "DIGEST",
    properties: {
      type: show("DIGEST_TYPE", "regular"),
      amount: show("DIGEST_AMOUNT"),
      unit: show("DIGEST_UNIT", "seconds"),
      lookBackWindow: {
        component: "DIGEST_AMOUNT",
        properties: { amount: show("DIGEST_AMOUNT"), unit: show("DIGEST_UNIT", "seconds") },
      },
      digestKey: show("DIGEST_KEY", ""),
      cron: show("DIGEST_CRON", ""),
      extendToSchedule: show("EXTEND_TO_SCHEDULE", false),
      ...skipEditor,
    },
  },
  throttle: {
    group: "THROTTLE",
    properties: {
      type: show("THROTTLE_TYPE", "fixed"),
      amount: show("THROTTLE_WINDOW"),
      unit: show("THROTTLE_UNIT", "minutes"),
      dynamicKey: show("THROTTLE_DYNAMIC_KEY", "payload.timestamp"),
      threshold: show("THROTTLE_THRESHOLD", 1),
      throttleKey: show("THROTTLE_KEY", ""),
      ...skipEditor,
    },
  },
  custom: undefined,
};

export const layoutUiSchema: UiSchema = {
  group: "LAYOUT",
  properties: {
    email: {
      component: "LAYOUT_EMAIL",
      properties: { body: show("EMAIL_BODY", ""), editorType: show("EMAIL_EDITOR_SELECT", "html") },
    },
  },
};

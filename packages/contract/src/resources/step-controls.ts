// What each step type can be told: the JSON Schema of its control values and how an editor shows them.
import { timeUnits } from "../common.ts";
import type { OpenObject } from "../schema.ts";
import type { supportedStepTypes } from "./workflows.ts";

type SupportedStepType = (typeof supportedStepTypes)[number];

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
const unit = { type: "string", enum: [...timeUnits] };
const amount = { type: "integer", minimum: 1 };

const controls = (properties: OpenObject, rest: OpenObject = {}): OpenObject => ({
  type: "object",
  additionalProperties: false,
  properties,
  ...rest,
});

export const stepControlSchemas: Record<SupportedStepType, OpenObject> = {
  in_app: controls(
    {
      subject: text,
      body: text,
      avatar: url,
      primaryAction: action,
      secondaryAction: action,
      redirect,
      disableOutputSanitization: { type: "boolean", default: false },
      data: { type: "object", additionalProperties: true },
    },
    { anyOf: [{ required: ["subject"] }, { required: ["body"] }] },
  ),
  email: controls(
    {
      subject: text,
      body: { type: "string", default: "" },
      editorType: { type: "string", enum: ["html"], default: "html" },
      disableOutputSanitization: { type: "boolean", default: false },
    },
    { required: ["subject", "body"] },
  ),
  delay: controls(
    { type: { type: "string", enum: ["regular"], default: "regular" }, amount, unit },
    { required: ["amount", "unit"] },
  ),
  digest: controls(
    { type: { type: "string", enum: ["regular"], default: "regular" }, amount, unit, digestKey: { type: "string" } },
    { required: ["amount", "unit"] },
  ),
};

type Property = { component: string; placeholder?: unknown };
const show = (component: string, placeholder?: unknown): Property => ({ component, placeholder });

export const stepUiSchemas: Record<SupportedStepType, { group: string; properties: Record<string, Property> }> = {
  in_app: {
    group: "IN_APP",
    properties: {
      body: show("IN_APP_BODY", ""),
      subject: show("IN_APP_PRIMARY_SUBJECT", ""),
      avatar: show("IN_APP_AVATAR", ""),
      primaryAction: show("IN_APP_BUTTON_DROPDOWN", null),
      secondaryAction: show("IN_APP_BUTTON_DROPDOWN", null),
      redirect: show("URL_TEXT_BOX", { url: { placeholder: "" }, target: { placeholder: "_self" } }),
      disableOutputSanitization: show("IN_APP_DISABLE_SANITIZATION_SWITCH", false),
      data: show("DATA", null),
    },
  },
  email: {
    group: "EMAIL",
    properties: {
      subject: show("TEXT_INLINE_LABEL", ""),
      body: show("EMAIL_BODY", ""),
      editorType: show("EMAIL_EDITOR_SELECT", "html"),
      disableOutputSanitization: show("DISABLE_SANITIZATION_SWITCH", false),
    },
  },
  delay: {
    group: "DELAY",
    properties: {
      type: show("DELAY_TYPE", "regular"),
      amount: show("DELAY_AMOUNT", null),
      unit: show("DELAY_UNIT", "seconds"),
    },
  },
  digest: {
    group: "DIGEST",
    properties: {
      type: show("DIGEST_TYPE", "regular"),
      amount: show("DIGEST_AMOUNT", null),
      unit: show("DIGEST_UNIT", "seconds"),
      digestKey: show("DIGEST_KEY", ""),
    },
  },
};

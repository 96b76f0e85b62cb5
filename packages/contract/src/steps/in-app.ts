import {
  amount,
  closed,
  controls,
  defineStep,
  delivery,
  flag,
  plainText,
  result,
  show,
  skip,
  skipEditor,
  text,
  unit,
  url,
} from "./kit.ts";

const redirect = {
  type: "object",
  properties: {
    url,
    target: { type: "string", enum: ["_self", "_blank", "_parent", "_top", "_unfencedTop"], default: "_self" },
  },
};
const action = { type: "object", properties: { label: { type: "string" }, redirect } };

export default defineStep({
  label: "In-app",
  kind: "channel",
  position: 1,
  controls: controls(
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
      expiresAt: plainText,
      expiresIn: { type: "object", properties: { amount, unit }, required: ["amount", "unit"] },
    },
    { anyOf: [{ required: ["subject"] }, { required: ["body"] }] },
  ),
  ui: {
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
      expiresAt: show("TEXT_INLINE_LABEL", ""),
      expiresIn: {
        ...show("DELAY_AMOUNT"),
        properties: { amount: show("DELAY_AMOUNT"), unit: show("DELAY_UNIT", "days") },
      },
      ...skipEditor,
    },
  },
  results: () =>
    closed({
      ...delivery,
      seen: result.flag,
      read: result.flag,
      lastSeenDate: result.text,
      lastReadDate: result.text,
    }),
});

import { closed, controls, defineStep, plainText, result, show, skip, skipEditor } from "./kit.ts";

/** The fields of a subscriber that a step can set; the value may contain variables. */
export const updatableFields = ["firstName", "lastName", "email", "phone", "avatar", "locale", "timezone"] as const;

const field = { ...plainText, maxLength: 2_048 };

export default defineStep({
  label: "Update subscriber",
  kind: "custom",
  position: 15,
  controls: controls({
    skip,
    ...Object.fromEntries(updatableFields.map((name) => [name, field])),
    // JSON text of an object with variables. Its members replace those of the subscriber; null removes one.
    data: { ...plainText, maxLength: 65_536 },
  }),
  ui: {
    group: "UPDATE_SUBSCRIBER",
    properties: {
      ...Object.fromEntries(updatableFields.map((name) => [name, show("UPDATE_SUBSCRIBER_FIELD")])),
      data: show("UPDATE_SUBSCRIBER_DATA"),
      ...skipEditor,
    },
  },
  results: () => closed({ changed: result.flag }),
});

// The controls of a layout: the JSON Schema of its control values, and how an editor shows them.
import type { JsonObject } from "../../schema.ts";
import { controls, editorType, plainText, show, type UiSchema } from "../../steps/kit.ts";

export const layoutControlSchema: JsonObject = controls({
  email: controls({ body: plainText, editorType }, { required: ["body", "editorType"] }),
});

export const layoutUiSchema: UiSchema = {
  group: "LAYOUT",
  properties: {
    email: {
      component: "LAYOUT_EMAIL",
      properties: { body: show("EMAIL_BODY", ""), editorType: show("EMAIL_EDITOR_SELECT", "html") },
    },
  },
};

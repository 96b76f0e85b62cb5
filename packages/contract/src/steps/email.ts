import { closed, controls, defineStep, delivery, editorType, flag, show, skip, skipEditor, text } from "./kit.ts";

export default defineStep({
  label: "Email",
  kind: "channel",
  position: 2,
  controls: controls(
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
  ui: {
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
  results: () => closed(delivery),
});

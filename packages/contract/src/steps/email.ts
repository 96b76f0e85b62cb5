import {
  closed,
  controls,
  defineStep,
  delivery,
  editorType,
  flag,
  plainText,
  show,
  skip,
  skipEditor,
  text,
} from "./kit.ts";

const line = show("TEXT_INLINE_LABEL", "");

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
      preheader: plainText,
      senderName: plainText,
      replyTo: plainText,
      cc: plainText,
      bcc: plainText,
      text: plainText,
    },
    { required: ["subject", "body"] },
  ),
  ui: {
    group: "EMAIL",
    properties: {
      subject: line,
      body: show("EMAIL_BODY", ""),
      editorType: show("EMAIL_EDITOR_SELECT", "block"),
      rendererType: show("EMAIL_RENDERER_SELECT", "html"),
      layoutId: show("LAYOUT_SELECT"),
      disableOutputSanitization: show("DISABLE_SANITIZATION_SWITCH", false),
      preheader: line,
      senderName: line,
      replyTo: line,
      cc: line,
      bcc: line,
      text: line,
      ...skipEditor,
    },
  },
  results: () => closed(delivery),
});

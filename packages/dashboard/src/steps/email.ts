import { defineStep, rawHtml, summarizeContent } from "./kit.ts";

export default defineStep({
  icon: "mail",
  startValues: { subject: "", body: "", editorType: "block" },
  fields: [
    { path: "subject", label: "Subject", kind: "line" },
    {
      path: "preheader",
      label: "Preview text",
      hint: "Shown after the subject in a mailbox. Leave empty to show how the email begins.",
      kind: "line",
    },
    { path: "body", label: "Body", kind: "email" },
    { path: "editorType", label: "Editor", kind: "part" },
    { path: "layoutId", label: "Layout", kind: "layout" },
    {
      path: "rendererType",
      label: "Renderer",
      kind: "choice",
      choices: { html: "HTML template", "react-email": "React Email" },
      fallback: "html",
      isMore: true,
    },
    { path: "senderName", label: "Sender name", kind: "line", isMore: true },
    { path: "replyTo", label: "Reply to", kind: "line", isMore: true, isBeside: true },
    { path: "cc", label: "Cc", hint: "Addresses, separated by commas", kind: "line", isMore: true },
    { path: "bcc", label: "Bcc", kind: "line", isMore: true, isBeside: true },
    {
      path: "text",
      label: "Text part",
      hint: "Leave empty to derive it from the content.",
      kind: "text",
      isMore: true,
    },
    rawHtml,
  ],
  summary: summarizeContent,
});

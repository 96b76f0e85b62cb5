import { defineStep, rawHtml, summarizeContent } from "./kit.ts";

export default defineStep({
  icon: "mail",
  startValues: { subject: "", body: "", editorType: "block" },
  fields: [
    { path: "subject", label: "Subject", kind: "line" },
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
    rawHtml,
  ],
  summary: summarizeContent,
});

import { defineStep, rawHtml, summarizeContent } from "./kit.ts";

export default defineStep({
  icon: "mail",
  startValues: { subject: "", body: "", editorType: "html" },
  fields: [
    { path: "subject", label: "Subject", kind: "line" },
    { path: "body", label: "Body", kind: "html" },
    { path: "layoutId", label: "Layout", kind: "layout" },
    {
      path: "editorType",
      label: "Editor",
      kind: "choice",
      choices: { html: "HTML", block: "Blocks (JSON)" },
      fallback: "block",
      usual: "html",
      isMore: true,
    },
    {
      path: "rendererType",
      label: "Renderer",
      kind: "choice",
      choices: { html: "HTML template", "react-email": "React Email" },
      fallback: "html",
      isMore: true,
      isBeside: true,
    },
    rawHtml,
  ],
  summary: summarizeContent,
});

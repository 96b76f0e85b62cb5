import { defineStep } from "./kit.ts";

const methods = Object.fromEntries(
  ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].map((name) => [name, name]),
);

export default defineStep({
  icon: "globe",
  fields: [
    { path: "method", label: "Method", kind: "choice", choices: methods, fallback: "POST" },
    { path: "url", label: "URL", kind: "line" },
    { path: "headers", label: "Headers", kind: "json" },
    { path: "body", label: "Body", hint: "JSON with variables", kind: "text" },
    { path: "responseBodySchema", label: "Schema of the response", kind: "json", isMore: true },
    { path: "enforceSchemaValidation", label: "Fail when the response does not match", kind: "flag", isMore: true },
    { path: "continueOnFailure", label: "Continue after a failure", kind: "flag" },
    { path: "sampleResponse", label: "Sample response", hint: "For previews and dry runs", kind: "json", isMore: true },
  ],
  startValues: { method: "POST", url: "" },
  summary: ({ method, url }) => (url ? `${method ?? "POST"} ${url}` : "no URL yet"),
});

import { defineStep, type Values } from "./kit.ts";

const methods = Object.fromEntries(
  ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].map((name) => [name, name]),
);

export default defineStep({
  icon: "globe",
  hasOwnForm: true,
  fields: [
    { path: "method", label: "Method", kind: "choice", choices: methods, fallback: "POST" },
    { path: "url", label: "URL", hint: "https://, with variables such as {{ subscriber.subscriberId }}", kind: "line" },
    { path: "headers", label: "Headers", kind: "part" },
    { path: "body", label: "Body", kind: "part" },
    { path: "responseBodySchema", label: "Schema of the response", kind: "part" },
    { path: "enforceSchemaValidation", label: "Fail when the response does not match the schema", kind: "flag" },
    {
      path: "continueOnFailure",
      label: "Continue after a failure",
      hint: "Otherwise the run ends with the reason, after the retries.",
      kind: "flag",
    },
    { path: "sampleResponse.status", label: "Status of the sample", kind: "part" },
    { path: "sampleResponse.body", label: "Sample response", kind: "part" },
  ],
  startValues: { method: "POST", url: "" },
  sampleResult: (_payload, _count, { responseBodySchema, sampleResponse }) => {
    const { status = 200, body } = (sampleResponse ?? {}) as { status?: number; body?: unknown };
    const declared = Object.keys((responseBodySchema as { properties?: Values } | undefined)?.properties ?? {});
    const members = declared.map((name) => [name, (body as Values | null | undefined)?.[name]]);
    return { ...(declared.length > 0 ? Object.fromEntries(members) : { body }), status };
  },
  summary: ({ method, url }) => (url ? `${method ?? "POST"} ${url}` : "no URL yet"),
});

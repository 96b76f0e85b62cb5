// Example values from a schema, for the example bodies and curl commands of the documentation page. Realistic values
// explain a field better than "string" does.
import type { JsonSchema, OpenApiDocument, OpenApiOperation, OpenApiParameter } from "@tidings/contract";
import { resolve } from "./docs-page.schema.ts";

/** Values by field name, with or without the type that has the field. Other fields get a value by their type. */
const samples: Record<string, unknown> = {
  subscriberId: "ada",
  workflowId: "order-shipped",
  stepId: "send-email",
  name: "Order shipped",
  "TriggerEvent.name": "order-shipped",
  "Environment.name": "Development",
  "Environment.identifier": "development",
  "Integration.name": "SendGrid",
  "IntegrationIn.name": "SendGrid",
  "IntegrationPatch.name": "SendGrid",
  to: "ada",
  email: "ada@example.com",
  firstName: "Ada",
  lastName: "Lovelace",
  phone: "+15551234567",
  locale: "en_US",
  timezone: "Europe/London",
  payload: { orderId: "A-1042" },
  data: { plan: "pro" },
  transactionId: "txn_0b9f3c5e7a1d4f62",
  providerId: "sendgrid",
  identifier: "sendgrid-main",
  integrationId: "sendgrid-main",
  // Responses mask secrets; in a request the mask means "keep the stored value".
  credentials: { apiKey: "********" },
  "IntegrationIn.credentials": { apiKey: "your-sendgrid-key" },
  "IntegrationPatch.credentials": { apiKey: "your-sendgrid-key" },
  subject: "Your order is on its way",
  content: "Order A-1042 has left the warehouse.",
  tags: ["orders"],
  active: true,
  acknowledged: true,
  totalCount: 1,
  page: 0,
  pageSize: 1,
};

/** Preferred examples of enumerations: the normal case. Otherwise the first value. */
const preferredValues = ["email", "sendgrid", "processed", "completed", "sent", "Success", "ACTIVE"];

const id = "0190a5c2-7d3e-7c41-9b7a-2f6d1e8c4b05";
const time = "2026-01-01T09:30:00.000Z";

/** Deep enough for every request body; deeper examples of responses would only repeat the field list. */
const maxDepth = 5;

/** The position of a value: the name of its field, the type that has the field, and the depth. */
type Place = { name: string; owner: string; depth: number };

const top: Place = { name: "", owner: "", depth: 0 };

export function exampleOf(document: OpenApiDocument, source: JsonSchema, place = top): unknown {
  const { name, owner, depth } = place;
  const schema = resolve(document, source);
  const sample = samples[`${owner}.${name}`] ?? samples[name];
  const types = [schema.type].flat();
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum.find((word) => preferredValues.includes(word)) ?? schema.enum[0];
  if (sample !== undefined && fits(schema, sample)) return sample;
  if (schema.default !== undefined) return schema.default;
  const choice = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray)?.[0] as JsonSchema | undefined;
  if (choice) return exampleOf(document, choice, place);
  if (types.includes("object")) return objectExample(document, schema, depth);
  if (types.includes("array")) {
    return depth < maxDepth
      ? [exampleOf(document, (schema.items ?? {}) as JsonSchema, { ...top, depth: depth + 1 })]
      : [];
  }
  if (types.includes("string")) return textExample(schema, name);
  if (types.includes("integer") || types.includes("number")) return schema.minimum ?? 1;
  if (types.includes("boolean")) return false;
  return types.includes("null") ? null : {};
}

const typeOfValue = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value);

/** A sample replaces only values of the same type, never a structure that the schema defines. */
function fits(schema: JsonSchema, sample: unknown): boolean {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some((choice: JsonSchema) => fits(choice, sample));
  const type = typeOfValue(sample) === "number" ? ["integer", "number"] : [typeOfValue(sample)];
  return [schema.type].flat().some((name) => type.includes(String(name))) && !(schema.items as JsonSchema)?.$ref;
}

function textExample(schema: JsonSchema, name: string): string {
  if (schema.format === "date-time" || /(At|Date|Until)$/.test(name)) return time;
  if (schema.format === "email") return "ada@example.com";
  if (/^_.*[iI]d$|^id$|Id$/.test(name)) return id;
  if (/url$/i.test(name)) return "https://example.com/orders/A-1042";
  return name === "" ? "text" : name;
}

/** Required members and those with a sample; if there are none, the first three. */
function objectExample(document: OpenApiDocument, schema: JsonSchema, depth: number): Record<string, unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = (schema.required ?? []) as string[];
  if (depth >= maxDepth) return {};
  const chosen = properties.filter(([name]) => required.includes(name) || (depth < 2 && name in samples));
  const shown = chosen.length > 0 || depth > 0 ? chosen : properties.slice(0, 3);
  const owner = String(schema.title ?? "");
  return Object.fromEntries(
    shown.map(([name, member]) => [name, exampleOf(document, member, { name, owner, depth: depth + 1 })]),
  );
}

/** Quotes an argument of a shell command; JSON may contain apostrophes. */
const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The script of the page replaces it by the address of the service. */
export const placeholderOrigin = "http://localhost:3000";

const formFields = (document: OpenApiDocument, schema: JsonSchema): string[] =>
  Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(([name, member]) => {
    const isFile = [member, member.items as JsonSchema | undefined].some((one) => one?.format === "binary");
    const value = isFile ? "@en_US.json" : String(exampleOf(document, member, { ...top, name }));
    return `-F ${shellQuote(`${name}=${value}`)}`;
  });

type CurlInput = { method: string; path: string; operation: OpenApiOperation; parameters: OpenApiParameter[] };

export function curlOf(document: OpenApiDocument, { method, path, operation, parameters }: CurlInput): string {
  const value = (parameter: OpenApiParameter) =>
    encodeURIComponent(String([exampleOf(document, parameter.schema, { ...top, name: parameter.name })].flat()[0]));
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const parameter = parameters.find((one) => one.in === "path" && one.name === name);
    return parameter ? value(parameter) : whole;
  });
  const query = parameters
    .filter((one) => one.in === "query" && one.required)
    .map((one) => `${one.name}=${value(one)}`);
  const url = `${placeholderOrigin}${filled}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  const { "application/json": json, "multipart/form-data": form } = operation.requestBody?.content ?? {};
  const body = json?.schema;
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${shellQuote(url)}`,
    `-H "Authorization: ApiKey $TIDINGS_API_KEY"`,
    ...(body ? ["-H 'Content-Type: application/json'"] : []),
    ...(body ? [`-d ${shellQuote(JSON.stringify(exampleOf(document, body), null, 2))}`] : []),
    ...(form ? formFields(document, form.schema) : []),
  ].join(" \\\n  ");
}

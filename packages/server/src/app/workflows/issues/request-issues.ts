// Issues of HTTP requests: an address, a header or a body that can be seen to be wrong before a run, and a schema or a
// sample that does not fit.
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { refusedAddress } from "../../../lib/url-guard.ts";
import { jsonTemplateFault } from "../../../pipeline/render/json-template.ts";
import { headerFault, urlFault } from "../../../pipeline/requests/request.ts";
import { schemaFault } from "../../../pipeline/requests/response.ts";
import { payloadSchemaFault } from "../payload-schema.ts";
import type { Finding } from "./condition-issues.ts";

const issueType = "ILLEGAL_VARIABLE_IN_CONTROL_VALUE";

/** Only a run knows the value. */
const isTemplate = (text: string): boolean => /\{[{%]/.test(text);

const maxSchemaLength = 65_536;

export function* requestIssues(values: JsonObject, allowNetworks: readonly string[]): Generator<Finding> {
  yield* urlIssues(values.url, allowNetworks);
  yield* headerIssues(values.headers);
  yield* bodyIssues(values);
  yield* schemaIssues(values);
}

function* urlIssues(given: unknown, allowNetworks: readonly string[]): Generator<Finding> {
  const url = typeof given === "string" ? given.trim() : "";
  // A missing address is reported as a required control.
  if (url === "" || /^\{[{%]/.test(url)) return;
  const filledIn = url.replaceAll(/\{\{[^{}]*\}\}|\{%[^%{}]*%\}/g, "x");
  if (urlFault(filledIn)) {
    const message = "url must be a web address that begins with https:// or http://, or with a variable";
    yield { path: "url", issueType, message };
    return;
  }
  const [, host = ""] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  const kind = isTemplate(host) ? undefined : refusedAddress(new URL(filledIn).hostname, allowNetworks);
  if (!kind) return;
  const advice = "Use a public address, or allow its network with the setting TIDINGS_ALLOW_NETWORKS";
  const shown = host.slice(host.lastIndexOf("@") + 1, host.lastIndexOf("@") + 201);
  yield { path: "url", issueType, message: `Requests to ${shown} are refused: it is ${kind}. ${advice}` };
}

function* headerIssues(headers: unknown): Generator<Finding> {
  if (!Array.isArray(headers)) return;
  for (const [index, header] of headers.entries()) {
    const { key } = isObject(header) ? header : {};
    const path = `headers.${index}.key`;
    if (typeof key !== "string" || key.trim() === "") {
      const message = `${path} is required: name the header, or remove it`;
      yield { path, issueType: "MISSING_VALUE", message };
    } else if (!isTemplate(key)) {
      const fault = headerFault(key.trim());
      if (fault) yield { path, issueType, message: `${path}: ${fault}` };
    }
  }
}

function* bodyIssues({ body }: JsonObject): Generator<Finding> {
  if (typeof body !== "string" || body.trim() === "") return;
  const fault = jsonTemplateFault(body, "any");
  if (fault) yield { path: "body", issueType, message: `body ${fault}` };
}

function* schemaIssues({ responseBodySchema: schema, sampleResponse: sample }: JsonObject): Generator<Finding> {
  if (!isObject(schema)) return;
  const path = "responseBodySchema";
  const { length } = JSON.stringify(schema);
  const fault =
    length > maxSchemaLength
      ? `it must not be longer than ${maxSchemaLength} characters of JSON, and has ${length}`
      : payloadSchemaFault(schema);
  if (fault) {
    yield { path, issueType, message: `${path} is not a valid JSON Schema: ${fault}` };
    return;
  }
  if (!isObject(sample) || sample.body === undefined) return;
  const mismatch = schemaFault(schema, structuredClone(sample.body));
  if (mismatch === null) return;
  const message = `The sample response does not fit: ${mismatch}. Change one of the two`;
  yield { path: "sampleResponse.body", issueType, message, severity: "warning" };
}

// One operation of the documentation page: description, parameters, request, response, errors, and a form to try it.
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter, OpenApiResponse } from "@tidings/contract";
import { curlOf, exampleOf } from "./docs-page.example.ts";
import { anchor, codeBlock, type Html, html, prose } from "./docs-page.markup.ts";
import { constraintsInWords, fieldList, resolve, typeInWords } from "./docs-page.schema.ts";

/** An operation with its path and method in the document. */
export type Entry = { method: string; path: string; operation: OpenApiOperation; parameters: OpenApiParameter[] };

export const entriesOf = (document: OpenApiDocument): Entry[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
      parameters: operation.parameters.map((parameter) => resolve(document, parameter)),
    })),
  );

export const operationAnchor = ({ operation }: Entry): string => anchor("op", operation.operationId);

export const methodBadge = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

export function renderOperation(document: OpenApiDocument, entry: Entry): Html {
  const { method, path, operation } = entry;
  const id = operationAnchor(entry);
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title" data-operation="${operation.operationId}">
<div class="about">
<h3 id="${id}-title">${operation.summary} <a class="permalink" href="#${id}" aria-label="Link to ${operation.summary}">#</a></h3>
<p class="route">${methodBadge(method)} <code>${withBreaks(path)}</code></p>
${operation.description !== undefined && html`<p>${prose(operation.description)}</p>`}
${parameterTable(document, entry)}
${requestFields(document, operation)}
${answerFields(document, operation)}
${errorTable(document, operation)}
<p class="meta">Operation <code>${operation.operationId}</code>, rate limit <code>${operation["x-rate-limit-category"]}</code></p>
</div>
<div class="samples">
${codeBlock("Request", curlOf(document, entry))}
${answerSample(document, operation)}
${tryForm(document, entry)}
</div>
</section>`;
}

/** Long paths and codes may wrap between their parts only. */
const withBreaks = (text: string): Html[] =>
  text.split(/(?=\/)|(?<=_)/).map((part, index) => html`${index > 0 && html`<wbr>`}${part}`);

/** Without the idempotency key, which all operations have and which the top of the page explains. */
const ownParameters = ({ parameters }: Entry) => parameters.filter((parameter) => parameter.in !== "header");

function parameterTable(document: OpenApiDocument, entry: Entry): Html | undefined {
  const parameters = ownParameters(entry);
  if (parameters.length === 0) return undefined;
  return html`<h4>Parameters</h4>
<table class="parameters"><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">About</th></tr></thead><tbody>${parameters.map(
    (parameter) => html`<tr>
<th scope="row"><code class="name">${parameter.name}</code>${parameter.required && html` <span class="required">required</span>`}${parameter.deprecated && html` <span class="deprecated">deprecated</span>`}</th>
<td data-label="In">${parameter.in}</td><td data-label="Type">${typeInWords(document, parameter.schema)}</td>
<td>${parameter.description !== undefined && html`<p>${prose(parameter.description)}</p>`}<p class="limits">${constraintsInWords(document, parameter.schema)}</p></td></tr>`,
  )}</tbody></table>`;
}

function requestFields(document: OpenApiDocument, operation: OpenApiOperation): Html | undefined {
  const [mediaType, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const schema = body?.schema;
  const kind = mediaType === "multipart/form-data" && html` <span class="status">${mediaType}</span>`;
  return schema && html`<h4>Request body${kind}</h4>${fieldList({ document, schema, direction: "request" })}`;
}

function successOf(document: OpenApiDocument, operation: OpenApiOperation) {
  const successes = Object.entries(operation.responses).filter(([code]) => code.startsWith("2"));
  const response = successes[0]?.[1];
  const status = successes.map(([code]) => code).join(" or ");
  return response && { status, response: resolve<OpenApiResponse>(document, response) };
}

function answerFields(document: OpenApiDocument, operation: OpenApiOperation): Html | undefined {
  const success = successOf(document, operation);
  const schema = success?.response.content?.["application/json"]?.schema;
  return (
    success &&
    html`<h4>Answer <span class="status">${success.status}</span></h4>
${schema ? html`<p class="plain">${typeInWords(document, schema)}</p>${fieldList({ document, schema, direction: "answer" })}` : html`<p>No body.</p>`}`
  );
}

function answerSample(document: OpenApiDocument, operation: OpenApiOperation): Html | undefined {
  const success = successOf(document, operation);
  const schema = success?.response.content?.["application/json"]?.schema;
  return schema && codeBlock(`Answer ${success.status}`, JSON.stringify(exampleOf(document, schema), null, 2));
}

type ErrorRow = { status: string; code: string; message: string; when: string };

const rowsOf = (status: string, response: OpenApiResponse): ErrorRow[] =>
  (response["x-errors"] ?? []).map((error) => ({ status, ...error }));

export const commonErrorRows = (document: OpenApiDocument): ErrorRow[] =>
  Object.entries(document.components.responses).flatMap(([name, response]) =>
    rowsOf(name.replace(/\D/g, ""), response),
  );

/** A message that consists of one parameter only is not worth showing; its cause is. */
const isPlaceholder = (message: string): boolean => /^\{\w+\}$/.test(message);

export const renderErrorRows = (rows: ErrorRow[]): Html =>
  html`<table class="errors"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Message and cause</th></tr></thead><tbody>${rows.map(
    ({ status, code, message, when }) => html`<tr><td data-label="Status">${status}</td>
<th scope="row"><code>${withBreaks(code)}</code></th><td>${!isPlaceholder(message) && html`<p>${message}</p>`}<p class="limits">${prose(when)}</p></td></tr>`,
  )}</tbody></table>`;

function errorTable(document: OpenApiDocument, operation: OpenApiOperation): Html {
  const common = new Set(commonErrorRows(document).map(({ code }) => code));
  const rows = Object.entries(operation.responses)
    .flatMap(([status, response]) => rowsOf(status, resolve<OpenApiResponse>(document, response)))
    .filter(({ code }) => !common.has(code));
  const others = html`<a href="#common-errors">common errors</a>`;
  return html`<h4>Errors</h4>${
    rows.length > 0 ? html`${renderErrorRows(rows)}<p>And the ${others}.</p>` : html`<p>Only the ${others}.</p>`
  }`;
}

/** Hidden without the script, which sends the form. */
function tryForm(document: OpenApiDocument, entry: Entry): Html {
  const { method, path, operation } = entry;
  // Files are sent with the curl command.
  if (operation.requestBody?.content["multipart/form-data"]) return html``;
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const example = schema && JSON.stringify(exampleOf(document, schema), null, 2);
  const field = (name: string) => anchor("try", operation.operationId, name);
  return html`<details class="try" hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${path}">${ownParameters(entry).map(
    (parameter) => html`
<label for="${field(parameter.name)}"><code>${parameter.name}</code>${parameter.required && " (required)"}${parameter.schema.type === "array" && " (comma-separated)"}</label>
<input id="${field(parameter.name)}" name="${parameter.name}" data-in="${parameter.in}"${parameter.schema.type === "array" && html` data-list`}${parameter.required && html` required`} autocomplete="off" spellcheck="false">`,
  )}${
    example !== undefined &&
    html`
<label for="${field("body")}">Body (JSON)</label>
<textarea id="${field("body")}" name="body" data-in="body" rows="${Math.min(14, example.split("\n").length + 1)}" spellcheck="false">${example}</textarea>`
  }
<button type="submit">Send ${method}</button>
<output aria-live="polite"></output>
</form></details>`;
}

// The page at /docs, rendered from the OpenAPI document on the server. It makes no external request, works without
// JavaScript, and is served with a strict Content-Security-Policy.
import { createHash } from "node:crypto";
import type { OpenApiDocument } from "@tidings/contract";
import { docsPageStyle } from "./docs-page.css.ts";
import { anchor, codeBlock, type Html, html, prose, trusted } from "./docs-page.markup.ts";
import {
  commonErrorRows,
  type Entry,
  entriesOf,
  methodBadge,
  operationAnchor,
  renderErrorRows,
  renderOperation,
} from "./docs-page.operation.ts";
import { docsPageScript } from "./docs-page.script.ts";

/**
 * The Content-Security-Policy the page is served with: its own script by hash, and requests to the same origin only.
 */
export function docsPageCsp(): string {
  const hash = createHash("sha256").update(docsPageScript).digest("base64");
  return [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `script-src 'sha256-${hash}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** A dot with two arcs; inline, because an icon file would be one more request. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='none' stroke='%230f766e' " +
  "stroke-width='4' stroke-linecap='round'%3E%3Ccircle cx='8' cy='24' r='3' fill='%230f766e'/%3E" +
  "%3Cpath d='M8 13a11 11 0 0 1 11 11M8 4a20 20 0 0 1 20 20'/%3E%3C/svg%3E";

type Group = { name: string; description: string; id: string; entries: Entry[] };

function groupsOf(document: OpenApiDocument): Group[] {
  const entries = entriesOf(document);
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    id: anchor("tag", name),
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

export function renderDocsPage(document: OpenApiDocument): string {
  const groups = groupsOf(document);
  const { title, version, description } = document.info;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API ${version}</title>
<meta name="description" content="${description}">
<link rel="icon" href="${icon}">
<style>${trusted(docsPageStyle)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="#content">${brandMark} ${title} <span>API ${version}</span></a>
<button type="button" id="menu" aria-expanded="false" aria-controls="navigation" hidden>Menu</button>
</header>
${navigation(groups)}
<main id="content" tabindex="-1">
${introduction(document)}
${groups.map(
  ({ name, description: about, id, entries }) => html`<section class="tag" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${name}</h2><p class="lead">${prose(about)}</p>
${entries.map((entry) => renderOperation(document, entry))}
</section>`,
)}
</main>
<script>${trusted(docsPageScript)}</script>
</body>
</html>
`.html;
}

const brandMark = trusted(
  '<svg viewBox="0 0 32 32" aria-hidden="true"><circle cx="8" cy="24" r="3"/><path d="M8 13a11 11 0 0 1 11 11M8 4a20 20 0 0 1 20 20"/></svg>',
);

const chapters = ["Authentication", "Idempotency", "Paging", "Errors", "Rate limits"];

const navigation = (groups: Group[]): Html => html`<nav id="navigation" aria-label="Operations">
<div class="tools" hidden>
<label for="search" class="hidden">Filter operations</label>
<input type="search" id="search" placeholder="Filter operations" autocomplete="off" spellcheck="false">
<p id="found" class="hidden" role="status"></p>
</div>
<div class="group"><p class="heading" id="nav-basics">Basics</p><ul aria-labelledby="nav-basics">${chapters.map(
  (name) => html`<li><a href="#${anchor("basics", name)}">${name}</a></li>`,
)}</ul></div>
${groups.map(
  ({ name, id, entries }) =>
    html`<div class="group"><p class="heading" id="nav-${id}"><a href="#${id}">${name}</a></p><ul aria-labelledby="nav-${id}">${entries.map(
      (entry) =>
        html`<li><a href="#${operationAnchor(entry)}" data-search="${searchText(entry)}">${methodBadge(entry.method)}<span>${entry.operation.summary}</span></a></li>`,
    )}</ul></div>`,
)}
</nav>`;

const searchText = ({ method, path, operation }: Entry): string =>
  `${method} ${path} ${operation.operationId} ${operation.summary}`.toLowerCase();

const chapter = (name: string, body: Html): Html =>
  html`<section id="${anchor("basics", name)}" class="chapter"><h2>${name}</h2>${body}</section>`;

const introduction = (document: OpenApiDocument): Html => html`<section class="intro">
<h1>${document.info.title} API</h1>
<p class="lead">${prose(document.info.description)}</p>
<p>Requests and responses are JSON in UTF-8. Times are ISO 8601 in UTC. Absent values are omitted; <code>null</code> appears only where a field allows it, and in a request it clears that field. The machine-readable description is at <a href="openapi.json"><code>openapi.json</code></a>, an OpenAPI ${document.openapi} document.</p>
${chapter(
  "Authentication",
  html`<p>Requests from your servers carry an API key, which belongs to a single environment. Requests from an inbox in a browser carry its session token: <code>Authorization: Bearer &lt;token&gt;</code>.</p>
${codeBlock("Header", "Authorization: ApiKey <key>")}
<form id="key-form" class="key" hidden><label for="key">API key for “Try it” on this page</label>
<input id="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-note">
<p id="key-note">Kept in this browser tab until you close it, and sent only to this service.</p></form>`,
)}
${chapter(
  "Idempotency",
  html`<p>Send an <code>idempotency-key</code> header (up to 255 characters) with a POST, PUT, PATCH or DELETE request to make it safe to retry: for 24 hours, the same key with the same request returns the stored response, marked <code>Idempotency-Replay: true</code>. The same key with a different request returns 422; while the first request is still running, the response is 409 with <code>Retry-After</code>.</p>`,
)}
${chapter(
  "Paging",
  html`<p>Cursor lists accept <code>limit</code> with <code>after</code> or <code>before</code>, and return <code>next</code> and <code>previous</code>: pass <code>next</code> as <code>after</code> until it is <code>null</code>. Page lists accept <code>page</code>, which starts at 0, and <code>limit</code>, and return <code>hasMore</code>. Counts stop at 50,000.</p><p>Repeat a query parameter to pass a list: <code>?tags=a&amp;tags=b</code>.</p>`,
)}
${chapter(
  "Errors",
  html`<p>Every response outside 2xx has the same body. Programs should check <code>code</code>, which is stable; <code>message</code> is for people to read.</p>
${codeBlock("Error body", JSON.stringify(errorExample, null, 2))}
<p>A 422 adds <code>errors</code>, a map from field path to problems. A 500 adds <code>errorId</code>, which also appears in the log.</p>
<h3 id="common-errors">Errors any operation can return</h3>${renderErrorRows(commonErrorRows(document))}`,
)}
${chapter(
  "Rate limits",
  html`<p>Each environment has a token bucket per category; an operation names its category, and a bulk operation costs more than one token. Every response to a valid key reports your usage in <code>RateLimit-Limit</code>, <code>RateLimit-Remaining</code>, <code>RateLimit-Reset</code> and <code>RateLimit-Policy</code>. A 429 returns the number of seconds to wait in <code>Retry-After</code>.</p>`,
)}
</section>`;

const errorExample = {
  statusCode: 404,
  timestamp: "2026-01-01T09:30:00.000Z",
  path: "/v2/subscribers/ada",
  message: "Subscriber with id ada not found",
  code: "SUBSCRIBER_NOT_FOUND",
  ctx: { subscriberId: "ada" },
};

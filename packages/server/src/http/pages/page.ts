// What pages that people see have in common, wherever they come from: one file, no script, nothing from outside. Their addresses
// carry the authority to change something, so they are kept out of caches, referrers and search engines.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { failure } from "../../failure.ts";
import { type Html, html, trusted } from "../docs/docs-page.markup.ts";
import { errorAnswer } from "../errors.ts";
import type { RateLimiter } from "../rate-limit.ts";
import { pageStyle } from "./page.css.ts";

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
};

export type Page = { status: number; html: string };

export const page = (html: string, status = 200): Page => ({ status, html });

export const sendPage = (reply: FastifyReply, { status, html }: Page): FastifyReply =>
  reply.code(status).headers(pageHeaders).serializer(String).send(html);

/** Somewhere else, as carefully as a page: the address that leads there stays behind. */
export const sendElsewhere = (reply: FastifyReply, url: string): FastifyReply =>
  reply.headers(pageHeaders).redirect(url, 303);

export const frame = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${trusted(pageStyle)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.html;

/** A page that says one thing; with `link`, the way to the page of this address. */
export const renderNotice = (title: string, text: string, link?: string): string =>
  frame(
    title,
    html`<h1>${title}</h1>
<p class="lead">${text}</p>
${link !== undefined && html`<p><a href="">${link}</a></p>`}`,
  );

/** Title and text of a page. */
export type Words = [title: string, text: string];

const faults: Record<number, Words> = {
  429: ["Too many requests", "Please try again in a moment. Nothing was changed."],
  503: ["Back in a moment", "The service is not available right now. Please try again. Nothing was changed."],
};
const ours: Words = ["Something went wrong", "This is our fault. Please try again later."];

/** Errors of this scope are pages, in words of its own or in those above; what is in neither is a fault of ours. */
export function wordFaults(scope: FastifyInstance, own: Record<number, Words> = {}): void {
  scope.setErrorHandler((error, request, reply) => {
    const { status, headers } = errorAnswer(error, request);
    return sendPage(reply.headers(headers), page(renderNotice(...(own[status] ?? faults[status] ?? ours)), status));
  });
}

/**
 * Pages have a bucket for each environment, apart from that of its API, and one for all addresses that are made up.
 * `environmentOf` reads the environment off the address.
 */
export const countPage =
  (limiter: RateLimiter, environmentOf: (request: FastifyRequest) => string | undefined) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const verdict = limiter.take(`page:${environmentOf(request) ?? ""}`, "global", 1);
    reply.headers(verdict.headers);
    if (!verdict.isAllowed) throw failure("RATE_LIMITED", {});
  };

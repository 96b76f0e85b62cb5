// Shared parts of the pages for people: one document, no script, no external resource. The token in the address of a
// page authorises changes, so the address is kept out of caches, referrers and search engines.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type RateLimiter, takeTokens } from "../auth/rate-limit.ts";
import { type Html, html, trusted } from "../docs/docs-page.markup.ts";
import { errorAnswer } from "../errors.ts";
import { pageStyle } from "./page.css.ts";

const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": contentPolicy,
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
};

/** `imageSources`: origins that it may load images from; none unless given. */
export type Page = { status: number; html: string; imageSources?: string[] };

export const page = (html: string, status = 200): Page => ({ status, html });

export function sendPage(reply: FastifyReply, { status, html, imageSources = [] }: Page): FastifyReply {
  reply.code(status).headers(pageHeaders);
  if (imageSources.length > 0)
    reply.header("content-security-policy", `${contentPolicy}; img-src ${imageSources.join(" ")}`);
  return reply.serializer(String).send(html);
}

/** A redirect with the headers of a page: the target does not learn the address with the token. */
export const sendRedirect = (reply: FastifyReply, url: string): FastifyReply =>
  reply.headers(pageHeaders).redirect(url, 303);

/** The language that a page is written in, with its own footer. */
type Language = { lang: string; dir: "ltr" | "rtl"; own?: { footer?: string } };

const english: Language = { lang: "en", dir: "ltr" };

export const frame = (title: string, body: Html, { lang, dir, own }: Language = english): string =>
  html`<!doctype html>
<html lang="${lang}" dir="${dir}">
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
${own?.footer !== undefined && html`<footer class="note own">${own.footer}</footer>`}
</main>
</body>
</html>
`.html;

/** What a notice has below its text: a form, and the text of a link to the page under the same address. */
type NoticeParts = { language?: Language; form?: Html; link?: string };

/** A page with one message. */
export const renderNotice = (title: string, text: string, { language, form, link }: NoticeParts = {}): string =>
  frame(
    title,
    html`<h1>${title}</h1>
<p class="lead">${text}</p>
${form}
${link !== undefined && html`<p><a href="">${link}</a></p>`}`,
    language,
  );

/** Title and text of a page. */
export type Notice = [title: string, text: string];

const faults: Record<number, Notice> = {
  429: ["Too many requests", "Please try again in a moment. Nothing was changed."],
  503: ["Back in a moment", "The service is unavailable right now. Please try again. Nothing was changed."],
};
const internalFault: Notice = ["Something went wrong", "This is a problem on our side. Please try again later."];

/** Renders the errors of this scope as pages, by status: from `own`, from those above, or as an internal error. */
export function renderErrorsAsPages(scope: FastifyInstance, own: Record<number, Notice> = {}): void {
  scope.setErrorHandler((error, request, reply) => {
    const { status, headers } = errorAnswer(error, request);
    return sendPage(
      reply.headers(headers),
      page(renderNotice(...(own[status] ?? faults[status] ?? internalFault)), status),
    );
  });
}

/**
 * The rate limit of pages: a bucket for each environment, apart from the one of its API, and one for all forged
 * addresses. `environmentOf` reads the environment from the address.
 */
export const limitPageRate =
  (limiter: RateLimiter, environmentOf: (request: FastifyRequest) => string | undefined) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    takeTokens(limiter, reply, { owner: `page:${environmentOf(request) ?? ""}`, category: "global", cost: 1 });
  };

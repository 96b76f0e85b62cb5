// The page behind the unsubscribe link of a mail, and the one-click request of mail clients (RFC 8058). A GET changes
// nothing, because mail scanners follow links. The token in the address is the only authorisation, without cookie or
// key, so forms of other origins need no protection, and the address is kept out of caches, referrers and search
// engines.
import { isChannel, type OwnLimitsPatch } from "@tidings/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { readFormValue } from "../../app/attention/own-limits.ts";
import { saveSubmittedLimits } from "../../app/subscribers/subscriber-attention.ts";
import * as unsubscribe from "../../app/subscribers/unsubscribe.ts";
import type { Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { base62ToId, idToBase62 } from "../../lib/ids.ts";
import { readUnsubscribeToken, type UnsubscribeTarget } from "../../lib/tokens/unsubscribe-token.ts";
import { inRepeatableTransaction } from "../../store/db.ts";
import type { RateLimiter } from "../auth/rate-limit.ts";
import { FormError, parseForm, readBoundary } from "../request/multipart.ts";
import { brandPage } from "./branded-page.ts";
import { limitPageRate, type Notice, type Page, page, renderErrorsAsPages, renderNotice, sendPage } from "./page.ts";
import {
  categoryPrefix,
  fields,
  frequencyPrefix,
  limitPrefix,
  type PageNotice,
  renderPreferences,
  undoForm,
} from "./preference-page.markup.ts";
import { acceptedLocales, fill, type PageLanguage, pageLanguage } from "./words/words.ts";

const preferencePagePath = "/u/:token";

/** Twice the size of the largest form that a page has. */
const bodyLimit = 64 * 1024;

const faults: Record<number, Notice> = {
  400: ["This could not be read", "The form was not received correctly. Please go back and try again."],
  413: ["This could not be read", "The form is too large."],
  415: ["This could not be read", "The form has an unsupported content type."],
};

export function addPreferencePage(server: FastifyInstance, ctx: Ctx, limiter: RateLimiter): void {
  server.register(async (scope) => {
    acceptFormBodies(scope);
    renderErrorsAsPages(scope, faults);
    const targetOf = (request: FastifyRequest) =>
      readUnsubscribeToken(ctx.secrets, (request.params as { token: string }).token);

    scope.route({
      method: ["GET", "POST"],
      url: preferencePagePath,
      bodyLimit,
      onRequest: limitPageRate(limiter, (request) => targetOf(request)?.environmentId),
      handler: async (request, reply) => {
        const accepted = acceptedLocales(request.headers["accept-language"]);
        const target = targetOf(request);
        if (!target) return sendPage(reply, unknownLinkPage(pageLanguage(accepted)));
        const { brand, texts } = await unsubscribe.findPageLook(ctx, target);
        const languageOf: LanguageOf = (subscriber) => pageLanguage([subscriber?.locale, ...accepted], texts);
        const send = (shown: Page) => sendPage(reply, brandPage(shown, brand));
        if (request.method !== "POST") return send(await showPreferences(ctx, target, languageOf));
        const form = (request.body as URLSearchParams | undefined) ?? new URLSearchParams();
        return send(
          await inRepeatableTransaction(ctx.db, (tx) =>
            changePreferences({ ...ctx, db: tx }, target, form, languageOf),
          ),
        );
      },
    });
  });
}

function unknownLinkPage(language: PageLanguage): Page {
  const { badLink, badLinkText } = language.words;
  return page(renderNotice(badLink, badLinkText, { language }), 404);
}

function unknownSubscriberPage(language: PageLanguage): Page {
  const { gone, goneText } = language.words;
  return page(renderNotice(gone, goneText, { language }));
}

/** A person who has no locale with words reads the language of the browser, if it has words. */
type LanguageOf = (subscriber: { locale: string | null } | null) => PageLanguage;

async function showPreferences(ctx: Ctx, target: UnsubscribeTarget, languageOf: LanguageOf): Promise<Page> {
  const subscriber = await unsubscribe.findOwner(ctx, target);
  if (!subscriber) return unknownSubscriberPage(languageOf(null));
  const shown = await unsubscribe.viewPage(ctx, subscriber, target.workflowId);
  return page(renderPreferences(shown, languageOf(subscriber)));
}

async function changePreferences(
  ctx: Ctx,
  target: UnsubscribeTarget,
  form: URLSearchParams,
  languageOf: LanguageOf,
): Promise<Page> {
  const { workflowId } = target;
  const subscriber = await unsubscribe.findOwner(ctx, target);
  if (!subscriber) return unknownSubscriberPage(languageOf(null));
  const language = languageOf(subscriber);
  const { words } = language;
  if (form.get(fields.oneClick)?.toLowerCase() === "one-click") {
    return unsubscribedPage(await unsubscribe.unsubscribe(ctx, subscriber, target), language);
  }
  const show = async (notice: PageNotice): Promise<Page> =>
    page(renderPreferences(await unsubscribe.viewPage(ctx, subscriber, workflowId), language, notice));
  if (form.get(fields.stop) === "all") {
    const was = await unsubscribe.unsubscribeFromAll(ctx, subscriber);
    return was.length === 0 ? show({ text: words.unchanged }) : show({ text: words.stoppedAll, undo: was.map(toWas) });
  }
  const was = form.getAll(fields.was).slice(0, maxUndone).flatMap(readWas);
  if (was.length > 0) {
    await unsubscribe.restore(ctx, subscriber, was);
    return show({ text: words.undone });
  }
  const edits = readEdits(form);
  if (edits.length === 0) return page(renderNotice(...faults[400]!), 400);
  const isSaved = await unsubscribe.save(ctx, subscriber, edits);
  const isLimited = await saveSubmittedLimits(ctx, subscriber, readLimits(form));
  return show({ text: isSaved || isLimited ? words.saved : words.unchanged });
}

function unsubscribedPage({ kind, workflowName, was }: unsubscribe.Unsubscribed, language: PageLanguage): Page {
  const { words } = language;
  const more = { language, link: words.viewAll };
  if (kind === "critical") {
    const text = fill(words.fixedText, { name: workflowName ?? "" });
    return page(renderNotice(words.fixed, text, more), 400);
  }
  const text =
    workflowName === undefined ? words.unsubscribedThese : fill(words.unsubscribedText, { name: workflowName });
  const form = was.length > 0 ? undoForm(was.map(toWas), words) : undefined;
  return page(renderNotice(words.unsubscribed, text, { ...more, form }));
}

/** Choices that one form brings back: twice as many as a page has. */
const maxUndone = 3_000;

const keyOf = (id: string | null): string => (id === null ? fields.everything : idToBase62(id));
const idOf = (key: string): string | null | undefined =>
  key === fields.everything ? null : (base62ToId(key) ?? undefined);

const toWas = ({ id, channel, enabled }: unsubscribe.EarlierChoice): string =>
  `${keyOf(id)}:${channel}:${enabled === null ? "" : Number(enabled)}`;

function readWas(value: string): unsubscribe.EarlierChoice[] {
  const [key = "", channel = "", before = ""] = value.split(":");
  const id = idOf(key);
  if (id === undefined || !isChannel(channel)) return [];
  return [{ id, channel, enabled: before === "" ? null : before === "1" }];
}

function readEdits(form: URLSearchParams): unsubscribe.Edit[] {
  return form.getAll(fields.shown).flatMap((value): unsubscribe.Edit[] => {
    const [key = "", shown = "", frequency = ""] = value.split(":");
    const id = idOf(key.startsWith(categoryPrefix) ? key.slice(categoryPrefix.length) : key);
    if (id === undefined) return [];
    const often = form.get(`${frequencyPrefix}${key}`);
    return [
      {
        id,
        shown: shown.split(",").filter(isChannel),
        wanted: form.getAll(key).filter(isChannel),
        frequency: often === null || often === frequency ? undefined : often,
      },
    ];
  });
}

/** Limits that differ from those that the page showed. */
function readLimits(form: URLSearchParams): OwnLimitsPatch {
  const limits: OwnLimitsPatch = {};
  for (const value of form.getAll(fields.limits)) {
    const [channel = "", shown] = value.split(":");
    const wanted = form.get(`${limitPrefix}${channel}`);
    if (isChannel(channel) && wanted !== null && wanted !== shown) limits[channel] = readFormValue(wanted);
  }
  return limits;
}

/** RFC 8058 lets mail clients choose between the two encodings of forms. */
function acceptFormBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, new URLSearchParams(body as string)),
  );
  scope.addContentTypeParser("multipart/form-data", { parseAs: "buffer" }, (request, body, done) => {
    try {
      const parts = parseForm(body as Buffer, readBoundary(request.headers["content-type"] ?? ""));
      done(null, new URLSearchParams(parts.map(({ name, bytes }): [string, string] => [name, bytes.toString("utf8")])));
    } catch (error) {
      done(error instanceof FormError ? failure("MALFORMED_FORM", { reason: error.message }) : (error as Error));
    }
  });
}

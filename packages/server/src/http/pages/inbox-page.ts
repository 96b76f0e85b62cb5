// The page /inbox for developers who try Tidings: the inbox of one subscriber of the Development environment, twice,
// with a button that sends the example workflow to it. It is served together with the API reference (TIDINGS_DOCS) and
// needs no separate setting: both are for the same reader, and an operator who shows neither turns one setting off.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { demoSubscriberId, findDemoCaller, sendWelcome } from "../../app/environments/demo.ts";
import { hasInboxPage } from "../../config.ts";
import type { Ctx } from "../../context.ts";
import { failure } from "../../failure.ts";
import { hintAfter } from "../../lib/inbox-hints.ts";
import { networkOf } from "../../lib/networks/addresses.ts";
import { inRepeatableTransaction } from "../../store/db.ts";
import { type RateLimiter, takeTokens } from "../auth/rate-limit.ts";
import { openBuiltFiles } from "../built-files.ts";
import { addressOf } from "./base-path.ts";
import { inboxPageCsp, renderInboxPage } from "./inbox-page.markup.ts";

const inboxPagePath = "/inbox";
const welcomePath = "/inbox/welcome";

export function addInboxPage(server: FastifyInstance, ctx: Ctx, limiter: RateLimiter): void {
  if (!hasInboxPage(ctx.config)) return;
  const requireCaller = async (request: FastifyRequest) => {
    const caller = await findDemoCaller(ctx);
    if (!caller) throw failure("ROUTE_NOT_FOUND", { method: request.method, path: inboxPagePath });
    return caller;
  };

  const packageFile = openBuiltFiles("inbox")?.entryOf("package.json");

  server.get(inboxPagePath, async (request, reply) => {
    const { environmentIdentifier } = await requireCaller(request);
    // Relative, so that the page works below the path of a proxy that says nothing about it.
    const script = request.url.split("?")[0]!.endsWith("/") ? "demo.js" : "inbox/demo.js";
    return reply
      .headers({
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": inboxPageCsp(),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-robots-tag": "noindex",
      })
      .send(
        renderInboxPage({
          origin: addressOf(ctx.config.publicUrl, request),
          script,
          packageFile,
          applicationIdentifier: environmentIdentifier,
          subscriberId: demoSubscriberId,
        }),
      );
  });

  server.post(welcomePath, async (request, reply) => {
    refuseOtherOrigins(request);
    const owner = `page:inbox ${networkOf(request.ip)}`;
    takeTokens(limiter, reply, { owner, category: "inbox", cost: 5 });
    const caller = await requireCaller(request);
    const { transactionId } = await hintAfter(ctx.hints, (hints) =>
      inRepeatableTransaction(ctx.db, (tx) => sendWelcome({ ...ctx, db: tx, hints }, caller)),
    );
    return reply.code(201).send({ transactionId });
  });
}

/** The button of the page, and no page of another origin. Browsers send one of the two headers with every POST. */
function refuseOtherOrigins({ headers, host }: FastifyRequest): void {
  const { origin } = headers;
  const isSame = origin === undefined ? headers["sec-fetch-site"] === "same-origin" : URL.parse(origin)?.host === host;
  if (!isSame) throw failure("ORIGIN_NOT_ALLOWED", { origin: (origin ?? "").slice(0, 200) });
}

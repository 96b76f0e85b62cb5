// The two addresses of a sign-in with OpenID Connect: one sends the browser to the issuer, the other receives it again.
// Between them an encrypted cookie keeps state, nonce and PKCE verifier, so that only the browser that began a sign-in
// can finish it.
import type { FastifyInstance } from "fastify";
import { createOidc, type OidcResult, oidcCallbackPath, oidcStateSeconds } from "../../app/members/oidc.ts";
import type { NetworkCtx } from "../../context.ts";
import { networkOf } from "../../lib/networks/addresses.ts";
import { isSecure, readCookie, setCookie, setSessionCookie } from "../auth/cookies.ts";
import { sourceOf } from "../auth/member-sessions.ts";
import { type RateLimiter, takeTokens } from "../auth/rate-limit.ts";
import { type Notice, page, renderErrorsAsPages, renderNotice, sendPage, sendRedirect } from "./page.ts";

const oidcStartPath = "/v1/auth/oidc/start";

const stateCookie = "tidings_oidc";

const unreachable: Notice = ["The issuer cannot be reached", "Please try again, or sign in with your password."];

type Refusal = Exclude<OidcResult, { kind: "signed-in" }>;

function noticeOf(result: Refusal): { status: number; notice: Notice } {
  switch (result.kind) {
    case "expired":
      return { status: 400, notice: ["Please sign in again", "This sign-in was begun too long ago, or elsewhere."] };
    case "refused":
      return { status: 400, notice: ["You were not signed in", `The issuer did not confirm it (${result.reason}).`] };
    case "unverified":
      return { status: 403, notice: ["You were not signed in", "The issuer has not verified your email address."] };
    case "unreachable":
      return { status: 502, notice: unreachable };
    case "unusable":
      return {
        status: 403,
        notice: [
          "You were not signed in",
          "The issuer gave an email address or an account id that cannot be used here.",
        ],
      };
    case "not-invited":
      return {
        status: 403,
        notice: ["You are not invited", `Ask an owner of this installation to invite ${result.email.slice(0, 320)}.`],
      };
  }
}

/** Nothing is served where no issuer is configured. */
export function addOidcPages(server: FastifyInstance, ctx: NetworkCtx, rates: RateLimiter): void {
  if (!ctx.config.dashboard || !ctx.config.oidc) return;
  const oidc = createOidc(ctx);
  const { publicUrl } = ctx.config;
  server.register(async (scope) => {
    renderErrorsAsPages(scope);
    scope.addHook("onRequest", async (request, reply) => {
      takeTokens(rates, reply, { owner: `address:${networkOf(request.ip)}`, category: "inbox", cost: 1 });
    });
    const logUnreachable = (reason: string) =>
      ctx.log.warn({ reason }, "the issuer of OpenID Connect could not be reached");
    scope.route({
      method: "GET",
      url: oidcStartPath,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const started = await oidc.start().catch((error: Error) => void logUnreachable(error.message));
        if (!started) return sendPage(reply, page(renderNotice(...unreachable), 502));
        const cookie = { name: stateCookie, value: started.cookie, seconds: oidcStateSeconds };
        setCookie(reply, ctx.config, { isSecure: isSecure(ctx.config, request) }, cookie);
        return sendRedirect(reply, started.address);
      },
    });
    scope.route({
      method: "GET",
      url: oidcCallbackPath,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const query = request.url.slice(request.url.indexOf("?"));
        const cookie = readCookie(request, stateCookie);
        const source = sourceOf(ctx, request);
        const result = await oidc.finish(query, cookie, source);
        // A state is used once, whatever comes of it.
        setCookie(reply, ctx.config, source, { name: stateCookie, value: "", seconds: 0 });
        if (result.kind === "unreachable") logUnreachable(result.reason);
        if (result.kind === "signed-in") {
          setSessionCookie(reply, ctx.config, source, result.cookie);
          return sendRedirect(reply, `${publicUrl}/`);
        }
        const { status, notice } = noticeOf(result);
        return sendPage(reply, page(renderNotice(...notice), status));
      },
    });
  });
}

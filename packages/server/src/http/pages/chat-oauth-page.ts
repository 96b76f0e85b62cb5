// The OAuth callback page, to which chat providers redirect people. It says that the workspace is connected, or why
// not. The signed state in the address is the only authorisation, like the token of the preference page.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { chatOauthCallbackPath, readState } from "../../app/integrations/chat-oauth.ts";
import { finish, type OauthResult } from "../../app/integrations/chat-oauth-callback.ts";
import type { NetworkCtx } from "../../context.ts";
import type { RateLimiter } from "../auth/rate-limit.ts";
import { limitPageRate, type Notice, page, renderErrorsAsPages, renderNotice, sendPage, sendRedirect } from "./page.ts";

type Outcome = { status: number; notice: Notice };

const askForNewLink = "Please ask for a new link where you found this one.";

type FinalResult = Exclude<OauthResult, { kind: "onward" }>;

const outcomes: { [Kind in FinalResult["kind"]]: (result: Extract<FinalResult, { kind: Kind }>) => Outcome } = {
  connected: ({ provider, workspace }) => ({
    status: 200,
    notice: [
      `${provider} is connected`,
      `${workspace ? `Notifications can now be sent to “${workspace}”.` : "Notifications can now be sent there."} You can close this page.`,
    ],
  }),
  declined: ({ provider }) => ({
    status: 400,
    notice: [`${provider} was not connected`, "You did not agree, so nothing was changed. You can close this page."],
  }),
  refused: ({ provider, word }) => ({
    status: 400,
    notice: [
      `${provider} was not connected`,
      `${provider} did not accept this${word ? ` (${word.slice(0, 100)})` : ""}, so nothing was changed. ${askForNewLink}`,
    ],
  }),
  unreachable: ({ provider }) => ({
    status: 502,
    notice: [
      `${provider} is not ready yet`,
      `${provider} did not respond, or has not processed your decision yet. Nothing was changed. Please reload this page in a minute.`,
    ],
  }),
  unknown: () => ({
    status: 400,
    notice: ["This link does not work", `It is incomplete or invalid. ${askForNewLink}`],
  }),
  expired: () => ({
    status: 410,
    notice: ["This link has expired", `Links are valid for 10 minutes. Nothing was changed. ${askForNewLink}`],
  }),
  used: () => ({
    status: 410,
    notice: [
      "This link has already been used",
      "It works only once, and its connection was created. You can close this page.",
    ],
  }),
  "integration-gone": () => ({
    status: 404,
    notice: [
      "There is nothing left to connect",
      "The integration has been removed since you got this link. Nothing was changed.",
    ],
  }),
  "subscriber-gone": () => ({
    status: 404,
    notice: [
      "This subscriber no longer exists",
      "The connection was for a subscriber who has been removed. Nothing was changed.",
    ],
  }),
  "connected-otherwise": () => ({
    status: 409,
    notice: [
      "A connection already exists",
      `This link would have created a second one with another name. Nothing was changed. ${askForNewLink}`,
    ],
  }),
  "not-connected": () => ({
    status: 409,
    notice: [
      "This workspace is not connected",
      "The account belongs to a workspace or organisation that must be connected first. Nothing was changed.",
    ],
  }),
  taken: () => ({
    status: 409,
    notice: [
      "This connection is in use",
      `Another subscriber or channel uses a connection with this name. Nothing was changed. ${askForNewLink}`,
    ],
  }),
};

const outcomeOf = (result: FinalResult): Outcome => (outcomes[result.kind] as (result: FinalResult) => Outcome)(result);

export function addChatOauthPage(server: FastifyInstance, ctx: NetworkCtx, limiter: RateLimiter): void {
  server.register(async (scope) => {
    renderErrorsAsPages(scope);
    scope.route({
      method: "GET",
      url: chatOauthCallbackPath,
      exposeHeadRoute: false,
      onRequest: limitPageRate(limiter, (request) => {
        const { state = "" } = callbackParams(request);
        return readState(ctx.secrets, state, ctx.now())?.state.environmentId;
      }),
      handler: async (request, reply) => {
        const result = await finish(ctx, callbackParams(request));
        if (result.kind === "onward") return sendRedirect(reply, result.address);
        if (result.kind === "connected" && result.redirectUrl) return sendRedirect(reply, result.redirectUrl);
        const { status, notice } = outcomeOf(result);
        return sendPage(reply, page(renderNotice(...notice), status));
      },
    });
  });
}

/** Repeated parameters are dropped: providers send each of them once. */
const callbackParams = ({ query }: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query as Record<string, unknown>).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );

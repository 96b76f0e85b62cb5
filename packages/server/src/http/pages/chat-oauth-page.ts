// Where chat providers send people back to, and what they read there: that the workspace is connected, or why it is not. The
// state in the address is the only authority, as the token of the preference page is.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { chatOauthCallbackPath, readState } from "../../app/integrations/chat-oauth.ts";
import { finish, type OauthResult } from "../../app/integrations/chat-oauth-callback.ts";
import type { OutsideCtx } from "../../context.ts";
import type { RateLimiter } from "../rate-limit.ts";
import { countPage, page, renderNotice, sendElsewhere, sendPage, type Words, wordFaults } from "./page.ts";

type Told = { status: number; words: Words };

const again = "Please ask for a new link where you found this one.";

type Ended = Exclude<OauthResult, { kind: "onward" }>;

const told: { [Kind in Ended["kind"]]: (result: Extract<Ended, { kind: Kind }>) => Told } = {
  connected: ({ provider, workspace }) => ({
    status: 200,
    words: [
      `${provider} is connected`,
      `${workspace ? `Notifications can now be sent to “${workspace}”.` : "Notifications can now be sent there."} You can close this page.`,
    ],
  }),
  declined: ({ provider }) => ({
    status: 400,
    words: [`${provider} was not connected`, "You did not agree, so nothing was changed. You can close this page."],
  }),
  refused: ({ provider, word }) => ({
    status: 400,
    words: [
      `${provider} was not connected`,
      `${provider} did not accept this${word ? ` (${word.slice(0, 100)})` : ""}, so nothing was changed. ${again}`,
    ],
  }),
  unreachable: ({ provider }) => ({
    status: 502,
    words: [
      `${provider} is not ready yet`,
      `${provider} did not answer, or has not heard of your decision everywhere yet. Nothing was changed. Please reload this page in a minute.`,
    ],
  }),
  unknown: () => ({
    status: 400,
    words: ["This link does not work", `It is not complete, or not one of ours. ${again}`],
  }),
  expired: () => ({
    status: 410,
    words: ["This link is too old", `It worked for 10 minutes. Nothing was changed. ${again}`],
  }),
  used: () => ({
    status: 410,
    words: ["This link was used", "It works once, and the connection it stands for was made. You can close this page."],
  }),
  "integration-gone": () => ({
    status: 404,
    words: [
      "There is nothing to connect any more",
      "Who asked you to connect this has removed it meanwhile. Nothing was changed.",
    ],
  }),
  "subscriber-gone": () => ({
    status: 404,
    words: [
      "There is nobody to connect any more",
      "The person this was meant for is not known here. Nothing was changed.",
    ],
  }),
  "connected-otherwise": () => ({
    status: 409,
    words: [
      "There is a connection already",
      `This was meant to make a second one under another name. Nothing was changed. ${again}`,
    ],
  }),
  taken: () => ({
    status: 409,
    words: [
      "This connection belongs to somebody else",
      `Its name is in use for another purpose. Nothing was changed. ${again}`,
    ],
  }),
};

const wordsFor = (result: Ended): Told => (told[result.kind] as (result: Ended) => Told)(result);

export function addChatOauthPage(server: FastifyInstance, ctx: OutsideCtx, limiter: RateLimiter): void {
  server.register(async (scope) => {
    wordFaults(scope);
    scope.route({
      method: "GET",
      url: chatOauthCallbackPath,
      exposeHeadRoute: false,
      onRequest: countPage(limiter, (request) => {
        const { state = "" } = broughtBy(request);
        return readState(ctx.secrets, state, ctx.now())?.state.environmentId;
      }),
      handler: async (request, reply) => {
        const result = await finish(ctx, broughtBy(request));
        if (result.kind === "onward") return sendElsewhere(reply, result.address);
        if (result.kind === "connected" && result.redirectUrl) return sendElsewhere(reply, result.redirectUrl);
        const { status, words } = wordsFor(result);
        return sendPage(reply, page(renderNotice(...words), status));
      },
    });
  });
}

/** A parameter that comes twice counts as none: providers write each of them once. */
const broughtBy = ({ query }: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query as Record<string, unknown>).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );

// Serves the dashboard: its page under every path that it shows a screen for, and its built files. The paths are listed, so that
// an unknown path of the API stays a 404 with the error body of the API.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";
import { failure } from "../../failure.ts";
import { type BuiltFiles, mayChange, neverChanges, openBuiltFiles } from "../built-files.ts";
import { basePathOf } from "../pages/base-path.ts";
import { readSessionCookie } from "../people/cookies.ts";
import { framePage, framePageCsp, indexPageCsp, renderIndexPage } from "./index-page.ts";

const signInScreen = "sign-in/sign-in-screen.tsx";

/**
 * The paths of the dashboard, each with the source of its screen (packages/dashboard/src/screens), which the page loads beside the
 * entry.
 */
const screens: Record<string, string> = {
  "/": "home/home-screen.tsx",
  "/sign-in": signInScreen,
  "/activity": "activity/activity-screen.tsx",
  "/activity/*": "activity/run-screen.tsx",
  "/workflows": "workflows/workflows-screen.tsx",
  "/workflows/*": "workflows/editor/editor-screen.tsx",
  "/people": "people/people-screen.tsx",
  "/people/*": "people/person-screen.tsx",
  "/integrations": "integrations/integrations-screen.tsx",
  "/integrations/*": "integrations/integration-screen.tsx",
  "/topics": "audience/audience-screen.tsx",
  "/topics/*": "audience/topic-screen.tsx",
  "/imports": "audience/audience-screen.tsx",
  "/imports/*": "imports/import-screen.tsx",
  "/webhooks": "webhooks/webhooks-screen.tsx",
  "/webhooks/*": "webhooks/webhook-screen.tsx",
  "/mailbox": "mailbox/mailbox-screen.tsx",
  "/mailbox/*": "mailbox/mailbox-screen.tsx",
  "/dead-letters": "dead-letters/dead-letters-screen.tsx",
  "/dead-letters/*": "dead-letters/group-screen.tsx",
  "/clock": "clock/clock-screen.tsx",
  "/clock/*": "clock/clock-screen.tsx",
  "/layouts": "layouts/layouts-screen.tsx",
  "/layouts/*": "layouts/layout-screen.tsx",
  "/translations": "translations/translations-screen.tsx",
  "/translations/*": "translations/group-screen.tsx",
  "/suppressions": "audience/audience-screen.tsx",
  "/suppressions/*": "audience/audience-screen.tsx",
  "/statistics": "statistics/statistics-screen.tsx",
  "/statistics/*": "statistics/statistics-screen.tsx",
  "/environments": "environments/environments-screen.tsx",
  "/environments/*": "environments/environments-screen.tsx",
  "/settings": "settings/settings-screen.tsx",
  "/settings/*": "settings/settings-screen.tsx",
};

/** The paths of the dashboard, where this service has one. */
export const dashboardPathsOf = ({ dashboard }: Config): string[] =>
  dashboard ? Object.keys(screens).filter((path) => !path.endsWith("*")) : [];

/** The page around html of others, and whether it may load remote content. */
const framePaths = { "/dashboard/frame": false, "/dashboard/frame/remote": true };
const filesPath = "/dashboard/*";
/** The licences of what is bundled: the one file whose name has no hash. */
const noticesFile = "NOTICE.txt";

export function addDashboard(server: FastifyInstance, config: Config): void {
  const files = config.dashboard ? openBuiltFiles("dashboard") : null;
  if (!files) return;
  for (const [path, screen] of Object.entries(screens)) {
    server.get(path, async (request, reply) => {
      // A program that asks for JSON has a wrong path: those of the API begin with a version.
      if (!acceptsPage(request.headers.accept)) {
        throw failure("ROUTE_NOT_FOUND", { method: request.method, path: request.url.split("?")[0]! });
      }
      return sendIndexPage(files, config, screen, request, reply);
    });
  }
  for (const [path, allowsRemote] of Object.entries(framePaths)) {
    const policy = framePageCsp({ allowsRemote });
    server.get(path, async (_request, reply) =>
      reply
        .headers({ "content-type": "text/html; charset=utf-8", "content-security-policy": policy })
        .serializer(String)
        .send(framePage),
    );
  }
  server.get<{ Params: { "*": string } }>(filesPath, async (request, reply) => {
    const name = request.params["*"];
    if (!files.find(name)) throw failure("ROUTE_NOT_FOUND", { method: request.method, path: request.url });
    return files.send(request, reply, name, name === noticesFile ? mayChange : neverChanges);
  });
}

const htmlRanges = ["text/html", "text/*", "*/*"];

/** Whether the header `Accept` allows an HTML page. The range that fits best counts, and `q=0` excludes it. */
export function acceptsPage(accept: string | undefined): boolean {
  if (accept === undefined) return true;
  const ranges = accept
    .toLowerCase()
    .split(",")
    .map((range) => range.split(";").map((part) => part.trim()));
  const best = htmlRanges.map((name) => ranges.find(([type]) => type === name)).find((range) => range !== undefined);
  return best !== undefined && !best.slice(1).some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
}

function sendIndexPage(
  files: BuiltFiles,
  config: Config,
  screen: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const page = renderIndexPage(files, {
    base: basePathOf(config.publicUrl, request),
    theme: themeOf(request.headers.cookie),
    screen,
    // The screen for signing in does not ask who is signed in; an answer kept for later would be that from before the sign-in.
    asksForSession: screen !== signInScreen && readSessionCookie(config, request) !== undefined,
  });
  return reply
    .headers({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": indexPageCsp,
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin",
      vary: "accept, cookie, x-forwarded-prefix",
    })
    .serializer(String)
    .send(page);
}

const themeOf = (cookie = ""): "light" | "dark" | null =>
  (/(?:^|;\s*)tidings_theme=(light|dark)(?:;|$)/.exec(cookie)?.[1] ?? null) as "light" | "dark" | null;

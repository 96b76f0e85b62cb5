// Serves the dashboard: its page under every path that it shows a screen for, and its built files. An unknown path of
// the API stays a 404 with the error body of the API.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";
import { failure } from "../../failure.ts";
import { readSessionCookie } from "../auth/cookies.ts";
import { mayChange, neverChanges, openBuiltFiles } from "../built-files.ts";
import { basePathOf } from "../pages/base-path.ts";
import { framePage, framePageCsp, indexPageCsp, renderIndexPage } from "./index-page.ts";
import { readScreens } from "./screens.ts";

/** Paths that screens had before, which bookmarks and old mails still hold. */
const movedPaths = { "/people": "subscribers" };

/** The paths of the dashboard, where this service has one. */
export function dashboardPathsOf({ dashboard }: Config): string[] {
  const files = dashboard ? openBuiltFiles("dashboard") : null;
  return files ? readScreens(files).sections : [];
}

/** The page around HTML of others, and whether it may load remote content. */
const framePaths = { "/dashboard/frame": false, "/dashboard/frame/remote": true };
const filesPath = "/dashboard/*";
/** The licences of what is bundled: the one file whose name has no hash. */
const noticesFile = "NOTICE.txt";

export function addDashboard(server: FastifyInstance, config: Config): void {
  const files = config.dashboard ? openBuiltFiles("dashboard") : null;
  if (!files) return;
  const screens = readScreens(files);
  for (const path of screens.sections.flatMap((section) => (section === "/" ? [section] : [section, `${section}/*`]))) {
    server.get(path, async (request, reply) => {
      requirePageRequest(request);
      const asked = pathOf(request);
      const page = renderIndexPage(files, {
        base: basePathOf(config.publicUrl, request),
        theme: themeOf(request.headers.cookie),
        screen: screens.fileAt(asked),
        // The screen for signing in does not read the session; a response kept for later would be that from before the
        // sign-in.
        asksForSession: asked !== "/sign-in" && readSessionCookie(config, request) !== undefined,
      });
      return sendIndexPage(page, reply);
    });
  }
  for (const [path, target] of Object.entries(movedPaths)) {
    for (const pattern of [path, `${path}/*`]) {
      server.get(pattern, async (request, reply) => {
        requirePageRequest(request);
        return reply.redirect(basePathOf(config.publicUrl, request) + target + request.url.slice(path.length), 301);
      });
    }
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

/** A program that asks for JSON has a wrong path: API paths begin with a version. */
function requirePageRequest(request: FastifyRequest): void {
  if (!acceptsPage(request.headers.accept))
    throw failure("ROUTE_NOT_FOUND", { method: request.method, path: pathOf(request) });
}

const pathOf = ({ url }: FastifyRequest): string => url.split("?")[0]!;

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

function sendIndexPage(page: string, reply: FastifyReply): FastifyReply {
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

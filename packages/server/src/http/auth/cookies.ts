// Cookies of members: the session, and the state of a sign-in with OpenID Connect.
import type { FastifyRequest } from "fastify";
import { sessionSeconds } from "../../app/members/sessions.ts";
import type { Config } from "../../config.ts";

/** The first value of a name. Values are base64url and dots, so nothing has to be decoded. */
export function readCookie({ headers }: Pick<FastifyRequest, "headers">, name: string): string | undefined {
  for (const part of (headers.cookie ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim() || undefined;
  }
  return undefined;
}

type Cookie = { name: string; value: string; seconds: number };

const pathOf = (publicUrl: string): string => (publicUrl ? new URL(publicUrl).pathname : "/");

/**
 * Behind a proxy, `protocol` is https only where TIDINGS_TRUSTED_PROXIES names the proxy; otherwise the public URL
 * decides.
 */
export const isSecure = ({ publicUrl }: Config, { protocol }: Pick<FastifyRequest, "protocol">): boolean =>
  protocol === "https" || publicUrl.startsWith("https:");

/**
 * The prefix `__Host-` keeps pages of sibling domains from planting a cookie; browsers accept it with Secure and the
 * path `/` only.
 */
const nameOfSession = ({ publicUrl }: Config, isSecure: boolean): string =>
  isSecure && pathOf(publicUrl) === "/" ? "__Host-tidings_session" : "tidings_session";

export const readSessionCookie = (
  config: Config,
  request: Pick<FastifyRequest, "headers" | "protocol">,
): string | undefined => readCookie(request, nameOfSession(config, isSecure(config, request)));

/** HttpOnly: pages cannot read it. SameSite=Lax: other sites' pages send it only when they link here. */
type Reply = { header(name: string, value: string): unknown };

type Browser = { isSecure: boolean };

export function setCookie(reply: Reply, { publicUrl }: Config, browser: Browser, cookie: Cookie): void {
  const { name, value, seconds } = cookie;
  const parts = [`${name}=${value}`, `Path=${pathOf(publicUrl)}`, `Max-Age=${seconds}`, "HttpOnly", "SameSite=Lax"];
  if (browser.isSecure) parts.push("Secure");
  reply.header("set-cookie", parts.join("; "));
}

/** Null ends the session in the browser. */
export function setSessionCookie(reply: Reply, config: Config, browser: Browser, value: string | null): void {
  const name = nameOfSession(config, browser.isSecure);
  setCookie(reply, config, browser, { name, value: value ?? "", seconds: value === null ? 0 : sessionSeconds });
}

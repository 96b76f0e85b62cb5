// Cookies of people: the session, and the state of a sign-in with OpenID Connect.
import type { FastifyRequest } from "fastify";
import { sessionSeconds } from "../../app/people/sessions.ts";
import type { Config } from "../../config.ts";

export const sessionCookie = "tidings_session";

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

/** HttpOnly: pages cannot read it. SameSite=Lax: other sites' pages send it only when they link here. */
type Reply = { header(name: string, value: string): unknown };

export function setCookie(reply: Reply, { publicUrl }: Config, { name, value, seconds }: Cookie): void {
  const parts = [`${name}=${value}`, `Path=${pathOf(publicUrl)}`, `Max-Age=${seconds}`, "HttpOnly", "SameSite=Lax"];
  if (publicUrl.startsWith("https:")) parts.push("Secure");
  reply.header("set-cookie", parts.join("; "));
}

/** Null ends the session in the browser. */
export const setSessionCookie = (reply: Reply, config: Config, value: string | null): void =>
  setCookie(reply, config, { name: sessionCookie, value: value ?? "", seconds: value === null ? 0 : sessionSeconds });

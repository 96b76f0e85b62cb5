// A real OpenID Connect issuer (oidc-provider) with its development login pages, and a browser that fills them in.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "@tidings/testkit/at-end";
import Provider from "oidc-provider";

export const clientId = "tidings";
export const clientSecret = "a secret of the client";

type Claims = { email: string; email_verified: boolean; name?: string };

/** `accounts`: what the issuer says of each login. */
export async function startIssuer(redirectUri: string, accounts: Record<string, Claims>) {
  let codes = 0;
  let isForging = false;
  const server = createServer((request, response) => {
    if (request.url === "/token") {
      codes++;
      if (isForging) forgeSignature(response);
      isForging = false;
    }
    provider.callback()(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    cookies: { keys: ["a key of the test"] },
    pkce: { required: () => true },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    findAccount: async (_ctx: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...accounts[sub] }) }),
  });
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url,
    /** How often a code was exchanged, or tried to be. */
    countCodes: () => codes,
    /** The next ID token is not signed with the key of the issuer. */
    forgeNext: () => {
      isForging = true;
    },
  };
}

/** Replaces the signature of the ID token in a response with one of the same length. */
function forgeSignature(response: ServerResponse): void {
  const end = response.end.bind(response);
  response.end = ((body: unknown) => {
    const { id_token: token, ...others } = JSON.parse(String(body)) as { id_token: string };
    const [head, claims, signature] = token.split(".");
    const forged = randomBytes(Buffer.from(signature!, "base64url").length).toString("base64url");
    return end(JSON.stringify({ ...others, id_token: `${head}.${claims}.${forged}` }));
  }) as typeof response.end;
}

/**
 * Follows the issuer's pages from the address of the service's redirect to its callback, which is returned unvisited.
 */
export async function signInAtIssuer(address: string, login: string, callback: string): Promise<URL> {
  const jar = new Map<string, string>();
  const send = async (url: string, form?: Record<string, string>): Promise<string> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie, ...(form && { "content-type": "application/x-www-form-urlencoded" }) },
      ...(form && { method: "POST", body: new URLSearchParams(form).toString() }),
    });
    await response.text();
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === "") jar.delete(name!);
      else jar.set(name!, value!);
    }
    const location = response.headers.get("location");
    assert.ok(location, `${response.status} at ${url}`);
    return new URL(location, url).href;
  };
  let at = await send(address);
  const forms: Record<string, string>[] = [{ prompt: "login", login, password: "any" }, { prompt: "consent" }];
  for (const form of forms) {
    if (at.startsWith(callback)) break;
    at = await send(await send(at, form));
  }
  assert.ok(at.startsWith(callback), at);
  return new URL(at);
}

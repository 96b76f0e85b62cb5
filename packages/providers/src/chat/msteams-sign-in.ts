// Which organisation a person belongs to, proved by signing in at Microsoft (OpenID Connect with a code). The nonce
// ties the proof to one state, and so to one request for a connection: a code that was issued for another request is
// refused.
// https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc
// https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference

import { createHash } from "node:crypto";
import type { JSONWebKeySet } from "jose";
import type { Io } from "../kit/io.ts";
import { loadJose } from "../kit/libraries.ts";
import { withQuery } from "../kit/oauth.ts";
import { rejected, retry, SendError } from "../kit/outcome.ts";
import { describeReply, textAt } from "../kit/reply.ts";
import { get, post } from "../kit/request.ts";
import { fetchToken, retryUnknown } from "../kit/token.ts";

export const login = "https://login.microsoftonline.com";

/** Work accounts of any organisation; personal accounts belong to none. */
const authority = `${login}/organizations`;

export function isTenant(id: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id);
}

const nonceOf = (state: string): string => createHash("sha256").update(state).digest("base64url");

/** The id of the person is among the claims only with the scope `profile`. */
type Scope = "openid" | "openid profile";

type Asked = {
  redirectUri: string;
  state: string;
  scope?: Scope;
};

export function signInUrl({ clientId, redirectUri, state, scope = "openid" }: Asked & { clientId: string }): string {
  return withQuery(`${authority}/oauth2/v2.0/authorize`, {
    client_id: clientId,
    response_type: "code",
    response_mode: "query",
    scope,
    redirect_uri: redirectUri,
    state,
    nonce: nonceOf(state),
  });
}

/** The organisation of the person who signed in, and their id in it. */
export async function verifySignIn(
  io: Io,
  { clientId, secretKey }: { clientId: string; secretKey: string },
  { code, redirectUri, state, scope = "openid" }: Asked & { code: string },
): Promise<{ tenant: string; personId: string | undefined }> {
  const form = {
    grant_type: "authorization_code",
    client_id: clientId,
    client_secret: secretKey,
    code,
    redirect_uri: redirectUri,
    scope,
  };
  const request = post(`${authority}/oauth2/v2.0/token`, { form });
  const { value: token } = await fetchToken(io, request, { at: ["id_token"] });
  const keys = await retryUnknown(io.http(get(`${authority}/discovery/v2.0/keys`)));
  if (keys.status !== 200) throw new SendError(retry(`The keys of Microsoft cannot be read: ${describeReply(keys)}`));
  const { createLocalJWKSet, decodeJwt, jwtVerify } = loadJose();
  try {
    const tenant = String(decodeJwt(token).tid ?? "");
    if (!isTenant(tenant)) throw new Error("it names no organisation");
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys.json as JSONWebKeySet), {
      algorithms: ["RS256"],
      issuer: `${login}/${tenant}/v2.0`,
      audience: clientId,
      currentDate: io.now(),
      requiredClaims: ["exp", "nonce", "tid"],
    });
    if (textAt(payload, "nonce") !== nonceOf(state)) throw new Error("it was made for another request");
    return { tenant, personId: textAt(payload, "oid") };
  } catch (error) {
    const reason = `Microsoft's proof of the sign-in is not valid: ${(error as Error).message}`;
    throw new SendError(rejected("auth", reason));
  }
}

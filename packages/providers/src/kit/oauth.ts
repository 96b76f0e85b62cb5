// Connecting a chat workspace by OAuth: the page at which a person grants access, and the exchange of the code that
// comes back for a token. The adapter knows the provider's side; the caller checks who may connect and stores the
// result.

import type { Io } from "./io.ts";

export type OauthRequest = {
  scopes: readonly string[];
  /** The callback address to which the provider redirects the person. */
  redirectUri: string;
  /** Returned unchanged with the callback. */
  state: string;
};

/** The query parameters of the OAuth callback. */
export type CallbackParams = Readonly<Record<string, string | undefined>>;

/** What the provider granted to the integration. */
export type Access = {
  workspace: { id: string; name?: string; botUserId?: string };
  auth: { accessToken: string; refreshToken?: string; expiresAt?: string };
  /** The channel that was chosen while granting, when a webhook was requested. */
  webhook?: { url: string; channel?: string };
  /** The person who granted it, where the provider says who that was. */
  personId?: string;
};

/** Who a person is at the provider. */
export type Person = { id: string; workspaceId: string };

export type Oauth<V> = {
  /** Credentials that must be set before a person can be redirected to the provider. */
  readonly needs: readonly (keyof V & string)[];
  /** The scopes that sending requires. */
  readonly scopes: readonly string[];
  authorizationUrl(request: OauthRequest, credentials: V): string;
  /** The access, or a second page to redirect the person to first. Refusals are thrown as SendError. */
  connect(callback: CallbackParams, redirectUri: string, credentials: V, io: Io): Promise<Access | NextPage>;
  /** The page at which a person only shows who they are, and the exchange of the code that comes back. */
  readonly person: {
    readonly scopes: readonly string[];
    authorizationUrl(request: OauthRequest, credentials: V): string;
    identify(callback: CallbackParams, redirectUri: string, credentials: V, io: Io): Promise<Person>;
  };
};

/** A second page of the provider for the same person; it redirects to the same callback with the same state. */
type NextPage = {
  next: string;
};

/** `isTemporary`: the provider was not reached or is not ready, so a retry may succeed. */
type Failure = { ok: false; reason: string; isTemporary: boolean };

export type ConnectionResult = { ok: true; access: Access } | ({ ok: true } & NextPage) | Failure;
export type PersonResult = { ok: true; person: Person } | Failure;

/** The address with these query parameters. */
export function withQuery(address: string, parameters: Record<string, string>): string {
  return `${address}?${new URLSearchParams(parameters)}`;
}

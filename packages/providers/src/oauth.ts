// Giving an integration leave to write to a workspace: where the person who may give it is sent, and what comes of what
// they bring back. The way there and back belongs to the provider; who may ask, and where the result is kept, to the caller.

import type { Io } from "./provider.ts";

export interface OauthRequest {
  scopes: readonly string[];
  /** Where the provider sends people back to. */
  redirectUri: string;
  /** Comes back unchanged. */
  state: string;
}

/** The query with which a person came back. */
export type Brought = Readonly<Record<string, string | undefined>>;

/** What an integration may do from now on. */
export interface Access {
  workspace: { id: string; name?: string; botUserId?: string };
  auth: { accessToken: string; refreshToken?: string; expiresAt?: string };
  /** The channel that was picked on the way, when a webhook was asked for. */
  webhook?: { url: string; channel?: string };
}

export interface Oauth<V> {
  /** Credentials without which nobody can be sent there. */
  readonly needs: readonly (keyof V & string)[];
  /** What sending needs. */
  readonly scopes: readonly string[];
  address(request: OauthRequest, credentials: V): string;
  /** The access, or where the person has to go next before there is any. Refusals are thrown as SendFault. */
  connect(brought: Brought, redirectUri: string, credentials: V, io: Io): Promise<Access | Onward>;
}

/** A second question of the provider's to the same person; they come back to the same place with the same state. */
export interface Onward {
  next: string;
}

export type Connected =
  | { ok: true; access: Access }
  | ({ ok: true } & Onward)
  /** `isPassing`: the provider was not reached or is not ready, and the same again may succeed. */
  | { ok: false; reason: string; isPassing: boolean };

/** An address with these parameters. */
export const withQuery = (address: string, parameters: Record<string, string>): string =>
  `${address}?${new URLSearchParams(parameters)}`;

// People who sign in, as a browser does: with a cookie, a CSRF token and the header that names an environment.
import assert from "node:assert/strict";
import type { OperationId, Role, SignedIn } from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import { exchange, type Reply } from "@tidings/testkit/http";

type Target = { url: string; firstLink?: string | null; fetch?: typeof globalThis.fetch };

export const password = "correct horse battery";

export type Browser = {
  cookie: string;
  session: SignedIn;
  /** The headers of a request in an environment: the first one, unless another is named. */
  headers(environmentId?: string): Record<string, string>;
  /** Calls an operation in that environment. Headers given replace those of the browser; undefined removes one. */
  call(id: OperationId, input?: RawInput, environmentId?: string): Promise<Reply>;
};

export const tokenOf = (link: string): string => /#token=(.+)$/.exec(link)![1]!;

export const cookieOf = (reply: Reply): string => reply.headers.get("set-cookie")?.split(";")[0] ?? "";

let visits = 0;

type Visited = Target & { apiKey: string };
const visited = new WeakMap<Target, Visited>();

/** The same object for the same target: it has one client. */
function withoutKey(target: Target): Visited {
  const known = visited.get(target) ?? { ...target, apiKey: "" };
  visited.set(target, known);
  return known;
}

/**
 * A call without any credentials. Attempts to sign in are limited per address: a service that trusts this machine as a
 * proxy sees another address with every call.
 */
export const visit = (target: Target, id: OperationId, input: RawInput = {}): Promise<Reply> => {
  const forwarded = { "x-forwarded-for": `2001:db8:${(++visits).toString(16)}::1` };
  const headers = { authorization: undefined, ...forwarded, ...input.headers };
  return exchange(withoutKey(target), id, { ...input, headers });
};

export function browserOf(target: Target, reply: Reply): Browser {
  assert.equal(reply.status, 200, reply.text);
  const cookie = cookieOf(reply);
  const { data: session } = reply.body as { data: SignedIn };
  const headers = (environmentId = session.environments[0]!._id) => ({
    cookie,
    "x-csrf-token": session.csrfToken,
    "x-tidings-environment": environmentId,
  });
  return {
    cookie,
    session,
    headers,
    call: (id, input = {}, environmentId) =>
      visit(target, id, { ...input, headers: { ...headers(environmentId), ...input.headers } }),
  };
}

/** The first person, by the link of the banner. */
export async function signInOwner(target: Target, email = "owner@example.com"): Promise<Browser> {
  const token = tokenOf(target.firstLink!);
  return browserOf(
    target,
    await visit(target, "auth.redeemLink", { body: { token, name: "Olga Owner", email, password } }),
  );
}

/** An additional person, invited by an owner. */
export async function invite(target: Target, owner: Browser, role: Role, email = `${role}@example.com`) {
  const invitation = await owner.call("people.createInvitation", { body: { email, role } });
  assert.equal(invitation.status, 201, invitation.text);
  const { link } = (invitation.body as { data: { link: string } }).data;
  return browserOf(
    target,
    await visit(target, "auth.redeemLink", { body: { token: tokenOf(link), name: `The ${role}`, password } }),
  );
}

export const signIn = async (target: Target, email: string, secret = password): Promise<Reply> =>
  visit(target, "auth.signIn", { body: { email, password: secret } });

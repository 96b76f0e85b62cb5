// Sign-in with OpenID Connect, against a real issuer.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SignedIn } from "@tidings/contract";
import { errorOf, type Reply, request } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { signInOwner, visit } from "./browsers.ts";
import { clientId, clientSecret, signInAtIssuer, startIssuer } from "./issuer.ts";

const publicUrl = "http://localhost:4999/notify";
const callback = `${publicUrl}/v1/auth/oidc/callback`;
const verified = (email: string, name?: string) => ({ email, email_verified: true, name });
const issuer = await startIssuer(callback, {
  owner: verified("OWNER@example.com", "Olga"),
  impostor: verified("owner@example.com"),
  invited: verified("invited@example.net", "Ivo Invited"),
  colleague: verified("new@Example.org"),
  stranger: verified("stranger@example.net"),
  kim: verified("kim@example.net", "Kim"),
  lookAlike: verified("\u212a\u0130m@example.net"),
  twoSigns: verified("x@evil.example@example.org"),
  long: verified(`${"x".repeat(5_000)}@example.org`),
  hidden: verified("bell\u0007@example.org"),
  named: verified("named@example.org", "Na\u0000med\u0007"),
  unverified: { email: "careless@example.org", email_verified: false },
});
const settings = {
  TIDINGS_ROLE: "api",
  TIDINGS_PUBLIC_URL: publicUrl,
  TIDINGS_OIDC_ISSUER: issuer.url,
  TIDINGS_OIDC_CLIENT_ID: clientId,
  TIDINGS_OIDC_CLIENT_SECRET: clientSecret,
  TIDINGS_OIDC_NAME: "Example",
  TIDINGS_OIDC_DOMAINS: "example.org",
  TIDINGS_OIDC_ROLE: "support",
};
const service = await startTestService(settings);
const owner = await signInOwner(service);

const cookiesOf = (reply: Reply) => reply.headers.getSetCookie();
const cookieNamed = (reply: Reply, name: string) =>
  cookiesOf(reply)
    .find((line) => line.startsWith(`${name}=`))
    ?.split(";")[0];

async function begin() {
  const reply = await request(service, "/v1/auth/oidc/start");
  assert.equal(reply.status, 303, reply.text);
  return { address: reply.headers.get("location")!, cookie: cookieNamed(reply, "tidings_oidc")!, reply };
}

const comeBack = ({ search }: URL, cookie: string | undefined) =>
  request(service, `/v1/auth/oidc/callback${search}`, { headers: cookie === undefined ? {} : { cookie } });

async function signInAs(login: string): Promise<Reply> {
  const { address, cookie } = await begin();
  return comeBack(await signInAtIssuer(address, login, callback), cookie);
}

async function sessionOf(reply: Reply): Promise<SignedIn> {
  assert.equal(reply.status, 303, reply.text);
  assert.equal(reply.headers.get("location"), `${publicUrl}/`);
  const cookie = cookieNamed(reply, "tidings_session")!;
  const { body } = await visit(service, "auth.retrieveSession", { headers: { cookie } });
  return (body as { data: SignedIn }).data;
}

test("the page is told of the issuer, and sends the browser there with PKCE, state and nonce", async () => {
  const { body } = await visit(service, "auth.methods");
  assert.deepEqual(body, { data: { oidc: { name: "Example" }, isFirstStart: false } });
  const { address, reply } = await begin();
  const url = new URL(address);
  assert.equal(url.origin, issuer.url);
  const query = Object.fromEntries(url.searchParams);
  assert.equal(query.code_challenge_method, "S256");
  for (const name of ["code_challenge", "state", "nonce"]) assert.ok(query[name]!.length >= 43, name);
  assert.equal(query.redirect_uri, callback);
  const line = cookiesOf(reply)[0]!;
  assert.match(line, /^tidings_oidc=v1\.[\w-]+; Path=\/notify; Max-Age=600; HttpOnly; SameSite=Lax$/);
  for (const secret of [query.state!, query.nonce!]) assert.ok(!line.includes(secret));
});

test("a person with the same verified address signs in, and from then on by the subject", async () => {
  for (const _ of [1, 2]) {
    const { person, signIn } = await sessionOf(await signInAs("owner"));
    assert.deepEqual([person._id, person.role], [owner.session.person._id, "owner"]);
    assert.deepEqual(signIn, { password: true, oidc: { name: "Example" } });
  }
});

test("another account of the issuer with that address does not get in", async () => {
  const reply = await signInAs("impostor");
  assert.equal(reply.status, 403);
  assert.match(reply.text, /You are not invited/);
  assert.equal(cookieNamed(reply, "tidings_session"), undefined);
});

test("an invitation is enough, and is used up", async () => {
  const body = { email: "Invited@example.net", role: "editor" };
  assert.equal((await owner.call("people.createInvitation", { body })).status, 201);
  const { person } = await sessionOf(await signInAs("invited"));
  assert.deepEqual(
    [person.name, person.email, person.role, person.hasPassword],
    ["Ivo Invited", "invited@example.net", "editor", false],
  );
  assert.deepEqual((await owner.call("people.listInvitations")).body, { data: [] });
});

test("a domain of the settings is enough, with the role of the settings", async () => {
  const { person } = await sessionOf(await signInAs("colleague"));
  assert.deepEqual([person.email, person.role], ["new@Example.org", "support"]);
});

test("a name with control characters is cleaned", async () => {
  const { person } = await sessionOf(await signInAs("named"));
  assert.equal(person.name, "Na med");
});

for (const login of ["stranger", "unverified", "twoSigns", "long", "hidden"]) {
  test(`${login}: no session, no person`, async () => {
    const people = async () => (await owner.call("people.list")).text;
    const before = await people();
    const reply = await signInAs(login);
    assert.equal(reply.status, 403);
    assert.equal(cookieNamed(reply, "tidings_session"), undefined);
    assert.equal(await people(), before);
  });
}

test("an address that only looks like that of a person is not the person's", async () => {
  const body = { email: "kim@example.net", role: "owner" };
  assert.equal((await owner.call("people.createInvitation", { body })).status, 201);
  assert.equal((await signInAs("lookAlike")).status, 403);
  const { person } = await sessionOf(await signInAs("kim"));
  assert.deepEqual([person.email, person.role], ["kim@example.net", "owner"]);
  assert.equal((await signInAs("lookAlike")).status, 403);
});

test("a first password needs a sign-in of the last ten minutes", async () => {
  const reply = await signInAs("colleague");
  const cookie = cookieNamed(reply, "tidings_session")!;
  const { csrfToken, person } = await sessionOf(reply);
  const set = () =>
    visit(service, "auth.updatePerson", {
      body: { password: "a password of my own" },
      headers: { cookie, "x-csrf-token": csrfToken },
    });
  const age = (minutes: number) =>
    service.db
      .updateTable("person_sessions")
      .set({ created_at: new Date(Date.now() - minutes * 60_000) })
      .where("user_id", "=", person._id)
      .execute();
  await age(11);
  errorOf(await set(), "RECENT_SIGN_IN_REQUIRED");
  await age(9);
  assert.equal((await set()).status, 200);
});

test("a callback without the cookie of this browser, with another one, or a second time is refused", async () => {
  const mine = await begin();
  const other = await begin();
  const back = await signInAtIssuer(mine.address, "owner", callback);
  for (const cookie of [undefined, "tidings_oidc=forged", other.cookie]) {
    const reply = await comeBack(back, cookie);
    assert.equal(reply.status, 400, reply.text);
    assert.equal(cookieNamed(reply, "tidings_session"), undefined);
  }
  const wrongState = new URL(back);
  wrongState.searchParams.set("state", "x".repeat(43));
  assert.equal((await comeBack(wrongState, mine.cookie)).status, 400);
  await sessionOf(await comeBack(back, mine.cookie));
  const codes = issuer.countCodes();
  const again = await comeBack(back, mine.cookie);
  assert.deepEqual(
    [again.status, issuer.countCodes()],
    [400, codes],
    "a state works once, whatever the issuer would say",
  );
  assert.match(again.text, /Please sign in again/);
});

test("an ID token with another signature is refused", async () => {
  const { address, cookie } = await begin();
  const back = await signInAtIssuer(address, "owner", callback);
  issuer.forgeNext();
  const reply = await comeBack(back, cookie);
  assert.equal(reply.status, 400, reply.text);
  assert.equal(cookieNamed(reply, "tidings_session"), undefined);
});

test("an issuer in a network that is not allowed is not called", async () => {
  const guarded = await startTestService({ ...settings, TIDINGS_ALLOW_NETWORKS: "10.0.0.0/8" });
  const reply = await request(guarded, "/v1/auth/oidc/start");
  assert.equal(reply.status, 502);
  assert.match(reply.text, /The issuer cannot be reached/);
});

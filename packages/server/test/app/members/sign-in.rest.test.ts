// People sign in: the first link, passwords, sessions, CSRF, and the environment that a request names.
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf, request } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { browserOf, cookieOf, invite, password, signIn, signInOwner, tokenOf, visit } from "./browsers.ts";

const service = await startTestService({ TIDINGS_ROLE: "api", TIDINGS_TRUSTED_PROXIES: "127.0.0.1" });
const other = await startTestService({ TIDINGS_ROLE: "api" });

test("before the first sign-in, the page is told so, and no account opens", async () => {
  const { body } = await visit(other, "auth.methods");
  assert.deepEqual(body, { data: { oidc: null, isFirstStart: true } });
  errorOf(await signIn(other, "owner@example.com"), "SIGN_IN_FAILED");
  errorOf(await visit(other, "auth.retrieveSession"), "SIGN_IN_REQUIRED");
});

test("a link says what it is for, and asks for what is missing without being used up", async () => {
  const token = tokenOf(other.firstLink!);
  assert.match(
    other.firstLink!,
    new RegExp(`^${other.url.replace("127.0.0.1", "localhost")}/sign-in#token=[\\w-]{43}$`),
  );
  const check = await visit(other, "auth.checkLink", { body: { token } });
  assert.deepEqual(check.body, { data: { kind: "first", email: null, name: null, role: "owner" } });
  const missing = errorOf(await visit(other, "auth.redeemLink", { body: { token } }), "VALIDATION_ERROR");
  assert.deepEqual(Object.keys(missing.errors!).sort(), ["email", "name", "password"]);
  const body = { token, name: "Olga", email: "o@example.com", password: "too short" };
  const short = errorOf(await visit(other, "auth.redeemLink", { body }), "VALIDATION_ERROR");
  assert.deepEqual(Object.keys(short.errors!), ["password"]);
  errorOf(await visit(other, "auth.checkLink", { body: { token: "x".repeat(43) } }), "LINK_NOT_VALID");
});

const owner = await signInOwner(service);

test("the first link makes an owner, works once, and only its hash is stored", async () => {
  const { session } = owner;
  const { _id, ...person } = session.person;
  assert.deepEqual(person, { name: "Olga Owner", email: "owner@example.com", role: "owner", hasPassword: true });
  assert.deepEqual(
    session.environments.map(({ identifier, type }) => [identifier, type]),
    [
      ["development", "dev"],
      ["production", "prod"],
    ],
  );
  const body = { token: tokenOf(service.firstLink!), name: "Eve", email: "eve@example.com", password };
  errorOf(await visit(service, "auth.redeemLink", { body }), "LINK_NOT_VALID");
  assert.deepEqual((await visit(service, "auth.methods")).body, { data: { oidc: null, isFirstStart: false } });
  const [row] = await service.db.selectFrom("users").where("id", "=", _id).selectAll().execute();
  assert.match(row!.password_hash!, /^scrypt\$1024\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  const secret = Buffer.from(owner.cookie.split("=")[1]!.split(".")[0]!, "base64url").toString();
  const sessions = JSON.stringify(await service.db.selectFrom("person_sessions").selectAll().execute());
  assert.ok(!sessions.includes(secret) && !sessions.includes(Buffer.from(secret).toString("hex")));
});

test("a sign-in sets a cookie that pages cannot read, and a new session every time", async () => {
  const first = await signIn(service, " Owner@Example.com ".trim());
  const second = await visit(service, "auth.signIn", {
    body: { email: "owner@example.com", password },
    headers: { cookie: cookieOf(first) },
  });
  const planted = await visit(service, "auth.signIn", {
    body: { email: "owner@example.com", password },
    headers: { cookie: "tidings_session=planted" },
  });
  assert.match(
    first.headers.get("set-cookie")!,
    /^tidings_session=[\w.-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
  );
  const cookies = [owner.cookie, ...[first, second, planted].map(cookieOf)];
  assert.equal(new Set(cookies).size, 4, "no session is taken over by a sign-in");
  // The browser has forgotten the first session, so it has ended.
  for (const cookie of ["tidings_session=planted", cookieOf(first)])
    errorOf(await visit(service, "auth.retrieveSession", { headers: { cookie } }), "SIGN_IN_REQUIRED");
  assert.equal((await visit(service, "auth.retrieveSession", { headers: { cookie: cookieOf(second) } })).status, 200);
});

const refusals: [string, string, string][] = [
  ["a wrong password", "owner@example.com", "wrong horse battery"],
  ["an unknown address", "unknown@example.com", password],
];

for (const [name, email, secret] of refusals) {
  test(`${name} is refused with the same words`, async () => {
    const reply = await signIn(service, email, secret);
    const { message } = errorOf(reply, "SIGN_IN_FAILED");
    assert.equal(message, "Email or password is wrong");
    assert.equal(reply.headers.get("set-cookie"), null);
    assert.equal(reply.headers.get("www-authenticate"), "Session");
  });
}

test("a session acts in the environment that the request names, and in no other", async () => {
  const [development, production] = owner.session.environments;
  const body = { subscriberId: "ada" };
  assert.equal((await owner.call("subscribers.create", { body }, development!._id)).status, 201);
  const input = { params: { subscriberId: "ada" } };
  assert.equal((await owner.call("subscribers.retrieve", input, development!._id)).status, 200);
  errorOf(await owner.call("subscribers.retrieve", input, production!._id), "SUBSCRIBER_NOT_FOUND");
  const headers = { "x-tidings-environment": undefined };
  errorOf(await owner.call("subscribers.retrieve", { ...input, headers }), "ENVIRONMENT_HEADER_MISSING");
  for (const id of ["development", "no-such", "0190a5a0-0000-7000-8000-000000000000"])
    errorOf(await owner.call("subscribers.retrieve", input, id), "ENVIRONMENT_NOT_FOUND");
});

const forged: [string, string | undefined][] = [
  ["without a token", undefined],
  ["with an empty token", ""],
  ["with another token", "A".repeat(43)],
];

for (const [name, token] of forged) {
  test(`a write ${name} is refused as forged, and changes nothing`, async () => {
    const headers = { "x-csrf-token": token };
    const body = { subscriberId: "forged" };
    errorOf(await owner.call("subscribers.create", { body, headers }), "CSRF_TOKEN_WRONG");
    errorOf(await owner.call("auth.signOut", { headers }), "CSRF_TOKEN_WRONG");
    errorOf(
      await owner.call("people.createInvitation", { body: { email: "e@example.com", role: "owner" }, headers }),
      "CSRF_TOKEN_WRONG",
    );
    errorOf(await owner.call("subscribers.retrieve", { params: { subscriberId: "forged" } }), "SUBSCRIBER_NOT_FOUND");
    assert.equal((await owner.call("subscribers.list", { headers })).status, 200, "a GET needs none");
  });
}

test("the token of another session is not the token of this one", async () => {
  const second = browserOf(service, await signIn(service, "owner@example.com"));
  const headers = { "x-csrf-token": second.session.csrfToken };
  errorOf(await owner.call("auth.signOut", { headers }), "CSRF_TOKEN_WRONG");
});

test("without a session there is no way in; an API key needs no cookie and wins over one", async () => {
  const environment = owner.headers()["x-tidings-environment"]!;
  errorOf(
    await visit(service, "subscribers.list", { headers: { "x-tidings-environment": environment } }),
    "SIGN_IN_REQUIRED",
  );
  errorOf(await visit(service, "subscribers.list"), "MISSING_AUTHORIZATION");
  const authorization = `ApiKey ${service.apiKey}`;
  const headers = { authorization, "x-csrf-token": undefined, "x-tidings-environment": undefined };
  assert.equal((await owner.call("subscribers.create", { body: { subscriberId: "by-key" }, headers })).status, 201);
  errorOf(await owner.call("subscribers.list", { headers: { authorization: "ApiKey wrong" } }), "API_KEY_NOT_FOUND");
  errorOf(await owner.call("people.list", { headers: { authorization, cookie: undefined } }), "SIGN_IN_REQUIRED");
});

test("sessions of another installation are refused", async () => {
  const theirs = await signInOwner(other);
  assert.equal((await theirs.call("auth.retrieveSession")).status, 200);
  for (const id of ["auth.retrieveSession", "people.list", "subscribers.list"] as const)
    errorOf(await visit(service, id, { headers: theirs.headers() }), "SIGN_IN_REQUIRED");
});

test("sign-out ends one session, sign-out everywhere all of them, and a new password all others", async () => {
  const person = await invite(service, owner, "viewer", "leaver@example.com");
  const again = async (secret = password) => browserOf(service, await signIn(service, "leaver@example.com", secret));
  const [second, third] = [await again(), await again()];
  const out = await second.call("auth.signOut");
  assert.equal(out.status, 204);
  assert.match(out.headers.get("set-cookie")!, /^tidings_session=; Path=\/; Max-Age=0;/);
  errorOf(await second.call("auth.retrieveSession"), "SIGN_IN_REQUIRED");

  const change = { password: "another good password", currentPassword: "not this one" };
  const wrong = errorOf(await third.call("auth.updatePerson", { body: change }), "VALIDATION_ERROR");
  assert.deepEqual(Object.keys(wrong.errors!), ["currentPassword"]);
  const right = { ...change, name: "Leo", currentPassword: password };
  const changed = await third.call("auth.updatePerson", { body: right });
  assert.equal((changed.body as { data: typeof third.session }).data.person.name, "Leo");
  errorOf(await person.call("auth.retrieveSession"), "SIGN_IN_REQUIRED");
  errorOf(await signIn(service, "leaver@example.com"), "SIGN_IN_FAILED");

  const fourth = await again(change.password);
  assert.equal((await third.call("auth.signOutEverywhere")).status, 204);
  for (const one of [third, fourth]) errorOf(await one.call("auth.retrieveSession"), "SIGN_IN_REQUIRED");
});

test("an expired session ends, a used one is renewed once an hour", async () => {
  const person = await invite(service, owner, "viewer", "renewed@example.com");
  const row = () =>
    service.db
      .selectFrom("person_sessions")
      .where("user_id", "=", person.session.person._id)
      .selectAll()
      .executeTakeFirstOrThrow();
  const before = await row();
  assert.equal((await person.call("auth.retrieveSession")).headers.get("set-cookie"), null);
  assert.deepEqual((await row()).renewed_at, before.renewed_at);
  const set = (values: { renewed_at?: Date; expires_at?: Date }) =>
    service.db.updateTable("person_sessions").set(values).where("id", "=", before.id).execute();
  await set({ renewed_at: new Date(Date.now() - 3_700_000), expires_at: new Date(Date.now() + 60_000) });
  const renewed = await person.call("auth.retrieveSession");
  assert.equal(cookieOf(renewed), person.cookie);
  assert.ok((await row()).expires_at.getTime() > Date.now() + 29 * 86_400_000);
  await set({ expires_at: new Date(Date.now() - 1) });
  errorOf(await person.call("auth.retrieveSession"), "SIGN_IN_REQUIRED");
});

test("attempts to sign in are limited per account, known or not, and per address", async () => {
  const limited = await startTestService({ TIDINGS_ROLE: "api" });
  const guess = (email: string) => signIn(limited, email, "a guess");
  const first = await Promise.all(Array.from({ length: 10 }, () => guess("guessed@example.com")));
  assert.deepEqual(new Set(first.map(({ status }) => status)), new Set([401]));
  const refused = await guess("GUESSED@example.com");
  errorOf(refused, "RATE_LIMITED");
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  const others = await Promise.all(Array.from({ length: 20 }, (_, n) => guess(`guessed-${n}@example.com`)));
  const byStatus = Object.groupBy(others, ({ status }) => status);
  assert.ok(byStatus[401]!.length > 0, "another account may still be tried");
  for (const reply of byStatus[429]!) errorOf(reply, "RATE_LIMITED");
});

test("an address that only looks like that of a person is another one, with no attempts of its own for the person", async () => {
  const kim = await invite(service, owner, "viewer", "Kim@example.com");
  for (const lookAlike of ["\u212aim@example.com", "k\u0130m@example.com", "K\u0130M@example.com"]) {
    errorOf(await signIn(service, lookAlike), "SIGN_IN_FAILED");
    const invited = await owner.call("people.createInvitation", { body: { email: lookAlike, role: "viewer" } });
    assert.equal(invited.status, 201, invited.text);
  }
  const body = { email: "kIM@EXAMPLE.com", role: "viewer" };
  errorOf(await owner.call("people.createInvitation", { body }), "PERSON_EXISTS");
  const again = browserOf(service, await signIn(service, "KIM@example.COM"));
  assert.equal(again.session.person._id, kim.session.person._id);
});

test("guesses of the own password are limited like sign-ins, and ten wrong ones end the session", async () => {
  const thief = await invite(service, owner, "viewer", "stolen@example.com");
  const body = { password: "another good password", currentPassword: "a guess" };
  const guess = (times: number) =>
    Promise.all(Array.from({ length: times }, () => thief.call("auth.updatePerson", { body })));
  const guesses = [...(await guess(5)), ...(await guess(4))];
  for (const reply of guesses) errorOf(reply, "VALIDATION_ERROR");
  const [tenth] = await guess(1);
  errorOf(tenth!, "SIGN_IN_REQUIRED");
  errorOf(await thief.call("auth.retrieveSession"), "SIGN_IN_REQUIRED");
  // One attempt may be free again after 30 seconds.
  const attempts = await Promise.all([1, 2, 3].map(() => signIn(service, "Stolen@example.com")));
  errorOf(attempts.find(({ status }) => status === 429)!, "RATE_LIMITED");
  // Other accounts are not affected, and a name is not a guess.
  assert.equal((await owner.call("auth.updatePerson", { body: { name: "Olga Owner" } })).status, 200);
});

test("over https the cookie is Secure and bound to the host; a cookie that a sibling domain planted does not count", async () => {
  const https = { "x-forwarded-proto": "https" };
  const body = { email: "owner@example.com", password };
  const reply = await visit(service, "auth.signIn", { body, headers: https });
  assert.match(
    reply.headers.get("set-cookie")!,
    /^__Host-tidings_session=[\w.-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
  );
  const cookie = cookieOf(reply);
  const session = (headers: Record<string, string>) => visit(service, "auth.retrieveSession", { headers });
  assert.equal((await session({ ...https, cookie })).status, 200);
  errorOf(await session({ ...https, cookie: cookie.replace("__Host-", "") }), "SIGN_IN_REQUIRED");
});

test("links do not begin with the host that a request names", async () => {
  const headers = { "x-forwarded-host": "evil.example" };
  const body = { email: "hosted@example.com", role: "viewer" };
  const { body: made } = await owner.call("people.createInvitation", { body, headers });
  const { link } = (made as { data: { link: string } }).data;
  assert.ok(link.startsWith(`${service.url}/sign-in#token=`), link);
});

test("behind https the cookie is sent over https only, under the path of the service, and links lead there", async () => {
  const publicUrl = "https://example.com/notify";
  const behind = await startTestService({ TIDINGS_ROLE: "api", TIDINGS_PUBLIC_URL: publicUrl });
  assert.ok(behind.firstLink!.startsWith(`${publicUrl}/sign-in#token=`));
  const body = { token: tokenOf(behind.firstLink!), name: "Olga", email: "o@example.com", password };
  const { headers } = await visit(behind, "auth.redeemLink", { body });
  assert.match(headers.get("set-cookie")!, /; Path=\/notify; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/);
});

test("with TIDINGS_DASHBOARD=off none of it exists, and cookies mean nothing", async () => {
  const off = await startTestService({ TIDINGS_ROLE: "api", TIDINGS_DASHBOARD: "off" });
  assert.equal(off.firstLink, null);
  for (const path of ["/v1/auth/session", "/v1/auth/methods", "/v1/people", "/v1/audit-log", "/v1/auth/oidc/start"])
    errorOf(await request(off, path), "ROUTE_NOT_FOUND");
  errorOf(await visit(off, "subscribers.list", { headers: owner.headers() }), "MISSING_AUTHORIZATION");
});

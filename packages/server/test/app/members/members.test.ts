// People and invitations, for owners.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Member, ResetLink } from "@tidings/contract";
import { errorOf } from "@tidings/testkit/http";
import { startMailServer } from "@tidings/testkit/mail/smtp";
import { startTestService } from "@tidings/testkit/service";
import { browserOf, invite, password, signIn, signInOwner, tokenOf, visit } from "./browsers.ts";

const mail = await startMailServer();
const service = await startTestService({
  TIDINGS_ROLE: "api",
  TIDINGS_TRUSTED_PROXIES: "127.0.0.1",
  TIDINGS_PUBLIC_URL: "http://localhost:4999",
  TIDINGS_MAIL_URL: `smtp://${mail.user}:${encodeURIComponent(mail.password)}@127.0.0.1:${mail.port}`,
  TIDINGS_MAIL_FROM: "Tidings <notify@example.com>",
});
const owner = await signInOwner(service);
const ownId = owner.session.person._id;

const dataOf = <T>(reply: { body: unknown }) => (reply.body as { data: T }).data;

test("an invitation is a link that works once, for one address and one role", async () => {
  const made = await owner.call("people.createInvitation", { body: { email: "Eda@example.com", role: "editor" } });
  assert.equal(made.status, 201, made.text);
  const { link, _id, ...invitation } = dataOf<{ link: string; _id: string; email: string; role: string }>(made);
  const token = tokenOf(link);
  assert.deepEqual([invitation.email, invitation.role], ["Eda@example.com", "editor"]);
  const check = await visit(service, "auth.checkLink", { body: { token } });
  assert.deepEqual(dataOf(check), { kind: "invitation", email: "Eda@example.com", name: null, role: "editor" });
  const listed = await owner.call("people.listInvitations");
  assert.deepEqual(
    dataOf<{ _id: string }[]>(listed).map((one) => one._id),
    [_id],
  );
  assert.ok(!listed.text.includes(token), "the link is shown once");
  // The address of the invitation counts, whatever the request says.
  const body = { token, name: "Eda", email: "eve@example.com", password };
  const replies = await Promise.all([1, 2].map(() => visit(service, "auth.redeemLink", { body })));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404]);
  const eda = browserOf(service, replies.find(({ status }) => status === 200)!);
  assert.deepEqual([eda.session.person.email, eda.session.person.role], ["Eda@example.com", "editor"]);
  assert.deepEqual(dataOf(await owner.call("people.listInvitations")), []);
  const again = await owner.call("people.createInvitation", { body: { email: "eda@EXAMPLE.com", role: "viewer" } });
  errorOf(again, "PERSON_EXISTS");
});

type Invited = { link: string; mail: { status: string; reason?: string } };

test("an invitation is mailed through the mail server of the settings, never through an integration", async () => {
  const trap = await startMailServer();
  const { port, user, password: secret } = trap;
  const credentials = { host: "127.0.0.1", port: String(port), user, password: secret, ignoreTls: true };
  const { body: created } = await service.production("integrations.create", {
    body: {
      providerId: "nodemailer",
      channel: "email",
      name: "Trap",
      active: true,
      credentials: { ...credentials, from: "trap@example.com", senderName: "Trap" },
    },
  });
  const inviteTo = async (email: string) =>
    dataOf<Invited>(await owner.call("people.createInvitation", { body: { email, role: "owner" } }));
  const sent = await inviteTo("two@example.com");
  assert.deepEqual(sent.mail, { status: "sent" });
  assert.deepEqual(trap.received, []);
  const received = mail.received.at(-1);
  assert.deepEqual(
    [received?.to?.[0]?.address, received?.from?.address, received?.subject],
    ["two@example.com", "notify@example.com", "Olga Owner invites you to Tidings"],
  );
  assert.ok(received!.text!.includes(sent.link) && received!.html!.includes(`href="${sent.link}"`));
  assert.ok(sent.link.startsWith("http://localhost:4999/sign-in#"), sent.link);
  // The invitation remains valid, and its link can be passed on.
  await mail.stop();
  const unsent = await inviteTo("three@example.com");
  assert.equal(unsent.mail.status, "failed");
  assert.ok(unsent.mail.reason && tokenOf(unsent.link));
  await service.production("integrations.delete", { params: { integrationId: created._id! } });
  for (const { _id } of dataOf<{ _id: string }[]>(await owner.call("people.listInvitations"))) {
    await owner.call("people.deleteInvitation", { params: { invitationId: _id } });
  }
});

test("a new invitation replaces the one before it, and one that is taken back does not work", async () => {
  const body = { email: "twice@example.com", role: "viewer" };
  const links: string[] = [];
  let invitationId = "";
  for (const _ of [1, 2]) {
    const made = dataOf<{ link: string; _id: string }>(await owner.call("people.createInvitation", { body }));
    links.push(tokenOf(made.link));
    invitationId = made._id;
  }
  errorOf(await visit(service, "auth.checkLink", { body: { token: links[0] } }), "LINK_NOT_VALID");
  assert.equal((await visit(service, "auth.checkLink", { body: { token: links[1] } })).status, 200);
  assert.equal((await owner.call("people.deleteInvitation", { params: { invitationId } })).status, 204);
  errorOf(await visit(service, "auth.checkLink", { body: { token: links[1] } }), "LINK_NOT_VALID");
  for (const id of [invitationId, "no-such", ownId])
    errorOf(await owner.call("people.deleteInvitation", { params: { invitationId: id } }), "INVITATION_NOT_FOUND");
});

test("an expired link does not work", async () => {
  const made = await owner.call("people.createInvitation", { body: { email: "late@example.com", role: "viewer" } });
  const { link, _id } = dataOf<{ link: string; _id: string }>(made);
  await service.db
    .updateTable("person_links")
    .set({ expires_at: new Date(Date.now() - 1) })
    .where("id", "=", _id)
    .execute();
  errorOf(await visit(service, "auth.checkLink", { body: { token: tokenOf(link) } }), "LINK_NOT_VALID");
});

for (const [field, body] of [
  ["email", { email: "no address", role: "viewer" }],
  ["email", { email: `${"x".repeat(330)}@example.com`, role: "viewer" }],
  ["role", { email: "a@example.com", role: "admin" }],
] as const) {
  test(`an invitation with ${JSON.stringify(body).slice(0, 50)} names ${field}`, async () => {
    const { errors } = errorOf(await owner.call("people.createInvitation", { body }), "VALIDATION_ERROR");
    assert.deepEqual(Object.keys(errors!), [field]);
  });
}

test("a reset link sets a new password and ends all sessions of the person", async () => {
  const person = await invite(service, owner, "support", "forgot@example.com");
  const params = { personId: person.session.person._id };
  const { link } = dataOf<{ link: string }>(await owner.call("people.createResetLink", { params }));
  const token = tokenOf(link);
  assert.equal(dataOf<{ kind: string }>(await visit(service, "auth.checkLink", { body: { token } })).kind, "reset");
  const secret = "a password that is new";
  const body = { token, password: secret };
  browserOf(service, await visit(service, "auth.redeemLink", { body }));
  errorOf(await person.call("auth.retrieveSession"), "SIGN_IN_REQUIRED");
  errorOf(await signIn(service, "forgot@example.com"), "SIGN_IN_FAILED");
  assert.equal((await signIn(service, "forgot@example.com", secret)).status, 200);
  errorOf(await owner.call("people.createResetLink", { params: { personId: "no-such" } }), "PERSON_NOT_FOUND");
});

for (const [what, end] of [
  ["removed", (personId: string) => owner.call("people.delete", { params: { personId } })],
  ["demoted", (personId: string) => owner.call("people.update", { params: { personId }, body: { role: "editor" } })],
] as const) {
  test(`invitations and reset links of an owner who was ${what} do not work`, async () => {
    const parting = await invite(service, owner, "owner", `parting-${what}@example.com`);
    const body = { email: `friend-${what}@example.com`, role: "owner" };
    const invitation = dataOf<{ link: string }>(await parting.call("people.createInvitation", { body }));
    const params = { personId: ownId };
    const reset = dataOf<{ link: string }>(await parting.call("people.createResetLink", { params }));
    assert.ok((await end(parting.session.person._id)).status < 300);
    for (const token of [tokenOf(invitation.link), tokenOf(reset.link)]) {
      errorOf(await visit(service, "auth.checkLink", { body: { token } }), "LINK_NOT_VALID");
      errorOf(await visit(service, "auth.redeemLink", { body: { token, name: "Eve", password } }), "LINK_NOT_VALID");
    }
    assert.deepEqual(dataOf(await owner.call("people.listInvitations")), []);
    assert.deepEqual(dataOf(await owner.call("people.listResetLinks")), []);
  });
}

test("a link whose maker is no owner does not work, also where the link was left behind", async () => {
  const maker = await invite(service, owner, "owner", "maker@example.com");
  const made = await maker.call("people.createInvitation", { body: { email: "left@example.com", role: "owner" } });
  const token = tokenOf(dataOf<{ link: string }>(made).link);
  const { _id } = maker.session.person;
  await service.db.updateTable("users").set({ role: "viewer" }).where("id", "=", _id).execute();
  errorOf(await visit(service, "auth.redeemLink", { body: { token, name: "Eve", password } }), "LINK_NOT_VALID");
  assert.deepEqual(dataOf(await owner.call("people.listInvitations")), []);
});

test("open reset links are listed without the link, and can be taken back", async () => {
  const person = await invite(service, owner, "viewer", "lost@example.com");
  const { _id: personId } = person.session.person;
  const { link } = dataOf<{ link: string }>(await owner.call("people.createResetLink", { params: { personId } }));
  const reply = await owner.call("people.listResetLinks");
  assert.ok(!reply.text.includes(tokenOf(link)), "the link is shown once");
  const [listed, ...others] = dataOf<ResetLink[]>(reply);
  assert.deepEqual(
    [others, listed!.personId, listed!.name, listed!.email, listed!.madeBy],
    [[], personId, "The viewer", "lost@example.com", "Olga Owner"],
  );
  const invitation = await owner.call("people.createInvitation", { body: { email: "x@example.com", role: "viewer" } });
  for (const resetLinkId of ["no-such", ownId, dataOf<{ _id: string }>(invitation)._id])
    errorOf(await owner.call("people.deleteResetLink", { params: { resetLinkId } }), "RESET_LINK_NOT_FOUND");
  const params = { resetLinkId: listed!._id };
  errorOf(await person.call("people.deleteResetLink", { params }), "ROLE_NOT_ALLOWED");
  assert.equal((await owner.call("people.deleteResetLink", { params })).status, 204);
  errorOf(await owner.call("people.deleteResetLink", { params }), "RESET_LINK_NOT_FOUND");
  errorOf(await visit(service, "auth.checkLink", { body: { token: tokenOf(link) } }), "LINK_NOT_VALID");
});

test("the last owner is neither removed nor demoted, also by two owners at the same time", async () => {
  const params = { personId: ownId };
  errorOf(await owner.call("people.delete", { params }), "LAST_OWNER");
  errorOf(await owner.call("people.update", { params, body: { role: "editor" } }), "LAST_OWNER");
  const second = await invite(service, owner, "owner", "second@example.com");
  const demote = (id: string, by = owner) =>
    by.call("people.update", { params: { personId: id }, body: { role: "viewer" } });
  await Promise.all([demote(ownId, second), demote(second.session.person._id)]);
  const owners = await service.db.selectFrom("users").where("role", "=", "owner").select("id").execute();
  assert.equal(owners.length, 1);
  await service.db.updateTable("users").set({ role: "owner" }).where("id", "=", ownId).execute();
});

test("people are listed with their roles and without their passwords", async () => {
  const reply = await owner.call("people.list");
  const listed = dataOf<Member[]>(reply);
  const olga = listed.find(({ _id }) => _id === ownId)!;
  assert.deepEqual(
    [olga.name, olga.email, olga.role, olga.hasPassword],
    ["Olga Owner", "owner@example.com", "owner", true],
  );
  assert.ok(olga.lastSignInAt);
  assert.doesNotMatch(reply.text, /scrypt/);
});

// People and invitations, for owners.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Person } from "@tidings/contract";
import { errorOf } from "../../support/http.ts";
import { startTestService } from "../../support/service.ts";
import { closedPort, startMailServer } from "../../support/smtp.ts";
import { browserOf, invite, password, signIn, signInOwner, tokenOf, visit } from "./browsers.ts";

const mail = await startMailServer();
const service = await startTestService({ TIDINGS_ROLE: "api" });
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

test("an invitation is mailed through the email integration of a production environment", async () => {
  type Invited = { link: string; mail: { status: string; integration?: string; reason?: string } };
  const inviteTo = async (email: string) =>
    dataOf<Invited>(await owner.call("people.createInvitation", { body: { email, role: "viewer" } }));
  assert.deepEqual((await inviteTo("one@example.com")).mail, { status: "none" });
  const { user, password: secret } = mail;
  const credentials = { host: "127.0.0.1", port: String(mail.port), user, password: secret, ignoreTls: true };
  const { body: created } = await service.production("integrations.create", {
    body: {
      providerId: "nodemailer",
      channel: "email",
      name: "Office",
      active: true,
      credentials: { ...credentials, from: "office@example.com", senderName: "Office" },
    },
  });
  const sent = await inviteTo("two@example.com");
  assert.deepEqual(sent.mail, { status: "sent", integration: "Office" });
  const [received] = mail.received;
  assert.deepEqual(
    [received?.to?.[0]?.address, received?.subject],
    ["two@example.com", "Olga Owner invites you to Tidings"],
  );
  assert.ok(received!.text!.includes(sent.link) && received!.html!.includes(`href="${sent.link}"`));
  // The invitation stands, and its link can be passed on.
  const params = { integrationId: created._id! };
  await service.production("integrations.update", {
    params,
    body: {
      credentials: {
        ...credentials,
        port: String(await closedPort()),
        from: "office@example.com",
        senderName: "Office",
      },
    },
  });
  const unsent = await inviteTo("three@example.com");
  assert.equal(unsent.mail.status, "failed");
  assert.ok(unsent.mail.reason && tokenOf(unsent.link));
  await service.production("integrations.delete", { params });
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
  const listed = dataOf<Person[]>(reply);
  const olga = listed.find(({ _id }) => _id === ownId)!;
  assert.deepEqual(
    [olga.name, olga.email, olga.role, olga.hasPassword],
    ["Olga Owner", "owner@example.com", "owner", true],
  );
  assert.ok(olga.lastSignInAt);
  assert.doesNotMatch(reply.text, /scrypt/);
});

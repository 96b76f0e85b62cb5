// Outlook 365 is SMTP with fixed settings: the line itself is tested in smtp.test.ts, here is what goes into it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { check, type Io, send } from "../../src/index.ts";
import type { SmtpSettings } from "../../src/kit/io.ts";
import type { Mail } from "../../src/kit/mail.ts";
import { email, openIo, rich, richEmail } from "../support.ts";

function line(user: string): SmtpSettings {
  return {
    host: "smtp.office365.com",
    port: 587,
    secure: false,
    requireTls: true,
    user,
    password: "outlook-s3cret",
  };
}

const credentials = { password: "outlook-s3cret", from: "noreply@example.com", senderName: "Example" };

function recording(io: Io) {
  const settings: SmtpSettings[] = [];
  const mails: Mail[] = [];
  let verified = 0;
  const smtp: Io["smtp"] = (given) => {
    settings.push(given);
    return {
      send: async (mail) => {
        mails.push(mail);
        return [];
      },
      verify: async () => void verified++,
    };
  };
  return { io: { ...io, smtp }, settings, mails, verified: () => verified };
}

describe("Outlook 365", () => {
  it("signs in as the mailbox of the integration, with TLS and nothing less", async (t) => {
    const { io, settings, mails } = recording(openIo(t));
    const outcome = await send("outlook365", email(), credentials, io);
    assert.deepEqual(outcome, {
      kind: "accepted",
      providerMessageId: "<0199a1b2-0000-7000-8000-000000000001@example.com>",
    });
    assert.deepEqual(settings, [line("noreply@example.com")]);
    assert.deepEqual(mails[0]?.from, { name: "Example", address: "noreply@example.com" });
  });

  it("keeps that sign-in where a message names another sender", async (t) => {
    const { io, settings, mails } = recording(openIo(t));
    const named = { ...credentials, from: "Example <noreply@example.com>" };
    assert.equal((await send("outlook365", richEmail(), named, io)).kind, "accepted");
    assert.deepEqual(settings, [line("noreply@example.com")]);
    assert.deepEqual(mails[0]?.from, { name: "Team, North", address: "team@example.com" });
    assert.deepEqual(
      [mails[0]?.cc.length, mails[0]?.bcc.length, mails[0]?.attachments.length, mails[0]?.headers],
      [1, 1, 2, rich.headers],
    );
  });

  it("is the mailbox of the message where the integration has none, and an error without either", async (t) => {
    const { io, settings } = recording(openIo(t));
    const { from: _, ...bare } = credentials;
    assert.equal((await send("outlook365", email({ from: "team@example.com" }), bare, io)).kind, "accepted");
    assert.deepEqual(settings, [line("team@example.com")]);
    const outcome = await send("outlook365", email(), bare, io);
    assert.ok(outcome.kind === "rejected" && outcome.class === "config" && /"from"/.test(outcome.reason));
    assert.equal(settings.length, 1);
  });

  it("refuses more recipients than Exchange Online takes", async (t) => {
    const { io, settings } = recording(openIo(t));
    const outcome = await send(
      "outlook365",
      email({ cc: Array.from({ length: 500 }, (_, index) => `b${index}@example.com`) }),
      credentials,
      io,
    );
    assert.ok(outcome.kind === "rejected" && outcome.class === "config" && /500/.test(outcome.reason));
    assert.equal(settings.length, 0);
  });

  it("checks the password by signing in", async (t) => {
    const { io, settings, verified } = recording(openIo(t));
    assert.deepEqual(await check("outlook365", credentials, io), { ok: true });
    assert.equal(verified(), 1);
    assert.deepEqual(settings, [line("noreply@example.com")]);
  });
});

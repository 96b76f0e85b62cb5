import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import type { Socket } from "node:net";
import { describe, it } from "node:test";
import { decodeWords } from "postal-mime";
import { type Credentials, check, type Outcome, send } from "../../src/index.ts";
import { closedPort, email, openIo, smtpError, startSmtp, startTcp } from "../support.ts";

function settings(port: number, more: Credentials = {}): Credentials {
  return {
    host: "mail.test",
    port: String(port),
    from: "noreply@example.com",
    senderName: "Example",
    ...more,
  };
}

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const dkim = {
  domain: "example.com",
  accountSid: "s1",
  secretKey: privateKey.export({ type: "pkcs8", format: "pem" }),
};

// Speaks just enough SMTP, without the greeting delay of a real server, and leaves the end of the message to the test.
function scripted(afterMessage: (socket: Socket) => void, replyTo = (_command: string) => "250 ok\r\n") {
  return (socket: Socket) => {
    let inData = false;
    let text = "";
    socket.write("220 test\r\n");
    socket.on("data", (chunk) => {
      text += chunk.toString();
      if (inData) {
        if (text.endsWith("\r\n.\r\n")) afterMessage(socket);
        return;
      }
      for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
        const command = text.slice(0, end);
        text = text.slice(end + 2);
        inData = command === "DATA";
        socket.write(inData ? "354 go on\r\n" : replyTo(command));
      }
    });
  };
}

const rejection = (outcome: Outcome) => (outcome.kind === "rejected" ? outcome.class : outcome.kind);

describe("mail over SMTP", { concurrency: true }, () => {
  it("carries html, text, copies, headers and attachments", async (t) => {
    const { port, received } = await startSmtp(t);
    const message = email({
      cc: ["Grace Hopper <grace@example.com>"],
      bcc: ["hidden@example.com"],
      replyTo: "support@example.com",
      headers: { "X-Campaign": "spring", "List-Unsubscribe": "<https://example.com/u?a=1&b=2>" },
      attachments: [{ name: "Überblick.pdf", mime: "application/pdf", content: new Uint8Array([0, 1, 2, 255]) }],
    });
    const outcome = await send("nodemailer", message, settings(port), openIo(t));
    assert.deepEqual(outcome, { kind: "accepted", providerMessageId: `<${message.id}@example.com>` });
    const [got] = received;
    assert.ok(got);
    assert.equal(got.sender, "noreply@example.com");
    assert.deepEqual(got.recipients, ["ada@example.com", "grace@example.com", "hidden@example.com"]);
    assert.deepEqual(got.mail.from, { name: "Example", address: "noreply@example.com" });
    assert.deepEqual(got.mail.cc, [{ name: "Grace Hopper", address: "grace@example.com" }]);
    assert.equal(got.mail.bcc, undefined);
    assert.equal(got.mail.replyTo?.[0]?.address, "support@example.com");
    assert.equal(got.mail.messageId, `<${message.id}@example.com>`);
    assert.match(got.mail.html ?? "", /<p>Hello Ada<\/p>/);
    assert.equal(got.mail.text?.trim(), "Hello Ada");
    const header = (key: string) => got.mail.headers.find((item) => item.key === key)?.value;
    assert.equal(header("x-campaign"), "spring");
    assert.equal(header("list-unsubscribe"), "<https://example.com/u?a=1&b=2>");
    const [attachment] = got.mail.attachments;
    assert.equal(attachment?.filename, "Überblick.pdf");
    assert.equal(attachment?.mimeType, "application/pdf");
    assert.deepEqual(new Uint8Array(attachment?.content as ArrayBuffer), new Uint8Array([0, 1, 2, 255]));
  });

  it("keeps letters of every script and emoji", async (t) => {
    const { port, received } = await startSmtp(t);
    const message = email({
      subject: "Grüße aus Köln 🎉 — 日本語のとても長い件名で折り返しが必要になるもの ".repeat(3).trim(),
      senderName: 'Zoë, 🚀 "Ops" Ñandú',
      html: "<p>ünïcödé 🎈 日本</p>",
      text: "ünïcödé 🎈 日本",
      headers: { "X-Note": "прывітанне 👋" },
    });
    const outcome = await send("nodemailer", message, settings(port), openIo(t));
    assert.equal(outcome.kind, "accepted");
    const mail = received[0]?.mail;
    assert.equal(mail?.subject, message.subject);
    assert.equal(mail?.from?.name, message.senderName);
    assert.match(mail?.html ?? "", /ünïcödé 🎈 日本/);
    assert.equal(mail?.text?.trim(), message.text);
    assert.equal(decodeWords(mail?.headers.find(({ key }) => key === "x-note")?.value ?? ""), "прывітанне 👋");
    const head = received[0]?.raw.split("\r\n\r\n")[0] ?? "";
    assert.match(head, /^[\x20-\x7e\r\n\t]*$/);
  });

  it("repeats a message under the same Message-ID", async (t) => {
    const { port, received } = await startSmtp(t);
    const io = openIo(t);
    await send("nodemailer", email(), settings(port), io);
    await send("nodemailer", email(), settings(port), io);
    assert.equal(received.length, 2);
    assert.equal(received[0]?.mail.messageId, received[1]?.mail.messageId);
  });

  it("prefers the sender of the message to that of the integration", async (t) => {
    const { port, received } = await startSmtp(t);
    const message = email({ from: "alerts@example.org", senderName: "Alerts" });
    await send("nodemailer", message, settings(port), openIo(t));
    assert.deepEqual(received[0]?.mail.from, { name: "Alerts", address: "alerts@example.org" });
  });

  it("reuses its connections", async (t) => {
    const { port, received, sessions } = await startSmtp(t);
    const io = openIo(t);
    for (let n = 0; n < 5; n++) await send("nodemailer", email({ id: `m${n}` }), settings(port), io);
    assert.equal(received.length, 5);
    assert.equal(sessions.size, 1);
  });

  it("keeps settings apart: another password is another connection", async (t) => {
    const { port, sessions } = await startSmtp(t, { onAuth: (_auth, _session, done) => done(null, { user: "u" }) });
    const io = openIo(t);
    await send("nodemailer", email(), settings(port, { user: "u", password: "first-one" }), io);
    await send("nodemailer", email(), settings(port, { user: "u", password: "second-one" }), io);
    assert.equal(sessions.size, 2);
  });

  it("closes the connections of settings that fell out of use", async (t) => {
    let open = 0;
    const speak = scripted((socket) => socket.write("250 taken\r\n"));
    const port = await startTcp(t, (socket) => {
      open++;
      socket.on("close", () => open--);
      speak(socket);
    });
    const io = openIo(t);
    for (let n = 0; n < 55; n++) {
      const outcome = await send("nodemailer", email(), settings(port, { tlsOptions: { servername: `n${n}` } }), io);
      assert.equal(outcome.kind, "accepted");
    }
    for (let n = 0; n < 100 && open > 50; n++) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(open, 50);
  });

  it("signs with DKIM when the three fields are given", async (t) => {
    const { port, received } = await startSmtp(t);
    const headers = {
      "List-Unsubscribe": "<https://example.com/u/1>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    };
    assert.equal((await send("nodemailer", email({ headers }), settings(port, dkim), openIo(t))).kind, "accepted");
    const signature = received[0]?.mail.headers.find(({ key }) => key === "dkim-signature")?.value ?? "";
    assert.match(signature, /d=example\.com/);
    assert.match(signature, /s=s1/);
    // One-click unsubscribing counts only when both headers are signed (RFC 8058).
    const signed = /\bh=([^;]+);/.exec(signature)?.[1]?.toLowerCase().replace(/\s/g, "").split(":");
    assert.ok(["from", "subject", "list-unsubscribe", "list-unsubscribe-post"].every((name) => signed?.includes(name)));
  });

  it("asks for the certificate of the host name although it connects to an address", async (t) => {
    const names: unknown[] = [];
    const { port } = await startSmtp(t, {
      disabledCommands: [],
      onSecure: (_socket, session, done) => {
        names.push(session.servername);
        done();
      },
    });
    const io = openIo(t);
    const trusting = settings(port, { requireTls: true, tlsOptions: { rejectUnauthorized: false, host: "evil.test" } });
    assert.equal((await send("nodemailer", email(), trusting, io)).kind, "accepted");
    assert.deepEqual(names, ["mail.test"]);
    const strict = await send("nodemailer", email(), settings(port, { requireTls: true }), io);
    assert.equal(strict.kind, "retry");
  });

  it("does not go in the clear when TLS is required", async (t) => {
    const { port, received } = await startSmtp(t);
    const outcome = await send("nodemailer", email(), settings(port, { requireTls: true }), openIo(t));
    assert.notEqual(outcome.kind, "accepted");
    assert.equal(received.length, 0);
  });
});

describe("headers and addresses that try to smuggle", { concurrency: true }, () => {
  it("stay one header", async (t) => {
    const { port, received } = await startSmtp(t);
    const evil = "x\r\nBcc: evil@example.net\nX-Evil: yes\r\n\r\n<p>body</p>";
    const message = email({ subject: evil, senderName: evil, headers: { "X-Note": evil } });
    assert.equal((await send("nodemailer", message, settings(port), openIo(t))).kind, "accepted");
    const [got] = received;
    assert.deepEqual(got?.recipients, ["ada@example.com"]);
    const keys = got?.mail.headers.map(({ key }) => key) ?? [];
    assert.ok(!keys.includes("bcc") && !keys.includes("x-evil"));
    assert.match(got?.mail.html ?? "", /Hello Ada/);
  });

  const bad: [what: string, changes: Parameters<typeof email>[0], expected: string][] = [
    ["a header name with a line break", { headers: { "X-A\r\nBcc": "evil@example.net" } }, "content"],
    ["a header name with a colon", { headers: { "X-A: b": "c" } }, "content"],
    ["a recipient through a header", { headers: { bcc: "evil@example.net" } }, "content"],
    ["a body type through a header", { headers: { "Content-Type": "text/plain" } }, "content"],
    ["a list for a recipient", { to: ["ada@example.com, evil@example.net"] }, "recipient"],
    ["a line break in a recipient", { to: ["ada@example.com\r\nRCPT TO:<evil@example.net>"] }, "recipient"],
    ["a recipient without a domain", { to: ["ada"] }, "recipient"],
    ["no recipient", { to: [] }, "recipient"],
    ["a line break in the sender", { from: "a@example.com>\r\nRCPT TO:<evil@example.net" }, "config"],
    ["a list in the reply address", { replyTo: "a@example.com,b@example.com" }, "content"],
  ];
  for (const [what, changes, expected] of bad) {
    it(`refuse ${what}`, async (t) => {
      const { port, received } = await startSmtp(t);
      assert.equal(rejection(await send("nodemailer", email(changes), settings(port), openIo(t))), expected);
      assert.equal(received.length, 0);
    });
  }

  it("read no file and fetch no address named in the content", async (t) => {
    const { port, received } = await startSmtp(t);
    const message = email({ html: "/etc/hostname", text: "http://127.0.0.1:1/" });
    assert.equal((await send("nodemailer", message, settings(port), openIo(t))).kind, "accepted");
    assert.match(received[0]?.mail.html ?? "", /\/etc\/hostname/);
  });
});

describe("SMTP failures", { concurrency: true }, () => {
  it("a refused login is a fault of the integration and does not show the password", async (t) => {
    const { port } = await startSmtp(t, {
      authOptional: false,
      onAuth: (auth, _session, done) => done(smtpError(535, `Bad password ${auth.password} for ${auth.username}`)),
    });
    const secret = settings(port, { user: "ada", password: "hunter2-hunter2" });
    const io = openIo(t);
    const outcome = await send("nodemailer", email(), secret, io);
    assert.equal(rejection(outcome), "auth");
    assert.match(JSON.stringify(outcome), /Bad password \*{8} for ada/);
    const result = await check("nodemailer", secret, io);
    assert.ok(!result.ok);
    assert.match(result.reason, /535.*\*{8}/);
    assert.doesNotMatch(result.reason, /hunter2/);
  });

  it("a server that wants a login it was not given", async (t) => {
    const { port } = await startSmtp(t, { authOptional: false });
    assert.equal(rejection(await send("nodemailer", email(), settings(port), openIo(t))), "auth");
  });

  type Refusal = [what: string, stage: "onMailFrom" | "onRcptTo", code: number, expected: string];
  const refusals: Refusal[] = [
    ["a sender put off", "onMailFrom", 451, "retry"],
    ["a sender refused", "onMailFrom", 553, "config"],
    ["a message too big", "onMailFrom", 552, "content"],
    ["a recipient put off", "onRcptTo", 450, "retry"],
    ["a recipient refused", "onRcptTo", 550, "recipient"],
    ["a full mailbox", "onRcptTo", 552, "recipient"],
  ];
  for (const [what, stage, code, expected] of refusals) {
    it(`${what} (${code})`, async (t) => {
      const { port } = await startSmtp(t, {
        [stage]: (_address: unknown, _session: unknown, done: (error: Error) => void) => done(smtpError(code, "no")),
      });
      assert.equal(rejection(await send("nodemailer", email(), settings(port), openIo(t))), expected);
    });
  }

  for (const [code, expected] of [
    [421, "retry"],
    [451, "retry"],
    [550, "content"],
    [552, "content"],
    [554, "content"],
  ] as const) {
    it(`a body answered with ${code}`, async (t) => {
      const { port } = await startSmtp(t, {
        onData: (stream, _session, done) => {
          stream.resume();
          stream.on("end", () => done(smtpError(code, "spam")));
        },
      });
      assert.equal(rejection(await send("nodemailer", email(), settings(port), openIo(t))), expected);
    });
  }

  const ours: [stage: "onRcptTo" | "onData", code: number, said: string][] = [
    ["onRcptTo", 554, "5.7.1 <ada@example.com>: Relay access denied"],
    ["onRcptTo", 550, "5.7.1 Unable to relay"],
    ["onRcptTo", 550, "relay not permitted"],
    ["onData", 554, "5.2.252 SendAsDenied; shop@example.com not allowed to send as ceo@example.com"],
    ["onData", 554, "5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied"],
    ["onData", 550, "5.7.60 SMTP; Client does not have permissions to send as this sender"],
  ];
  for (const [stage, code, said] of ours) {
    it(`what no message of ours would get past: ${said}`, async (t) => {
      const refuse = (done: (error: Error) => void) => done(smtpError(code, said));
      const { port } = await startSmtp(t, {
        ...(stage === "onRcptTo" ? { onRcptTo: (_address, _session, done) => refuse(done) } : {}),
        ...(stage === "onData"
          ? { onData: (stream, _session, done) => stream.resume().on("end", () => refuse(done)) }
          : {}),
      });
      assert.equal(rejection(await send("nodemailer", email(), settings(port), openIo(t))), "config");
    });
  }

  const ways: [what: string, changes: Parameters<typeof email>[0], more: Credentials][] = [
    ["a short mail", {}, {}],
    ["one with a file", { attachments: [{ name: "a.txt", mime: "text/plain", content: Buffer.from("a") }] }, {}],
    ["a signed one", {}, dkim],
  ];
  for (const [what, changes, more] of ways) {
    it(`${what} whose own recipient is refused is not sent, and goes to everyone once when it is accepted`, async (t) => {
      let code = 550;
      const { port, received } = await startSmtp(t, {
        onRcptTo: ({ address }, _session, done) =>
          done(code && address.startsWith("ada") ? smtpError(code, "no") : null),
      });
      const io = openIo(t);
      const message = email({ to: ["ada@example.com", "b@example.com"], cc: ["c@example.com"], ...changes });
      const final = await send("nodemailer", message, settings(port, more), io);
      assert.equal(rejection(final), "recipient");
      assert.match(JSON.stringify(final), /550 no/);
      code = 451;
      assert.equal((await send("nodemailer", message, settings(port, more), io)).kind, "retry");
      code = 0;
      assert.equal((await send("nodemailer", message, settings(port, more), io)).kind, "accepted");
      assert.deepEqual(
        received.map(({ recipients }) => recipients),
        [["ada@example.com", "b@example.com", "c@example.com"]],
      );
    });
  }

  it("a refused copy does not stop the others, and is reported", async (t) => {
    const { port, received } = await startSmtp(t, {
      onRcptTo: ({ address }, _session, done) => done(/^[bd]/.test(address) ? smtpError(550, "no such user") : null),
    });
    const message = email({ to: ["ada@example.com", "b@example.com"], cc: ["c@example.com"], bcc: ["d@example.com"] });
    assert.deepEqual(await send("nodemailer", message, settings(port), openIo(t)), {
      kind: "accepted",
      providerMessageId: `<${message.id}@example.com>`,
      refusedCopies: ["b@example.com: 550 no such user", "d@example.com: 550 no such user"],
    });
    assert.deepEqual(received[0]?.recipients, ["ada@example.com", "c@example.com"]);
  });

  it("a connection refused", async (t) => {
    const outcome = await send("nodemailer", email(), settings(await closedPort()), openIo(t));
    assert.equal(outcome.kind, "retry");
    assert.match(JSON.stringify(outcome), /ECONNREFUSED/);
  });

  it("a server that hangs up before the message", async (t) => {
    const port = await startTcp(t, (socket) => socket.end());
    assert.equal((await send("nodemailer", email(), settings(port), openIo(t))).kind, "retry");
  });

  it("a server that refuses service", async (t) => {
    const port = await startTcp(t, (socket) => socket.end("554 go away\r\n"));
    assert.equal(rejection(await send("nodemailer", email(), settings(port), openIo(t))), "config");
  });

  it("a connection lost after the message was sent leaves the outcome open", async (t) => {
    const port = await startTcp(
      t,
      scripted((socket) => socket.destroy()),
    );
    const outcome = await send("nodemailer", email(), settings(port), openIo(t));
    assert.equal(outcome.kind, "unknown");
  });

  it("a server that replies twice leaves the outcome open, and gets the next message on another connection", async (t) => {
    let connections = 0;
    const port = await startTcp(t, (socket) => {
      const isFirst = ++connections === 1;
      const replyTo = (command: string) =>
        isFirst && command.startsWith("MAIL") ? "250 ok\r\n250 ok\r\n" : "250 ok\r\n";
      scripted((one) => one.write("250 queued\r\n"), replyTo)(socket);
    });
    const io = openIo(t);
    assert.equal((await send("nodemailer", email(), settings(port), io)).kind, "unknown");
    assert.equal((await send("nodemailer", email(), settings(port), io)).kind, "accepted");
    assert.equal(connections, 2);
  });

  it("a server that never confirms leaves the outcome open", async (t) => {
    const port = await startTcp(
      t,
      scripted(() => {}),
    );
    const outcome = await send("nodemailer", email(), settings(port), openIo(t, { timeoutMs: 3000 }));
    assert.equal(outcome.kind, "unknown");
  });

  it("a server that stalls before the message is certain: nothing was sent, now or later", async (t) => {
    let release: () => void = () => {};
    const { port, received } = await startSmtp(t, {
      onMailFrom: (_address, _session, done) => {
        release = () => done();
      },
    });
    const outcome = await send("nodemailer", email(), settings(port), openIo(t, { timeoutMs: 300 }));
    assert.equal(outcome.kind, "retry");
    release();
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal(received.length, 0);
  });

  it("a message still waiting for a connection when its time is up is not sent later", async (t) => {
    const held: (() => void)[] = [];
    const { port, received } = await startSmtp(t, {
      onMailFrom: (_address, _session, done) => {
        held.push(() => done());
      },
    });
    const io = openIo(t, { timeoutMs: 300 });
    const outcomes = await Promise.all(
      Array.from({ length: 15 }, (_, n) => send("nodemailer", email({ id: `m${n}` }), settings(port), io)),
    );
    assert.ok(outcomes.every(({ kind }) => kind === "retry"));
    for (let n = 0; n < 20; n++) {
      for (const go of held.splice(0)) go();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal(received.length, 0);
  });

  it("a wait for a connection that is too long says nothing about the server", async (t) => {
    const port = await startTcp(
      t,
      scripted(() => {}),
    );
    const io = openIo(t, { timeoutMs: 3000 });
    const mail = (n: number) => send("nodemailer", email({ id: `m${n}` }), settings(port), io);
    const busy = await Promise.all(Array.from({ length: 10 }, (_, n) => mail(n)));
    assert.deepEqual(new Set(busy.map(({ kind }) => kind)), new Set(["unknown"]));
    assert.deepEqual(await mail(10), {
      kind: "retry",
      reason: "No connection to mail.test was free for the message within 3 seconds",
      isDecidedLocally: true,
    });
  });

  it("a server that is merely slow takes them all: the time of a message begins with its turn", async (t) => {
    const { port } = await startSmtp(t, { onMailFrom: (_address, _session, done) => setTimeout(done, 3000) });
    const io = openIo(t, { timeoutMs: 5500 });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => send("nodemailer", email({ id: `m${n}` }), settings(port), io)),
    );
    assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(["accepted"]));
  });

  it("other settings do not close the connections a message waits for", async (t) => {
    const held: (() => void)[] = [];
    let isSlow = true;
    const { port } = await startSmtp(t, {
      onMailFrom: (_address, _session, done) => void (isSlow ? held.push(done) : done()),
    });
    const io = openIo(t);
    const waiting = Array.from({ length: 12 }, (_, n) =>
      send("nodemailer", email({ id: `m${n}` }), settings(port), io),
    );
    while (held.length < 10) await new Promise((resolve) => setTimeout(resolve, 10));
    isSlow = false;
    const others = Array.from({ length: 52 }, (_, n) =>
      send("nodemailer", email(), settings(port, { tlsOptions: { servername: `n${n}` } }), io),
    );
    await Promise.all(others);
    for (const go of held) go();
    const outcomes = await Promise.all([...waiting, ...others]);
    assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(["accepted"]));
  });

  it("a connection the server closed while idle is replaced", async (t) => {
    const { port, received, endConnections } = await startSmtp(t);
    const io = openIo(t);
    await send("nodemailer", email(), settings(port), io);
    await endConnections();
    assert.equal((await send("nodemailer", email(), settings(port), io)).kind, "accepted");
    assert.equal(received.length, 2);
  });
});

describe("SMTP check", { concurrency: true }, () => {
  it("passes when the server takes the login", async (t) => {
    const { port } = await startSmtp(t, {
      authOptional: false,
      onAuth: (_auth, _session, done) => done(null, { user: "ada" }),
    });
    const result = await check("nodemailer", settings(port, { user: "ada", password: "right-one" }), openIo(t));
    assert.deepEqual(result, { ok: true });
  });

  it("names a host that cannot be resolved", async (t) => {
    const io = openIo(t);
    const nowhere = { ...settings(25), host: "mail.invalid" };
    assert.deepEqual(await check("nodemailer", nowhere, io), {
      ok: false,
      reason: "The host mail.invalid cannot be resolved",
      class: "transient",
      unresolvedHost: "mail.invalid",
    });
    assert.equal((await send("nodemailer", email(), nowhere, io)).kind, "retry");
  });

  it("does not connect to a refused address", async (t) => {
    const io = openIo(t);
    const inside = { ...settings(25), host: "mail.private" };
    assert.deepEqual(await check("nodemailer", inside, io), {
      ok: false,
      reason: "Connections to mail.private are refused",
      class: "config",
    });
    assert.equal(rejection(await send("nodemailer", email(), inside, io)), "config");
  });
});

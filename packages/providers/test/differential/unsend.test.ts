// Messages that Slack's SDK and our adapter delete and change: what arrives must be the same, but for the type of the
// body, which the SDK writes as a form with JSON inside.

import assert from "node:assert/strict";
import { it } from "node:test";
import { WebClient } from "@slack/web-api";
import { type Unsending, unsend } from "../../src/index.ts";
import { canonical, compare } from "./canonical.ts";
import { startFake } from "./fake.ts";
import { samples } from "./messages.ts";

const { message } = samples.chat.simple;
const ts = "1503435956.000247";
const sent = { content: message, providerMessageId: ts };
const credentials = { applicationId: "A1", clientId: "1.2", secretKey: "slack-s3cret" };
const { channel, accessToken } = message.target;
const blocks = [{ type: "section", text: { type: "mrkdwn", text: "*More*" } }];

const calls: [name: string, unsending: Unsending, theirs: (client: WebClient) => Promise<unknown>][] = [
  ["delete", { kind: "delete" }, (client) => client.chat.delete({ channel, ts })],
  [
    "change",
    { kind: "replace", content: { ...message, text: "Grüße", extra: { blocks } } },
    (client) => client.chat.update({ channel, ts, text: "Grüße", blocks, attachments: [] }),
  ],
];

for (const [name, unsending, theirs] of calls) {
  it(`Slack's SDK and our adapter ${name} a message alike`, async (t) => {
    const fake = await startFake(t, { status: 200, body: { ok: true, channel, ts } });
    const [ours] = await fake.watch(() => unsend("slack", sent, unsending, credentials, fake.io));
    const [given] = await fake.watch(() => theirs(new WebClient(accessToken)));
    assert.ok(ours && given);
    const form = Object.fromEntries(new URLSearchParams(given.body.toString()));
    for (const list of ["blocks", "attachments"]) if (form[list]) form[list] = JSON.parse(form[list]);
    const json = { ...given, body: Buffer.from(JSON.stringify(form)), headers: { ...given.headers } };
    json.headers["content-type"] = ours.headers["content-type"] ?? "";
    assert.deepEqual(compare(canonical(ours), canonical(json)), []);
  });
}

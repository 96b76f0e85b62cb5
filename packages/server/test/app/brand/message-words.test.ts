// Words of the service in messages: links of the brand layout and summaries of a digest, by the reader's locale.
import assert from "node:assert/strict";
import { test } from "node:test";
import { before } from "@tidings/testkit/at-end";
import { startTestService } from "@tidings/testkit/service";
import { createWorkflow, email, inApp, messagesOf, notificationsOf, settled, trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";

const { client } = await startTestService({ TIDINGS_PUBLIC_URL: "https://notify.example.com" });

before(() => client("brand.createLayout", { body: { isDefault: true } }));

async function mailTo(subscriberId: string, locale: string) {
  const to = { subscriberId, email: `${subscriberId}@example.com`, locale };
  const { transactionId } = (await client("events.trigger", { body: { name: "hello", to, payload: {} } })).body;
  await settled(client, transactionId!);
  const [mail] = (await client("captured.list", { query: { transactionId: transactionId! } })).body.data;
  const links = [...String(mail!.html).matchAll(/<a href="https:\/\/notify[^>]+>([^<]+)<\/a>/g)].map(
    ([, text]) => text,
  );
  const query = { transactionId: transactionId!, subscriberId };
  return { links, explained: JSON.stringify((await client("explain.retrieve", { query })).body) };
}

test("links of the brand layout are in the reader's language; explain says where there are no words", async () => {
  await createWorkflow(client, "hello", [email({ subject: "Hi", body: "<p>Hi</p>" })]);
  const german = await mailTo("ada", "de_AT");
  assert.deepEqual(german.links, ["Einstellungen", "Abmelden"]);
  assert.doesNotMatch(german.explained, /No words in the subscriber's language/);
  assert.deepEqual((await mailTo("omar", "ar_EG")).links, ["التفضيلات", "إلغاء الاشتراك"]);
  const icelandic = await mailTo("bjork", "is_IS");
  assert.deepEqual(icelandic.links, ["Preferences", "Unsubscribe"]);
  assert.match(icelandic.explained, /No words in the subscriber's language, those of the service are English/);
  assert.match(icelandic.explained, /is_IS/);
  const controlValues = { subject: "{{ unsubscribeText }}", body: "x" };
  const body = { step: { type: "email" as const, controlValues }, locale: "fr_CA" };
  const { result, checks } = (await client("workflows.preview", { body })).body.data;
  assert.equal(result.subject, "Se désabonner");
  assert.ok(!checks?.some(({ code }) => code === "unknown_variable"));
});

test("a translated workflow sums a digest up in the reader's language, another one in English", async () => {
  const digest = {
    name: "Digest",
    type: "digest" as const,
    controlValues: { type: "regular", amount: 1, unit: "hours" },
  };
  const note = inApp({
    body: "{{ steps.digest.countSummary }}: {{ steps.digest.events | toSentence: 'payload.name' }}",
  });
  await createWorkflow(client, "translated", [digest, note], { isTranslationEnabled: true });
  await createWorkflow(client, "plain", [digest, note]);
  const to = { subscriberId: "grace", locale: "de_DE" };
  const summaryOf = async (name: string) => {
    const first = await trigger(client, name, to, { name: "Ada" });
    await eventually(async () => {
      const [run] = await notificationsOf(client, first);
      return run?.jobs?.some(({ status }) => status === "delayed");
    }, "the digest to collect");
    for (const other of ["Bob", "Cleo", "Dan"]) await settled(client, await trigger(client, name, to, { name: other }));
    await client("digests.close", { params: { workflowId: name }, body: {} });
    await settled(client, first);
    return (await messagesOf(client, first)).map(({ content }) => content)[0];
  };
  assert.equal(await summaryOf("translated"), "4 Benachrichtigungen: Ada, Bob und 2 weitere");
  assert.equal(await summaryOf("plain"), "4 notifications: Ada, Bob and 2 others");
});

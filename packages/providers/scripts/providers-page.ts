// Writes docs/providers.md: what each provider needs, accepts and reports, from the declarations themselves. Notes on a
// provider's documentation are in the head comment of its file, after "Documentation seen".

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addedProviderIds } from "@tidings/contract";
import { listProviders, type ProviderInfo } from "../src/index.ts";

const source = join(import.meta.dirname, "..", "src");

const channels = [
  ["email", "Email"],
  ["sms", "SMS"],
  ["push", "Push"],
  ["chat", "Chat"],
  ["in_app", "In-app"],
] as const;

const isAdded = ({ id }: ProviderInfo): boolean => (addedProviderIds as readonly string[]).includes(id);

function intro(all: readonly ProviderInfo[]): string {
  const counts = channels
    .filter(([channel]) => channel !== "in_app")
    .map(([channel, title]) => `${all.filter((one) => one.channel === channel && !isAdded(one)).length} ${title}`);
  const added = all.filter(isAdded).map(({ name }) => name);
  const known = all.filter((one) => one.channel !== "in_app" && !isAdded(one)).length;
  return `# Providers

<!-- Generated from packages/providers/src by \`npm run generate\`. Do not edit. -->

${known} providers (${counts.join(", ")}), and in addition ${added.join(" and ")} ([web-push.md](web-push.md), [chat.md](chat.md#telegram)). \`GET /v1/providers\` returns the same
as JSON.

- **Credentials** are members of an integration's \`credentials\`. **Bold** ones are required for an active integration (\`from\` and
  \`senderName\` may also come with the step or the event); those with a key (🔑) are secret: encrypted at rest, never shown.
- **Limits**: a message over a limit fails before the provider is called, with the limit in the error text; calls per second are a rate limit, and more calls wait.
- **Receipts**: the provider's own delivery reports are understood. For every other provider, reports in the generic form are understood
  ([webhooks.md](webhooks.md)).
- **Check**: \`"check": true\` of an integration asks the provider whether the credentials work.
- **Auto**: \`POST /v1/integrations/{integrationId}/auto-configure\` registers the webhook for delivery reports at the provider; for
  every other one its address is entered there by hand.
- **Retract**: what is possible with a message that was sent. *delete* and *change* happen where people read it. *replace* is a
  push that takes the place of the notification, *remove* one that asks the app or the browser to remove it. Elsewhere a message
  that was sent stays. In Slack and Teams this holds for what the app or bot sent, and for nothing that went through a webhook.

## Retracted notifications

Every push through APNs, FCM and Web Push names its notification after the message id: \`apns-collapse-id\`, the \`tag\` on Android
and in browsers, \`Topic\` at push services. A push that replaces it has the same name, and no work for the app. Overrides may give
another name. Android's \`collapse_key\` is not set: Google keeps messages of four keys for a device that is offline, and drops others.

A removal is a silent push, and the app has to act on it. It has \`tidings: { "remove": "<message id>" }\` in the payload of APNs and in
\`data\` of Expo; in \`data\` of FCM the value of \`tidings\` is that object as JSON text. Devices may delay or drop silent pushes, and
nothing confirms that a notification is gone. The app removes the notification of that message:

- iOS: \`removeDeliveredNotifications(withIdentifiers: [messageId])\`. The collapse id is the identifier of the notification. The app
  needs the background mode *Remote notifications*.
- Android: \`notificationManager.cancel(messageId, 0)\` in \`onMessageReceived\`. Notifications that Firebase's SDK shows have the tag and
  the id 0.
- Browsers: the worker of the inbox does it, and [web-push.md](web-push.md#retracted-notifications) says what your own has to do.

## Tests

Every adapter has a conformance case made from the provider's documentation (\`packages/providers/test/conformance/cases\`); none of
them has been run against a live account. Where the documentation that could be read leaves something open, the note says so.
`;
}

const thousands = (value: number): string => value.toLocaleString("en-US");

function limitWords({ limits = {} }: ProviderInfo): string {
  return (
    [
      limits.text !== undefined && `${thousands(limits.text)} characters`,
      limits.recipients !== undefined && `${thousands(limits.recipients)} recipients`,
      limits.attachmentBytes !== undefined && `${thousands(limits.attachmentBytes / 1_000_000)} MB attached`,
      limits.perSecond !== undefined && `${thousands(limits.perSecond)} a second`,
    ]
      .filter(Boolean)
      .join(", ") || "–"
  );
}

function credentialWords({ credentials }: ProviderInfo): string {
  return (
    Object.entries(credentials)
      .map(([key, { label, required, secret, options, default: fallback }]) => {
        const name = required ? `**\`${key}\`**` : `\`${key}\``;
        const values = options ? `: ${options.join(", ")}` : "";
        const blank = fallback === undefined ? "" : `; default ${fallback}`;
        return `${name}${secret ? " 🔑" : ""} ${label}${values}${blank}`;
      })
      .join("<br>") || "none"
  );
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
/** How a message is retracted: words for a chat or for a push. */
function unsendWords({ channel, unsend }: ProviderInfo): string {
  const words = [
    unsend.delete && "delete",
    unsend.replace && (channel === "push" ? "replace" : "change"),
    unsend.removal && "remove",
  ];
  return words.filter(Boolean).join(", ") || "–";
}

const mark = (does: boolean): string => (does ? "yes" : "–");

function row(info: ProviderInfo): string {
  const { id, name, docs, receipts, hasCheck, autoConfigure } = info;
  const title = docs ? `[${name}](${docs})` : name;
  const cells = [
    `\`${id}\``,
    title,
    credentialWords(info),
    limitWords(info),
    mark(receipts),
    mark(hasCheck),
    mark(autoConfigure),
    unsendWords(info),
  ];
  return `| ${cells.map(cell).join(" | ")} |`;
}

/** What the head comment says about the documentation, if it does. */
function noteOf({ id, channel }: ProviderInfo): string | undefined {
  if (channel === "in_app") return undefined;
  const [head = ""] = readFileSync(join(source, channel, `${id}.ts`), "utf8").split("\n\n");
  const text = head.replaceAll(/^\/\/ ?/gm, "").replaceAll("\n", " ");
  return /Documentation seen.*$/.exec(text)?.[0];
}

/** Which of the email providers do without what most can carry. */
function lacking(list: ProviderInfo[]): string[] {
  return (
    [
      ["inline", "Inline images (`cid`) are shown by all but"],
      ["customData", "`customData` of the event are kept by all but"],
    ] as const
  ).map(([what, words]) => {
    const ids = list.filter(({ takes = [] }) => !takes.includes(what)).map(({ id }) => `\`${id}\``);
    return `- ${words} ${ids.join(", ")}. [email.md](email.md) has the rest.`;
  });
}

function section(title: string, list: ProviderInfo[]): string {
  const documented = list.flatMap((info) => {
    const note = noteOf(info);
    return note ? [`- \`${info.id}\`: ${note}`] : [];
  });
  const notes = [...(list[0]?.channel === "email" ? lacking(list) : []), ...documented];
  return [
    `## ${title}`,
    "",
    "| id | name | credentials | limits | receipts | check | auto | retract |",
    "|---|---|---|---|---|---|---|---|",
    ...list.map(row),
    ...(notes.length > 0 ? ["", ...notes] : []),
    "",
  ].join("\n");
}

export function generateProvidersPage(): { path: string; content: string } {
  const all = listProviders();
  const sections = channels.map(([channel, title]) =>
    section(
      title,
      all.filter((one) => one.channel === channel),
    ),
  );
  return { path: "docs/providers.md", content: [intro(all), ...sections].join("\n") };
}

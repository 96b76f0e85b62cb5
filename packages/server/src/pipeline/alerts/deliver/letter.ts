// The forms of a message about alerts: mail, Slack, webhook.
import type { AlertNotice } from "@tidings/contract";
import { toHtml, toLine } from "../../../lib/text/mail-text.ts";
import type { AlertContent, StoredNotice } from "../../../store/tables.ts";
import { wordsOf } from "../words.ts";

/** Where a message comes from; `publicUrl` may be empty. */
export type Place = { environmentId: string; name: string; identifier: string; publicUrl: string };

type Entry = { title: string; lines: string[]; advice: string; url: string };

/** What a message says. `data`: for programs that receive it. */
export type Letter = {
  id: string;
  at: string;
  place: Place;
  subject: string;
  note?: string;
  entries: Entry[];
  data: object[];
};

const prefixes: Record<AlertNotice, string> = {
  opened: "",
  repeated: "Still open: ",
  resolved: "Resolved: ",
  passed: "Over: ",
};

const toMinute = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

function linkTo({ publicUrl, identifier }: Place, path: string): string {
  return `${publicUrl}${path}${path.includes("?") ? "&" : "?"}env=${encodeURIComponent(identifier)}`;
}

const timesOf = ({ openedAt, resolvedAt }: StoredNotice): string =>
  resolvedAt ? `From ${toMinute(openedAt)} to ${toMinute(resolvedAt)}.` : `Since ${toMinute(openedAt)}.`;

function toEntry(place: Place, notice: StoredNotice): Entry {
  const { title, text, advice, path } = wordsOf(notice);
  const isOver = notice.resolvedAt !== undefined;
  return {
    title: toLine(`${prefixes[notice.notice]}${title}`),
    lines: [timesOf(notice), isOver ? `It was: ${text}` : text],
    advice: isOver ? "" : advice,
    url: linkTo(place, path),
  };
}

function toData(place: Place, { notice, alertId, ...alert }: StoredNotice): object {
  const { title, text, advice, path } = wordsOf(alert);
  return { id: alertId, notice, ...alert, title, text, advice, url: linkTo(place, path) };
}

const subjectOf = (place: Place, entries: Entry[]): string => {
  const more = entries.length > 1 ? ` and ${entries.length - 1} more` : "";
  return toLine(`[${place.name}] ${entries[0]?.title ?? "Alerts"}${more}`);
};

export function writeLetter(id: string, place: Place, { at, notices, failed }: AlertContent): Letter {
  const entries = notices.map((notice) => toEntry(place, notice));
  const note = failed
    ? `You get this message because ${failed.target} could not be reached: ${toLine(failed.reason)}`
    : undefined;
  const data = notices.map((notice) => toData(place, notice));
  return { id, at, place, subject: subjectOf(place, entries), note, entries, data };
}

/** A message that shows that a target can be reached. */
export function writeTestLetter(id: string, place: Place, { ruleName, at }: { ruleName: string; at: string }): Letter {
  const entry = {
    title: toLine(`Test of the alert rule ${ruleName}`),
    lines: ["Nothing is wrong: a member or a program asked for this message."],
    advice: "",
    url: linkTo(place, "/alerts"),
  };
  return { id, at, place, subject: subjectOf(place, [entry]), entries: [entry], data: [] };
}

export type Mail = { subject: string; text: string; html: string };

export function toMail({ subject, note, entries }: Letter): Mail {
  const texts = entries.map(({ title, lines, advice, url }) =>
    [title, ...lines, ...(advice ? [advice] : []), url].join("\n"),
  );
  const parts = entries.map(
    ({ title, lines, advice, url }) =>
      `<h3>${toHtml(title)}</h3>${[...lines, ...(advice ? [advice] : [])].map((line) => `<p>${toHtml(line)}</p>`).join("")}` +
      `<p><a href="${toHtml(url)}">Open the dashboard</a></p>`,
  );
  return {
    subject,
    text: `${[...(note ? [note] : []), ...texts].join("\n\n")}\n`,
    html: (note ? `<p>${toHtml(note)}</p>` : "") + parts.join("\n"),
  };
}

/** Slack reads `&`, `<` and `>` as markup. */
const toSlackText = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => (sign === "&" ? "&amp;" : sign === "<" ? "&lt;" : "&gt;"));

/** Limits of Slack: blocks of a message, and characters of a section. */
const maxBlocks = 45;
const maxSection = 2_900;

export function toSlack({ subject, entries }: Letter): { text: string; blocks: object[] } {
  const sections = entries.map(({ title, lines, advice, url }) => {
    const rest = [...lines, ...(advice ? [advice] : [])].map(toSlackText).join("\n");
    const link = /^https?:/.test(url) ? `\n<${url}|Open the dashboard>` : "";
    return `*${toSlackText(title)}*\n${rest.slice(0, maxSection - title.length - link.length - 10).toWellFormed()}${link}`;
  });
  const left = sections.length - maxBlocks;
  const shown = sections.slice(0, maxBlocks);
  return {
    text: toSlackText(subject),
    blocks: [...shown, ...(left > 0 ? [`and ${left} more in the dashboard`] : [])].map((text) => ({
      type: "section",
      text: { type: "mrkdwn", text },
    })),
  };
}

const webhookType = "alerts";

/** The body for webhooks, signed as Standard Webhooks says. `id` is that of the header `webhook-id`. */
export const toWebhookBody = ({ id, at, place, subject, data }: Letter): string =>
  JSON.stringify({
    id,
    type: data.length > 0 ? webhookType : "alerts.test",
    timestamp: at,
    environmentId: place.environmentId,
    data: { environment: place.name, subject, alerts: data },
  });

// The preference page as HTML, for any browser: it is opened from a mail.
import {
  type Channel,
  type ChannelAttention,
  channels,
  type DigestFrequency,
  type PreferenceChannels,
} from "@tidings/contract";
import { formValue } from "../../app/attention/own-limits.ts";
import type { PageGroup, PageWorkflow, PreferencePage } from "../../app/subscribers/unsubscribe.ts";
import { idToBase62 } from "../../lib/ids.ts";
import { preferencesAnchor } from "../../lib/tokens/unsubscribe-token.ts";
import { type Html, html, trusted } from "../docs/docs-page.markup.ts";
import { frame } from "./page.ts";
import type { PageWords } from "./words/page-words.ts";
import { fill, type PageLanguage } from "./words/words.ts";

/**
 * Names of form fields. RFC 8058 fixes the first. `shown` holds, for each row, the choices that the page showed (the
 * channels that were on, and the frequency of a digest); `was` the choices that an undo brings back; `limits` the limit
 * that the page showed for a channel.
 */
export const fields = {
  oneClick: "List-Unsubscribe",
  shown: "shown",
  everything: "all",
  stop: "stop",
  was: "was",
  limits: "limits",
} as const;

/** The name of a row: that of a category begins with this. */
export const categoryPrefix = "c_";

/** Before the name of a row: how often its digest is sent. */
export const frequencyPrefix = "f_";

/** Before the name of a channel: how many of its messages the reader wants at most. */
export const limitPrefix = "l_";

export type PageNotice = { text: string; undo?: string[] };

export function renderPreferences(page: PreferencePage, language: PageLanguage, notice?: PageNotice): string {
  const { words, own } = language;
  return frame(
    words.title,
    html`<h1>${words.title}</h1>
${page.subscriberName !== "" && html`<p class="lead">${fill(words.forPerson, { name: page.subscriberName })}</p>`}
${own.introduction !== undefined && html`<p class="own">${own.introduction}</p>`}
${notice && noticeCard(notice, words)}
${page.subject && subjectCard(page.subject, words)}
${page.groups.length > 0 ? choices(page, words) : html`<p class="card">${words.nothing}</p>`}`,
    language,
  );
}

const noticeCard = ({ text, undo }: PageNotice, words: PageWords): Html =>
  html`<div class="card saved"><p role="status">${text}</p>${undo && undoForm(undo, words)}</div>`;

/** Brings back what was chosen before. */
export const undoForm = (was: string[], words: PageWords): Html =>
  html`<form method="post">${was.map((value) => html`<input type="hidden" name="${fields.was}" value="${value}">`)}<button class="quiet">${words.undo}</button></form>`;

const subjectCard = ({ name, channels: on }: PageWorkflow, words: PageWords): Html => html`<section class="card">
<h2>${name}</h2>
${
  on.email
    ? html`<p>${words.receives}</p>
<form method="post"><input type="hidden" name="${fields.oneClick}" value="One-Click"><button>${words.unsubscribe}</button></form>`
    : html`<p>${words.receivesNot}</p>`
}
</section>`;

function choices({ global, groups, count, hasMore, limits }: PreferencePage, words: PageWords): Html {
  const shown = channels.filter((channel) => channel in global);
  const columns = { shown, words };
  return html`<form method="post" class="card" id="${preferencesAnchor}" style="--columns:${shown.length}">
<h2>${words.choices}</h2>
<p class="note">${words.precedence}</p>
<div class="row head" aria-hidden="true"><span></span>${shown.map((channel) => html`<span>${words.channels[channel]}</span>`)}</div>
${row(fields.everything, html`${words.everything} <small>${words.unlessSet}</small>`, global, columns)}
${groups.map((group) => groupRows(group, columns, groups.length > 1))}
${hasMore && html`<p class="note">${fill(words.onlyFirst, { count })}</p>`}
${limits.length > 0 && limitChoices(limits, words)}
<div class="ends"><button class="save">${words.save}</button>
<button class="quiet" name="${fields.stop}" value="all">${words.stopAll}</button></div>
<p class="note">${words.stopAllText}</p>
</form>`;
}

type Digest = Pick<PageWorkflow, "digestFrequency" | "digestFrequencies">;
type Columns = { shown: readonly Channel[]; words: PageWords; digest?: Digest };

function groupRows({ category, workflows }: PageGroup, columns: Columns, hasOthers: boolean): Html {
  const { words } = columns;
  const rows = workflows.map(({ id, name, channels: on, ...digest }) =>
    row(idToBase62(id), html`${name}`, on, { ...columns, digest }),
  );
  if (!category) return html`${hasOthers && html`<h3>${words.other}</h3>`}${rows}`;
  const { id, name, description, isRequired, channels: on } = category;
  const about = description !== "" && html`<small><bdi>${description}</bdi></small>`;
  if (isRequired)
    return html`<div class="row group"><span>${name} ${about}<small>${words.required}</small></span></div>`;
  const label = html`${name} ${about}`;
  return html`<div class="group">${row(`${categoryPrefix}${idToBase62(id)}`, label, on, columns)}<div class="members">${rows}</div></div>`;
}

function row(key: string, name: Html, on: PreferenceChannels, { shown, words, digest }: Columns): Html {
  const offered = channels.filter((channel) => on[channel] !== undefined);
  const before = `${key}:${offered.filter((channel) => on[channel]).join(",")}${digest?.digestFrequencies ? `:${digest.digestFrequency ?? ""}` : ""}`;
  const boxOf = (channel: Channel): Html =>
    html`<label><input type="checkbox" name="${key}" value="${channel}"${on[channel] && trusted(" checked")}><span>${words.channels[channel]}</span></label>`;
  return html`<div class="row" role="group" aria-labelledby="n-${key}"><span id="n-${key}">${name}</span>
<input type="hidden" name="${fields.shown}" value="${before}">${shown.map((channel) =>
    on[channel] === undefined ? html`<span class="absent"></span>` : boxOf(channel),
  )}${digest?.digestFrequencies && frequencyChoice(key, digest, words)}</div>`;
}

/** How often the digest of a workflow is sent; the first option leaves it to the workflow. */
function frequencyChoice(key: string, { digestFrequency, digestFrequencies = [] }: Digest, words: PageWords): Html {
  const chosen = digestFrequency ?? "";
  const option = (value: DigestFrequency | "", text: string): Html =>
    html`<option value="${value}"${value === chosen && trusted(" selected")}>${text}</option>`;
  return html`<div class="often"><label for="f-${key}">${words.frequency}</label>
<select id="f-${key}" name="${frequencyPrefix}${key}" aria-describedby="n-${key}">${option("", words.frequencies.usual)}${digestFrequencies.map(
    (one) => option(one, words.frequencies[one]),
  )}</select></div>`;
}

/** How many messages of each channel the reader wants at most; the first option leaves it to the sender. */
const limitChoices = (limits: ChannelAttention[], words: PageWords): Html => html`<h3>${words.limit}</h3>
<p class="note">${words.limitText}</p>
${limits.map((one) => limitChoice(one, words))}`;

function limitChoice({ channel, own, choices: offered }: ChannelAttention, words: PageWords): Html {
  const chosen = formValue(own);
  const option = (value: string, text: string): Html =>
    html`<option value="${value}"${value === chosen && trusted(" selected")}>${text}</option>`;
  return html`<div class="row limit"><label for="l-${channel}">${words.channels[channel]}</label>
<input type="hidden" name="${fields.limits}" value="${channel}:${chosen}">
<select id="l-${channel}" name="${limitPrefix}${channel}">${option("", words.limits.none)}${offered.map((one) =>
    option(formValue(one), fill(words.limits[one.unit], { count: one.limit })),
  )}</select></div>`;
}

// The preference page as HTML, for any browser: it is opened from a mail.
import { type Channel, channels, type PreferenceChannels } from "@tidings/contract";
import type { PreferencePage } from "../../app/subscribers/unsubscribe.ts";
import { idToBase62 } from "../../lib/ids.ts";
import { type Html, html, trusted } from "../docs/docs-page.markup.ts";
import { frame } from "./page.ts";

/** Names of form fields. RFC 8058 fixes the first; `shown` holds, for each row, the choices that the page showed. */
export const fields = { oneClick: "List-Unsubscribe", shown: "shown", everything: "all" } as const;

const channelNames: Record<Channel, string> = {
  in_app: "In-app",
  email: "Email",
  sms: "SMS",
  chat: "Chat",
  push: "Push",
};

export const renderPreferences = (page: PreferencePage, notice?: string): string =>
  frame(
    "Notification preferences",
    html`<h1>Notification preferences</h1>
${page.subscriberName !== "" && html`<p class="lead">For ${page.subscriberName}</p>`}
${notice !== undefined && html`<p class="card saved" role="status">${notice}</p>`}
${page.subject && subjectCard(page.subject)}
${page.workflows.length > 0 ? choices(page) : html`<p class="card">There is nothing to turn on or off right now.</p>`}`,
  );

const subjectCard = ({
  name,
  channels: on,
}: NonNullable<PreferencePage["subject"]>): Html => html`<section class="card">
<h2>${name}</h2>
${
  on.email
    ? html`<p>You receive these notifications by email.</p>
<form method="post"><input type="hidden" name="${fields.oneClick}" value="One-Click"><button>Unsubscribe from these emails</button></form>`
    : html`<p>You do not receive these notifications by email.</p>`
}
</section>`;

const choices = ({ global, workflows, hasMore }: PreferencePage): Html => html`<form method="post" class="card">
<h2>What you receive, and where</h2>
<p class="note">Settings below override this.</p>
${row(fields.everything, html`All notifications <small>unless set below</small>`, global)}
${workflows.map(({ id, name, channels: on }) => row(idToBase62(id), html`${name}`, on))}
${hasMore && html`<p class="note">Only the first ${workflows.length} are shown.</p>`}
<button class="save">Save</button>
</form>`;

const row = (key: string, name: Html, on: PreferenceChannels): Html => {
  const offered = channels.filter((channel) => on[channel] !== undefined);
  const shown = `${key}:${offered.filter((channel) => on[channel]).join(",")}`;
  return html`<div class="row" role="group" aria-labelledby="n-${key}"><span id="n-${key}">${name}</span>
<input type="hidden" name="${fields.shown}" value="${shown}"><div class="channels">${offered.map(
    (channel) =>
      html`<label><input type="checkbox" name="${key}" value="${channel}"${on[channel] && trusted(" checked")}>${channelNames[channel]}</label>`,
  )}</div></div>`;
};

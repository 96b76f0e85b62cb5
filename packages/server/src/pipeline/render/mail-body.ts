// The content of an email: subject, HTML and text, from the controls of the step and its layout.
import type { LayoutControlValues } from "@tidings/contract";
import { withinBudget } from "../../lib/work.ts";
import { escapeHtml } from "./block-parts.ts";
import { renderBody } from "./blocks.ts";
import { sanitizeHtml } from "./html.ts";
import { decodeEntities, htmlToText } from "./html-text.ts";
import { inlineCss } from "./inline-css.ts";
import { renderLayout } from "./layout.ts";
import { render } from "./liquid.ts";
import { withLinkSchemes } from "./safe-urls.ts";

export type MailControls = {
  subject?: string;
  body?: string;
  editorType?: string;
  disableOutputSanitization?: boolean;
  /** Shown after the subject in the list of a mailbox, and nowhere else. */
  preheader?: string;
  /** Instead of the text that is generated from the HTML. */
  text?: string;
};

/** A layout with its template scope: that of the email, with the layout's own translations. */
type MailLayout = { values: LayoutControlValues; scope: object };

export type Mail = { subject: string; html: string; text: string };

type MailParts = { controls: MailControls; layout: MailLayout | null; scope: object };

/** `linkSchemes`: of the apps that the environment allows in links. */
type RenderedMail = MailParts & { linkSchemes?: readonly string[] };

/** Throws RenderError when a part cannot be rendered, or the whole takes too much work. */
export const renderMail = ({ linkSchemes = [], ...mail }: RenderedMail): Mail =>
  withinBudget(() => withLinkSchemes(linkSchemes, () => renderParts(mail)));

function renderParts({ controls, layout, scope }: MailParts): Mail {
  const body = renderBody(controls.body ?? "", controls.editorType, layout === null, scope);
  const whole = layout ? renderLayout(layout.values, layout.scope, body) : body;
  const preheader = renderLine(controls.preheader ?? "", scope);
  const previewed = preheader === "" ? whole : withPreheader(whole, preheader);
  const html = inlineCss(controls.disableOutputSanitization ? previewed : sanitizeHtml(previewed, "mail"));
  const text = controls.text ? render(controls.text, scope, "text").trim() : "";
  return { subject: renderLine(controls.subject ?? "", scope), html, text: text || htmlToText(html) };
}

/**
 * A subject is one line: a line break in a header would start another header. Mail programs do not decode entities in
 * it, so one can only come from a value escaped for HTML; it is decoded before line breaks are replaced.
 */
export const renderLine = (template: string, scope: object): string =>
  decodeEntities(render(template, scope, "text"))
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();

const hiddenStyle =
  "display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;mso-hide:all";
/** Mailboxes show about 150 characters. Invisible ones keep the beginning of the mail out of them. */
const filler = "\u200c\u00a0".repeat(100);

/** Where the content of a page begins, the most exact place first. */
const contentStarts = [/<body\b[^>]*>/i, /<\/head>/i, /<html\b[^>]*>/i, /^\s*<!doctype[^>]*>/i];

/** The text hidden at the beginning of the mail, from where mailboxes take it. */
function withPreheader(html: string, preheader: string): string {
  const found = contentStarts.map((start) => start.exec(html)).find((match) => match !== null);
  const at = found ? found.index + found[0].length : 0;
  const hidden = `<div style="${hiddenStyle}">${escapeHtml(preheader)}${filler}</div>`;
  return html.slice(0, at) + hidden + html.slice(at);
}

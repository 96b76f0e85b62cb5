// The content of an email: subject, HTML and text, from the controls of the step and its layout.
import type { LayoutControlValues } from "@tidings/contract";
import { withinBudget } from "../../lib/work.ts";
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
  const html = inlineCss(controls.disableOutputSanitization ? whole : sanitizeHtml(whole, "mail"));
  return { subject: renderSubject(controls.subject ?? "", scope), html, text: htmlToText(html) };
}

/**
 * The subject is one line: a line break in a header would start another header. Mail programs do not decode entities in
 * a subject, so one can only come from a value escaped for HTML; it is decoded before line breaks are replaced.
 */
const renderSubject = (subject: string, scope: object): string =>
  decodeEntities(render(subject, scope, "text"))
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();

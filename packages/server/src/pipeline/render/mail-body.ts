// An email as it leaves the building: subject, html and text, from the controls of the step and its layout.
import type { LayoutControlValues } from "@tidings/contract";
import { withinBudget } from "../../lib/work.ts";
import { renderBody } from "./blocks.ts";
import { sanitizeHtml } from "./html.ts";
import { decodeEntities, htmlToText } from "./html-text.ts";
import { inlineCss } from "./inline-css.ts";
import { renderLayout } from "./layout.ts";
import { render } from "./liquid.ts";

export type MailControls = {
  subject?: string;
  body?: string;
  editorType?: string;
  disableOutputSanitization?: boolean;
};

/** A layout with what its templates may use: the same as the mail's, but for texts of its own. */
export type MailLayout = { values: LayoutControlValues; scope: object };

export type Mail = { subject: string; html: string; text: string };

type MailParts = { controls: MailControls; layout: MailLayout | null; scope: object };

/** Throws RenderFault when something in it cannot be rendered, or all of it takes too much work. */
export const renderMail = (mail: MailParts): Mail => withinBudget(() => renderParts(mail));

function renderParts({ controls, layout, scope }: MailParts): Mail {
  const body = renderBody(controls.body ?? "", controls.editorType, layout === null, scope);
  const whole = layout ? renderLayout(layout.values, layout.scope, body) : body;
  const html = inlineCss(controls.disableOutputSanitization ? whole : sanitizeHtml(whole, "mail"));
  return { subject: renderSubject(controls.subject ?? "", scope), html, text: htmlToText(html) };
}

/**
 * One line: a line end in a header would begin another header. A mail program shows a subject as it stands, so an entity in
 * it can only be a value that was escaped for html; it becomes its character before the lines are joined.
 */
const renderSubject = (subject: string, scope: object): string =>
  decodeEntities(render(subject, scope, "text"))
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();

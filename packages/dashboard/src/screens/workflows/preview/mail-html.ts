// What a mailbox shows of a mail before it is opened, and the mail as a program without images shows it. Pure.

/** Characters of the line after the subject that mail programs have room for. */
const rowLength = 140;

/**
 * The line after the subject in a list of mails: the preview text of the step or, without one, the beginning of the
 * mail's text.
 */
export function previewTextOf(preheader: string | undefined, text: string): string {
  const line = (preheader || text).replaceAll(/\s+/g, " ").trim();
  return line.length > rowLength ? `${line.slice(0, rowLength - 1)}…` : line;
}

/** Images keep their place, size and alternative text, and have no address to load. */
export const withoutImages = (html: string): string =>
  html
    .replaceAll(/<img\b[^>]*>/gi, (tag) => tag.replaceAll(/\s(?:src|srcset)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi, ""))
    .replaceAll(/\sbackground\s*=\s*(?:"[^"]*"|'[^']*')/gi, "")
    .replaceAll(/url\((?:"[^"]*"|'[^']*'|[^)"']*)\)/gi, "none");

/** Mails that say nothing about dark colours get none from the browser either. */
export const hasDarkColours = (html: string): boolean => /color-scheme/i.test(html);

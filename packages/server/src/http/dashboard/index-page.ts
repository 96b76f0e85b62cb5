// The one page of the dashboard: it names the built files and the folder that the service is reached at. It has no
// inline script or style, so that its content security policy needs no exception.
import type { BuiltFiles } from "../built-files.ts";
import { html } from "../docs/docs-page.markup.ts";

/** `frame-src 'self'` is for previews of messages, which are sandboxed frames without scripts. */
export const indexPageCsp = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join("; ");

type PageSettings = {
  /** Where the service is reached, with a slash at both ends. */
  base: string;
  theme: "light" | "dark" | null;
  /** The built file of the screen: what it needs is loaded alongside the entry, not after it. */
  screen: string | undefined;
  /** Who is signed in is requested with the entry, too; the dashboard uses that response instead of a first request. */
  asksForSession: boolean;
};

/** A letter-sized mark as an icon of the tab. */
const icon =
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#0f766e" stroke-width="3.4" ' +
      'stroke-linecap="round"><circle cx="8" cy="24" r="3.4" fill="#0f766e" stroke="none"/>' +
      '<path d="M8 13a11 11 0 0 1 11 11M8 4a20 20 0 0 1 20 20"/></svg>',
  );

/** The files that the page needs at once: those of the entry, and the screen with its own. */
function filesOf(files: BuiltFiles, script: string, screen: string | undefined): Set<string> {
  const own = screen === undefined ? [] : [screen, ...files.find(screen)!.imports];
  return new Set([...files.find(script)!.imports, ...own]);
}

export function renderIndexPage(files: BuiltFiles, { base, theme, screen, asksForSession }: PageSettings): string {
  const script = files.entryOf("src/main.tsx")!;
  const { css } = files.find(script)!;
  return html`<!doctype html>
<html lang="en" data-theme="${theme ?? "system"}">
<head>
<meta charset="utf-8">
<base href="${base}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="referrer" content="same-origin">
<title>Tidings</title>
<link rel="icon" href="${icon}">
${css !== undefined && html`<link rel="stylesheet" href="dashboard/${css}">`}
${asksForSession && html`<link rel="preload" as="fetch" crossorigin href="v1/auth/session">`}
${[...filesOf(files, script, screen)].map((name) => html`<link rel="modulepreload" href="dashboard/${name}">`)}
<script type="module" src="dashboard/${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The dashboard needs JavaScript.</noscript>
</body>
</html>
`.html;
}

/**
 * For HTML of messages: styles and embedded pictures, but no script, no form and no other frame than the one without an
 * origin. Remote pictures and fonts tell their host who examines a message, when and from where, so they need the
 * reader's consent.
 */
export function framePageCsp({ allowsRemote }: { allowsRemote: boolean }): string {
  const remote = allowsRemote ? " https: http:" : "";
  return [
    "default-src 'none'",
    `style-src 'unsafe-inline'${allowsRemote ? " https:" : ""}`,
    `img-src data:${remote}`,
    `font-src data:${allowsRemote ? " https:" : ""}`,
    "frame-ancestors 'self'",
  ].join("; ");
}

/**
 * The page around a preview (packages/dashboard/src/kit/data/html-frame.tsx). It is white, as mails are written for,
 * unless it is shown dark.
 */
export const framePage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Preview</title>
<style>
html { color-scheme: light; }
html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block; background: Canvas; }
</style>
<body></body>
</html>
`;

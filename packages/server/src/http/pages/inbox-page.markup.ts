// The markup of the page /inbox: the widget next to the code that puts it into a page.
import { createHash } from "node:crypto";
import { codeBlock, html, trusted } from "../docs/docs-page.markup.ts";
import { pageStyle } from "./page.css.ts";

type PageOptions = {
  /** The address of the service, as the browser has it. */
  origin: string;
  /** The script of the page, relative to it. */
  script: string;
  /** The tarball of the package for bundlers, below /packages; undefined where it was not built. */
  packageFile: string | undefined;
  applicationIdentifier: string;
  subscriberId: string;
};

const style = `${pageStyle}
main { max-width: 68rem; }
.top { display: flex; align-items: center; justify-content: space-between; gap: 1rem; }
.top tidings-inbox:not(:defined) { display: inline-block; width: 40px; height: 40px; }
.columns { display: grid; grid-template-columns: minmax(0, 26rem) minmax(0, 1fr); gap: 2.5rem; margin-top: 2rem; align-items: start; }
.try { display: flex; align-items: center; gap: 1rem; flex-wrap: wrap; margin: 0 0 1.75rem; }
.try p { margin: 0; }
h2 { margin-top: 1.75rem; }
section > h2:first-child { margin-top: 0; }
figure { margin: 0.5rem 0 0; border: 1px solid var(--line); border-radius: 10px; background: var(--bg); overflow: hidden; }
figcaption { display: flex; justify-content: space-between; align-items: center; min-height: 2.4rem; padding: 0 0.5rem 0 1rem; border-bottom: 1px solid var(--line); font-size: 0.85rem; color: var(--muted); }
figcaption button { width: auto; padding: 0.15rem 0.6rem; font-size: 0.8rem; font-weight: 500; background: none; color: var(--muted); border-color: transparent; }
figcaption button:hover { color: var(--text); }
pre { margin: 0; padding: 0.85rem 1rem; overflow-x: auto; font: 0.8rem/1.6 var(--mono); }
code { font-family: var(--mono); font-size: 0.875em; }
pre code { font-size: 1em; }
figure + .note { margin-top: 1rem; }
button:disabled { opacity: 0.6; }
@media (max-width: 56rem) { .columns { grid-template-columns: minmax(0, 1fr); } }
`;

export function inboxPageCsp(): string {
  const hash = createHash("sha256").update(style).digest("base64");
  return [
    "default-src 'none'",
    // Avatars of notifications may come from anywhere.
    "img-src https: data:",
    `style-src 'sha256-${hash}'`,
    "script-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const scriptExample = ({ origin, applicationIdentifier, subscriberId }: PageOptions): string =>
  `<script src="${origin}/inbox.js" async></script>
<tidings-inbox
  application-identifier="${applicationIdentifier}"
  subscriber-id="${subscriberId}"
></tidings-inbox>`;

const moduleExample = ({ origin, applicationIdentifier, subscriberId }: PageOptions): string =>
  `import { createInbox } from "${origin}/inbox/index.js";

const inbox = createInbox({
  url: "${origin}",
  applicationIdentifier: "${applicationIdentifier}",
  subscriberId: "${subscriberId}",
});
inbox.subscribe(() => {
  document.title = \`\${inbox.getState().counts?.total ?? 0} unread\`;
});
await inbox.load();`;

/** Named apart from the example: it is text here, and no import of the service. */
const reactModule = "@tidings/inbox/react";

const reactExample = ({ origin, applicationIdentifier, subscriberId }: PageOptions): string =>
  `import { Inbox } from "${reactModule}";

export const Header = () => (
  <Inbox
    url="${origin}"
    applicationIdentifier="${applicationIdentifier}"
    subscriberId="${subscriberId}"
  />
);`;

export const renderInboxPage = (options: PageOptions): string => {
  const { applicationIdentifier, subscriberId } = options;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Inbox of ${subscriberId}</title>
<link rel="icon" href="data:,">
<style>${trusted(style)}</style>
<script src="${options.script}" type="module"></script>
</head>
<body>
<main>
<div class="top">
<h1>An inbox in your page</h1>
<tidings-inbox application-identifier="${applicationIdentifier}" subscriber-id="${subscriberId}"></tidings-inbox>
</div>
<p class="lead">The inbox of the subscriber <code>${subscriberId}</code> in the Development environment: as a bell up here, and as a list below.</p>
<div class="columns">
<section aria-label="The inbox">
<div class="try"><button type="button" id="send">Send a notification</button><p class="note" id="answer" role="status">The workflow <code>welcome</code></p></div>
<tidings-inbox mode="inline" application-identifier="${applicationIdentifier}" subscriber-id="${subscriberId}"></tidings-inbox>
</section>
<section>
<h2>In any page</h2>
<p class="note">The script defines the element. Without <code>mode="inline"</code> it is a bell.</p>
${codeBlock("HTML", scriptExample(options))}
<h2>Without the widget</h2>
<p class="note">The same inbox as a store, for a user interface of your own.</p>
${codeBlock("JavaScript module", moduleExample(options))}
<h2>In React</h2>
<p class="note">This service has the package at its own version. Next, Vue, Svelte and Angular: docs/inbox-frameworks.md.</p>
${options.packageFile !== undefined && codeBlock("Shell", `npm install ${options.origin}/packages/${options.packageFile}`)}
${codeBlock("React", reactExample(options))}
<p class="note">In production, your server adds a <code>subscriber-hash</code>, and the origin of your page is listed in <code>TIDINGS_INBOX_ORIGINS</code>. All attributes, events and colours are in docs/inbox.md.</p>
</section>
</div>
</main>
</body>
</html>
`.html;
};

// The style sheet of the documentation page. System fonts, one accent colour, light and dark from the same variables;
// text on its background keeps a contrast of at least 4.5 to 1 in both.

/** Colours and fonts of all pages. */
export const palette = `
:root {
  color-scheme: light dark;
  --bg: #ffffff; --soft: #f6f7f8; --line: #e2e5e9; --control: #87919a; --text: #1c2329; --muted: #55606b; --accent: #0f766e;
  --code-bg: #f6f7f8; --code-inline: #eef1f3; --panel: #fafbfb;
  --get: #1d5fa8; --post: #1a7340; --put: #8a5a00; --patch: #6b3fa0; --delete: #b3261e;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --header: 3.25rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #14181b; --soft: #1b2024; --line: #2c343a; --control: #6c7882; --text: #e3e7ea; --muted: #9aa6b0; --accent: #4fd1c0;
    --code-bg: #101316; --code-inline: #242b30; --panel: #181d20;
    --get: #7db8f5; --post: #6cd498; --put: #e8b85c; --patch: #c3a1f0; --delete: #ff938a;
  }
}
`;

export const docsPageStyle = `${palette}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: calc(var(--header) + 1.5rem); -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--bg); color: var(--text); font: 1rem/1.6 var(--sans); }
a { color: var(--accent); text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
.skip { position: absolute; left: -999px; top: 0; z-index: 3; background: var(--bg); padding: 0.75rem 1rem; }
.skip:focus { left: 0; }
.hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); }
code, pre, textarea, .method, .type { font-family: var(--mono); font-size: 0.875em; }
p code, td code, li p code, .limit code { background: var(--code-inline); border-radius: 4px; padding: 0.1em 0.35em; font-size: 0.85em; overflow-wrap: anywhere; }

header { position: sticky; top: 0; z-index: 2; display: flex; align-items: center; justify-content: space-between; height: var(--header); padding: 0 1.5rem; background: var(--bg); border-bottom: 1px solid var(--line); }
.brand { display: flex; align-items: center; gap: 0.5rem; color: var(--text); font-weight: 650; text-decoration: none; }
.brand span { color: var(--muted); font-weight: 400; font-size: 0.875rem; }
.brand svg { width: 1.25rem; height: 1.25rem; fill: none; stroke: var(--accent); stroke-width: 4; stroke-linecap: round; }
.brand circle { fill: var(--accent); }
button { font: inherit; font-size: 0.875rem; color: var(--text); background: var(--bg); border: 1px solid var(--line); border-radius: 6px; padding: 0.35rem 0.8rem; cursor: pointer; }
button:hover { border-color: var(--muted); }

nav { padding: 0 1.5rem 2rem; font-size: 0.9rem; }
.heading { margin: 1.4rem 0 0.3rem; font-size: 0.8rem; font-weight: 650; }
.heading a { color: inherit; text-decoration: none; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: 0.5rem; align-items: baseline; padding: 0.22rem 0.5rem; margin: 0 -0.5rem; border-radius: 6px; color: var(--muted); text-decoration: none; line-height: 1.4; }
nav a:hover, nav a[aria-current] { color: var(--text); }
nav li a:hover { background: var(--soft); }
nav li a[aria-current] { background: var(--soft); box-shadow: inset 2px 0 var(--accent); }
nav .method { flex: none; width: 3.2rem; font-size: 0.68rem; }
.tools { position: sticky; top: 0; z-index: 1; background: var(--bg); padding: 1.25rem 0 0.5rem; }
input, textarea { width: 100%; font: inherit; font-size: 0.9rem; color: var(--text); background: var(--bg); border: 1px solid var(--control); border-radius: 6px; padding: 0.45rem 0.65rem; }
textarea { font-family: var(--mono); font-size: 0.8rem; line-height: 1.55; resize: vertical; }
input:focus-visible, textarea:focus-visible { outline-offset: 0; }
::placeholder { color: var(--muted); opacity: 1; }

main { padding: 2rem 1.5rem 6rem; min-width: 0; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -0.02em; margin: 0 0 0.75rem; }
main h2 { font-size: 1.45rem; line-height: 1.3; letter-spacing: -0.01em; margin: 0 0 0.25rem; }
h3 { font-size: 1.15rem; line-height: 1.35; margin: 0 0 0.5rem; }
h4 { font-size: 0.95rem; margin: 1.75rem 0 0.5rem; padding-bottom: 0.35rem; border-bottom: 1px solid var(--line); }
p { margin: 0 0 0.75rem; max-width: 68ch; }
.lead { color: var(--muted); font-size: 1.05rem; }
.chapter { margin-top: 2.25rem; max-width: 48rem; }
.chapter h2 { font-size: 1.2rem; margin-bottom: 0.5rem; }
.chapter h3 { font-size: 1rem; margin: 1.5rem 0 0.5rem; }
.key { border: 1px solid var(--line); border-radius: 8px; padding: 1rem; background: var(--panel); }
.key label { display: block; font-size: 0.9rem; font-weight: 600; margin-bottom: 0.4rem; }
.key p { margin: 0.5rem 0 0; font-size: 0.85rem; color: var(--muted); }
.tag { margin-top: 4.5rem; padding-top: 2rem; border-top: 2px solid var(--line); }
.operation { margin-top: 2rem; padding-top: 0.5rem; }
.operation + .operation { margin-top: 3rem; padding-top: 2.5rem; border-top: 1px solid var(--line); }
.permalink { color: var(--muted); text-decoration: none; font-weight: 400; opacity: 0; }
h3:hover .permalink, .permalink:focus-visible { opacity: 1; }
.route { display: flex; align-items: baseline; gap: 0.6rem; }
.method { font-weight: 700; letter-spacing: 0.02em; font-size: 0.8rem; }
.route .method { border: 1px solid currentColor; border-radius: 5px; padding: 0.05rem 0.45rem; }
.route code { background: none; padding: 0; font-size: 0.925rem; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .patch { color: var(--patch); } .delete { color: var(--delete); }
.status { font: 600 0.85rem var(--mono); color: var(--post); }
.meta { margin-top: 1.5rem; font-size: 0.85rem; color: var(--muted); }

table { width: 100%; border-collapse: collapse; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.55rem 0.75rem 0.55rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { font-size: 0.8rem; color: var(--muted); padding-top: 0.2rem; }
tbody tr:last-child > * { border-bottom: 0; }
td p, .fields p { margin: 0; }
.errors tbody th code { background: none; padding: 0; overflow-wrap: normal; }
.name { font-weight: 650; }
.type { color: var(--muted); font-size: 0.8rem; }
.required, .deprecated { font-size: 0.78rem; color: var(--delete); white-space: nowrap; }
.deprecated { color: var(--put); }
.optional { font-size: 0.78rem; color: var(--muted); }
.limits { font-size: 0.85rem; color: var(--muted); }
.limits:empty { display: none; }
.limit + .limit::before { content: " · "; }
details.limit::before { content: none !important; }
.plain { color: var(--muted); font: 0.85rem var(--mono); }
.fields { list-style: none; margin: 0; padding: 0; font-size: 0.9rem; }
.field { display: flex; flex-wrap: wrap; align-items: baseline; column-gap: 0.6rem; }
.fields > li { padding: 0.45rem 0; border-bottom: 1px solid var(--line); }
.fields > li:last-child { border-bottom: 0; }
.fields details { margin-top: 0.35rem; }
.fields .fields { margin: 0.4rem 0 0 0.3rem; padding-left: 1rem; border-left: 2px solid var(--line); }
summary { cursor: pointer; color: var(--accent); font-size: 0.85rem; width: fit-content; }
.limits summary { font-size: inherit; }

.code, .try { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--code-bg); overflow: hidden; }
figcaption { display: flex; justify-content: space-between; align-items: center; min-height: 2.4rem; padding: 0.3rem 0.4rem 0.3rem 0.9rem; font-size: 0.8rem; color: var(--muted); border-bottom: 1px solid var(--line); }
figcaption button { font-size: 0.78rem; padding: 0.15rem 0.6rem; }
pre { margin: 0; padding: 0.8rem 0.9rem; overflow: auto; max-height: 24rem; font-size: 0.8rem; line-height: 1.55; }
pre code { font-size: inherit; }
.try { padding: 0.6rem 0.9rem; background: var(--panel); }
.try summary { font-weight: 600; font-size: 0.9rem; }
.try label { display: block; margin: 0.8rem 0 0.25rem; font-size: 0.85rem; }
.try button { margin: 0.9rem 0 0.3rem; background: var(--accent); border-color: var(--accent); color: var(--bg); font-weight: 600; }
.try output { display: block; font-size: 0.875rem; }
.try output pre { margin-top: 0.5rem; background: var(--code-bg); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
.passed { color: var(--post); } .failed { color: var(--delete); }

@media (min-width: 60rem) {
  body { display: grid; grid-template: auto 1fr / 17.5rem minmax(0, 1fr); }
  header { grid-column: 1 / -1; }
  #menu { display: none; }
  nav { position: sticky; top: var(--header); height: calc(100vh - var(--header)); overflow-y: auto; border-right: 1px solid var(--line); overscroll-behavior: contain; }
  main { padding: 2.5rem 3rem 8rem; max-width: 84rem; }
}
@media (min-width: 75rem) {
  .operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 26rem); gap: 2.5rem; }
  .samples { position: sticky; top: calc(var(--header) + 1.5rem); align-self: start; max-height: calc(100vh - var(--header) - 3rem); overflow-y: auto; }
}
@media (max-width: 59.99rem) {
  header { padding: 0 1.25rem; }
  .js nav { display: none; position: fixed; inset: var(--header) 0 0; z-index: 2; background: var(--bg); overflow-y: auto; padding: 0 1.25rem 3rem; }
  .js.menu-open nav { display: block; }
  .js.menu-open body { overflow: hidden; }
  nav li a { padding-block: 0.5rem; }
  main { padding: 1.5rem 1.25rem 4rem; }
  .samples { margin-top: 1.5rem; }
}
@media (max-width: 40rem) {
  thead { display: none; }
  tr { display: block; padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
  tbody th, tbody td { display: block; border: 0; padding: 0.1rem 0; }
  tbody td[data-label] { display: inline-block; margin-right: 1.25rem; }
  td[data-label]::before { content: attr(data-label) ": "; color: var(--muted); }
}
@media print { nav, header, .try, figcaption button { display: none; } body { display: block; } }
`;

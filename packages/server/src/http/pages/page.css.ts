// The style sheet of the pages that people see, in the colours of the documentation page.
import { palette } from "../docs/docs-page.css.ts";

export const pageStyle = `${palette}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--soft); color: var(--text); font: 1rem/1.6 var(--sans); overflow-wrap: anywhere; }
main { max-width: 44rem; margin: 0 auto; padding: 3rem 1.25rem 5rem; }
h1, h2 { color: var(--heading, var(--text)); }
h1 { font-size: 1.75rem; line-height: 1.2; letter-spacing: -0.02em; margin: 0 0 0.5rem; }
h2 { font-size: 1.1rem; line-height: 1.35; margin: 0 0 0.25rem; }
p { margin: 0 0 0.75rem; }
a { color: var(--accent); text-underline-offset: 0.15em; }
.lead, .note { color: var(--muted); }
.note { font-size: 0.9rem; }
.own { white-space: pre-line; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.brand { margin: 0 0 2rem; font-size: 1.25rem; font-weight: 700; color: var(--heading, var(--text)); }
.brand img { display: block; height: 2.5rem; width: auto; max-width: 15rem; object-fit: contain; }
.card { background: var(--bg); border: 1px solid var(--line); border-radius: var(--radius, 10px); padding: 1.25rem; margin-top: 1.5rem; }
.card > :last-child { margin-bottom: 0; }
.saved { border-inline-start: 4px solid var(--accent); }
.card form { margin: 0; }
h3 { font-size: 1rem; margin: 1.25rem 0 0.25rem; }
.row { display: grid; grid-template-columns: minmax(0, 1fr) repeat(var(--columns, 1), 4.75rem); gap: 0.25rem 0.75rem; align-items: center; padding: 0.7rem 0; border-top: 1px solid var(--line); }
.row > span:first-child { font-weight: 600; }
.row small { display: block; font-weight: 400; font-size: 0.9rem; color: var(--muted); }
.row label { justify-content: center; }
.row label span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.head { border: 0; padding: 0 0 0.4rem; font-size: 0.85rem; color: var(--muted); text-align: center; align-items: end; hyphens: auto; }
.group { border-top: 1px solid var(--line); margin-top: 0.75rem; padding-top: 0.35rem; }
.group > .row, .row.group { border-top: 0; }
.row.group { border-top: 1px solid var(--line); grid-template-columns: minmax(0, 1fr); }
.often { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; flex: 1 0 100%; color: var(--muted); }
.limit { grid-template-columns: minmax(0, 1fr) auto; }
.limit label { justify-content: start; font-weight: 600; }
:is(.often, .limit) select { font: inherit; padding: 0.25rem 0.5rem; min-height: 2.25rem; border: 1px solid var(--line); border-radius: var(--radius, 8px); background: var(--bg); color: var(--text); }
.members { padding-inline-start: 1rem; }
.members .row > span:first-child { font-weight: 400; }
.ends { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; margin: 1.25rem 0 0.75rem; }
label { position: relative; display: inline-flex; align-items: center; gap: 0.5rem; padding: 0.3rem 0; cursor: pointer; }
input[type="checkbox"] { width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--accent); }
button { font: inherit; font-weight: 600; color: var(--on-accent, var(--bg)); background: var(--accent); border: 1px solid var(--accent); border-radius: var(--radius, 8px); padding: 0.6rem 1.2rem; cursor: pointer; }
button:hover { filter: brightness(1.08); }
button.quiet { color: var(--accent); background: transparent; }
@media (max-width: 42rem) {
  main { padding-top: 1.75rem; }
  .row.head, .absent { display: none; }
  .row { display: flex; flex-wrap: wrap; gap: 0.15rem 1.25rem; }
  .row > span:first-child { flex: 1 0 100%; }
  .row label span { position: static; width: auto; height: auto; clip-path: none; white-space: normal; }
  button { width: 100%; }
}
`;

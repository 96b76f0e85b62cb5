// The style sheet of <tidings-toast>, with the variables that <tidings-inbox> has too.
export const toastStyle = `
:host {
  --accent: var(--tidings-accent, light-dark(#0f766e, #4fd1c0));
  --bg: var(--tidings-background, light-dark(#fff, #181c20));
  --soft: var(--tidings-hover, light-dark(#f5f6f7, #21262b));
  --line: var(--tidings-border, light-dark(#e7e9ec, #2d343a));
  --text: var(--tidings-text, light-dark(#1c2329, #e6e9ec));
  --muted: var(--tidings-muted, light-dark(#5b6670, #9ba6b0));
  --high: var(--tidings-high, light-dark(#c4271b, #ff8a80));
  --medium: var(--tidings-medium, light-dark(#9a5b00, #f0b957));
  display: contents; font: 14px/1.45 var(--tidings-font, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
}
:host([hidden]) { display: none; }
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
* { box-sizing: border-box; }
.place { position: fixed; inset: auto; margin: 0; padding: 16px; width: min(392px, 100vw); max-height: 100dvh; border: 0; background: none; color: var(--text); overflow: visible; pointer-events: none; }
.place:popover-open { display: flex; flex-direction: column; gap: 10px; }
.place[data-placement^="top"] { top: 0; flex-direction: column-reverse; }
.place[data-placement^="bottom"] { bottom: 0; }
.place[data-placement$="-start"] { inset-inline-start: 0; }
.place[data-placement$="-end"] { inset-inline-end: 0; }
.place:is([data-placement="top"], [data-placement="bottom"]) { left: 50%; transform: translateX(-50%); }
.toast { display: flex; align-items: flex-start; border: 1px solid var(--line); border-inline-start: 3px solid var(--accent); border-radius: var(--tidings-radius, 12px); background: var(--bg); box-shadow: 0 1px 2px rgb(0 0 0 / 6%), 0 10px 32px rgb(0 0 0 / 16%); pointer-events: auto; }
.severity-high { border-inline-start-color: var(--high); }
.severity-medium { border-inline-start-color: var(--medium); }
button { border: 0; background: none; padding: 0; margin: 0; font: inherit; color: inherit; cursor: pointer; }
.main { flex: 1; min-width: 0; padding: 12px 4px 12px 14px; padding-inline: 14px 4px; text-align: start; color: inherit; text-decoration: none; border-radius: 10px; }
.subject, .body { text-align: match-parent; display: -webkit-box; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: anywhere; }
.subject { font-weight: 600; -webkit-line-clamp: 2; }
.body { color: var(--muted); -webkit-line-clamp: 3; }
.main:hover .subject { text-decoration: underline; text-underline-offset: 2px; }
.dismiss { flex: none; display: grid; place-items: center; width: 32px; height: 32px; margin: 7px; border-radius: 8px; color: var(--muted); }
.dismiss:hover { background: var(--soft); color: var(--text); }
.dismiss svg { width: 18px; height: 18px; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
@media (prefers-reduced-motion: no-preference) {
  .toast { animation: arrive 0.18s ease-out; }
  @keyframes arrive { from { opacity: 0; transform: translateY(8px); } }
  .place[data-placement^="top"] .toast { animation-name: drop; }
  @keyframes drop { from { opacity: 0; transform: translateY(-8px); } }
}
@media (forced-colors: active) { .toast { forced-color-adjust: auto; } }
`;

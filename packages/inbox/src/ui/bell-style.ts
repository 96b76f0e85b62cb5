// The style sheet of the element and its bell. Both colour schemes come from the same variables; text keeps a contrast
// of 4.5 to 1 in both.
export const bellStyle = `
:host {
  --accent: var(--tidings-accent, light-dark(#0f766e, #4fd1c0));
  --on-accent: var(--tidings-on-accent, light-dark(#fff, #10201e));
  --bg: var(--tidings-background, light-dark(#fff, #181c20));
  --soft: var(--tidings-hover, light-dark(#f5f6f7, #21262b));
  --line: var(--tidings-border, light-dark(#e7e9ec, #2d343a));
  --text: var(--tidings-text, light-dark(#1c2329, #e6e9ec));
  --muted: var(--tidings-muted, light-dark(#5b6670, #9ba6b0));
  --high: var(--tidings-high, light-dark(#c4271b, #ff8a80));
  --medium: var(--tidings-medium, light-dark(#9a5b00, #f0b957));
  --radius: var(--tidings-radius, 12px);
  --font: var(--tidings-font, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
  display: inline-block; position: relative; font: 14px/1.45 var(--font); color: var(--text); text-align: start;
}
:host([hidden]) { display: none; }
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
:host([mode="inline"]) { display: block; height: var(--tidings-height, 560px); }
:host([mode="inline"]) .place { height: 100%; }
* { box-sizing: border-box; }
button, input, summary { font: inherit; color: inherit; }
button { border: 0; background: none; padding: 0; margin: 0; text-align: start; cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; border-radius: 6px; }
[tabindex="-1"]:focus { outline: none; }
.hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.icon { width: 20px; height: 20px; flex: none; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }

.bell { position: relative; display: grid; place-items: center; width: 40px; height: 40px; border-radius: 10px; color: var(--tidings-bell, var(--muted)); }
.bell:hover, .bell[aria-expanded="true"] { background: var(--soft); color: var(--text); }
.bell.own { width: auto; min-width: 40px; }
.bell.own .badge { display: none; }
.bell .icon { width: 22px; height: 22px; }
.badge { position: absolute; top: 0; inset-inline-start: 19px; min-width: 17px; height: 17px; padding: 0 4px; border-radius: 9px; background: var(--accent); color: var(--on-accent); box-shadow: 0 0 0 2px var(--bg); font-size: 10px; font-weight: 650; line-height: 17px; text-align: center; font-variant-numeric: tabular-nums; }
.severity-high .badge { background: var(--high); color: light-dark(#fff, #2a0d0a); }
.severity-medium .badge { background: var(--medium); color: light-dark(#fff, #2a1c00); }
`;

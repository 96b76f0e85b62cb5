// The style sheet of the panel, with the variables of bell-style.ts.
export const panelStyle = `
h2, h3, p, ul { margin: 0; padding: 0; }
.icon-more { stroke-width: 2.5; }
.icon-dot { fill: currentColor; stroke: none; }
.panel { display: flex; flex-direction: column; overflow: hidden; background: var(--bg); color: var(--text); border: 1px solid var(--line); border-radius: var(--radius); outline: none; }
.panel.inline { position: relative; height: 100%; }
.panel[popover] { position: fixed; inset: auto; margin: 0; padding: 0; width: min(var(--tidings-width, 420px), calc(100vw - 16px)); height: min(var(--tidings-height, 600px), calc(100dvh - 72px), var(--room, 100dvh)); box-shadow: 0 1px 2px rgb(0 0 0 / 6%), 0 12px 40px rgb(0 0 0 / 14%); }
.panel[popover]:not(:popover-open) { display: none; }
.header { display: flex; align-items: center; gap: 2px; flex: none; height: 52px; padding: 0 10px 0 12px; padding-inline: 12px 10px; }
.header h2 { font-size: 15px; font-weight: 650; letter-spacing: -0.01em; outline: none; flex: 1; }
.space { flex: 1; }
.view { display: flex; align-items: center; gap: 2px; height: 32px; padding-inline: 8px 4px; border-radius: 8px; font-size: 15px; font-weight: 650; letter-spacing: -0.01em; }
.view .icon { width: 18px; height: 18px; color: var(--muted); }
.view:hover, .tool:hover:enabled { background: var(--soft); }
.tool { display: grid; place-items: center; width: 32px; height: 32px; border-radius: 8px; color: var(--muted); }
.tool:hover:enabled { color: var(--text); }
.tool:disabled { opacity: 0.4; cursor: default; }
.close { display: none; }
:host(:dir(rtl)) .flip .icon { transform: scaleX(-1); }

.menu { pointer-events: auto; position: fixed; inset: auto; margin: 0; min-width: 190px; padding: 5px; border: 1px solid var(--line); border-radius: 10px; background: var(--bg); color: var(--text); box-shadow: 0 8px 28px rgb(0 0 0 / 14%); }
.menu button { display: flex; align-items: center; gap: 20px; width: 100%; min-height: 34px; padding: 5px 9px; border-radius: 6px; }
.menu button span { flex: 1; }
.menu button .icon { width: 18px; height: 18px; color: var(--accent); }
.menu button:hover, .menu button:focus-visible { background: var(--soft); outline: none; }
.menu small { color: var(--muted); font-size: 12.5px; }

.tabs { display: flex; flex: none; gap: 18px; padding: 0 20px; border-bottom: 1px solid var(--line); overflow-x: auto; scrollbar-width: none; }
.tabs button { display: flex; align-items: center; gap: 6px; padding: 4px 0 9px; color: var(--muted); white-space: nowrap; border-bottom: 2px solid transparent; margin-bottom: -1px; }
.tabs button:hover { color: var(--text); }
.tabs [aria-selected="true"] { color: var(--text); font-weight: 600; border-color: var(--accent); }
.tabs small { min-width: 18px; padding: 0 5px; border-radius: 9px; background: var(--soft); color: var(--muted); font-size: 11.5px; font-weight: 600; line-height: 18px; text-align: center; }
.notice { flex: none; margin: 0 12px 8px; padding: 7px 12px; border-radius: 8px; background: var(--soft); color: var(--muted); font-size: 13px; }

.scroller { position: relative; overflow-anchor: none; flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain; outline: none; scrollbar-width: thin; scrollbar-color: var(--line) transparent; border-top: 1px solid var(--line); }
.tabs + .scroller { border-top: 0; }
.items { display: flow-root; margin-top: -1px; list-style: none; }
.item { border-top: 1px solid var(--line); position: relative; display: flex; padding: 14px 20px 15px 0; padding-inline: 0 20px; }
.item:hover, .item:focus-within { background: var(--soft); }
.mark { flex: none; width: 20px; padding-top: 7px; }
.dot { display: block; width: 7px; height: 7px; margin-inline-start: 7px; border-radius: 50%; background: var(--accent); }
.severity-high .dot { background: var(--high); }
.severity-medium .dot { background: var(--medium); }
.avatar { flex: none; display: grid; place-items: center; width: 32px; height: 32px; margin-inline-end: 12px; margin-top: 2px; border-radius: 50%; background: var(--soft); color: var(--muted); font-weight: 600; overflow: hidden; }
.item:hover .avatar, .item:focus-within .avatar { background: var(--line); }
.avatar img { width: 100%; height: 100%; object-fit: cover; }
.content { flex: 1; min-width: 0; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 2px 12px; }
.content > :not(.main, .time) { grid-column: 1 / -1; }
.main { color: inherit; text-decoration: none; overflow-wrap: anywhere; }
.main::after { content: ""; position: absolute; inset: 0; }
.main.apart { position: absolute; inset: 0; }
.main:focus-visible { outline: none; }
.main:focus-visible::after { outline: 2px solid var(--accent); outline-offset: -3px; border-radius: 9px; }
.subject { color: var(--muted); font-weight: 500; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.unread .subject { color: var(--text); font-weight: 600; }
.message { white-space: pre-line; -webkit-line-clamp: 4; }
.unread .message { color: var(--text); font-weight: 500; }
.content > .apart ~ :is(.body, .own-body) { grid-column: 1; grid-row: 1; }
.item.own { padding: 0; }
.own > .main { flex: 1; min-width: 0; }
.own > .main::after { pointer-events: none; }
.own-part { position: relative; }
.own-avatar { flex: none; margin-inline-end: 12px; }
.own-avatar .avatar { margin: 0; }
.own + .header, .empty > .own ~ * { display: none; }
.time { color: var(--muted); font-size: 12.5px; line-height: 20px; white-space: nowrap; font-variant-numeric: tabular-nums; position: relative; }
.body { color: var(--muted); display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; overflow: hidden; overflow-wrap: anywhere; white-space: pre-line; }
:is(.body, .message) :is(p, ul, ol, h1, h2, h3, h4, blockquote, pre) { margin: 0; font-size: inherit; }
:is(.body, .message) :is(ul, ol) { padding-inline-start: 1.3em; }
.body :is(pre, code) { font: 12.5px/1.45 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; }
.body :is(b, strong) { color: var(--text); font-weight: 600; }
.body img { display: block; max-width: 100%; max-height: 160px; height: auto; margin-top: 4px; border-radius: 6px; }
.body a { position: relative; color: var(--accent); text-underline-offset: 2px; }
/* Text of one direction in a page of the other keeps its own order, on the side of the page. */
:host(:dir(rtl)) :is(.subject, .body) { text-align: right; }
:host(:dir(ltr)) :is(.subject, .body) { text-align: left; }
.until { color: var(--muted); font-size: 12.5px; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 9px; }
.action { position: relative; display: inline-flex; align-items: center; gap: 5px; min-height: 30px; padding: 0 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--bg); font-size: 13px; font-weight: 550; text-decoration: none; color: var(--text); }
.action:hover { border-color: var(--muted); }
.action.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.action.primary:hover { filter: brightness(1.07); }
.action[aria-pressed="true"] { background: none; border-color: var(--line); color: var(--muted); }
.action:disabled { opacity: 0.5; cursor: default; }
.action:focus-visible { outline-offset: 2px; }
.action .icon { width: 16px; height: 16px; }
.tools { position: absolute; top: 8px; inset-inline-end: 12px; display: flex; padding: 1px; border-radius: 9px; background: var(--bg); border: 1px solid var(--line); box-shadow: 0 2px 8px rgb(0 0 0 / 6%); opacity: 0; pointer-events: none; }
.item:hover .tools, .item:focus-within .tools { opacity: 1; pointer-events: auto; }
.tools .tool { width: 30px; height: 28px; border-radius: 7px; }
@media (hover: none) {
  .item { flex-wrap: wrap; padding-bottom: 6px; }
  .content { flex-basis: calc(100% - 84px); }
  .tools { position: relative; top: 0; inset-inline-end: 0; width: 100%; justify-content: flex-end; gap: 6px; margin-inline-end: -8px; border: 0; box-shadow: none; background: none; opacity: 1; pointer-events: auto; }
  .tools .tool { width: 40px; height: 36px; }
}
.pill-place { position: sticky; top: 10px; z-index: 2; height: 0; display: flex; justify-content: center; }
.pill { display: flex; align-items: center; gap: 5px; height: 32px; padding-inline: 9px 14px; border-radius: 16px; background: var(--accent); color: var(--on-accent); font-size: 13px; font-weight: 600; box-shadow: 0 4px 14px rgb(0 0 0 / 18%); white-space: nowrap; }
.pill:focus-visible { outline-offset: 2px; border-radius: 16px; }
.pill .icon { width: 16px; height: 16px; }
.more { display: grid; place-items: center; padding: 20px; }
.spinner { width: 18px; height: 18px; border: 2px solid var(--line); border-top-color: var(--muted); border-radius: 50%; animation: turn 0.8s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
.skeleton { height: 74px; margin: 0 20px; border-bottom: 1px solid var(--line); background: linear-gradient(var(--soft) 0 0) 0 18px / 55% 12px no-repeat, linear-gradient(var(--soft) 0 0) 0 42px / 85% 12px no-repeat; }
.empty { display: grid; justify-items: center; gap: 4px; padding: 84px 40px 40px; text-align: center; }
.empty > .icon { width: 30px; height: 30px; margin-bottom: 12px; color: var(--muted); stroke-width: 1.2; }
.empty h3 { font-size: 14px; font-weight: 600; }
.empty p { color: var(--muted); max-width: 32ch; }
.empty .action { margin-top: 14px; }
.empty small { color: var(--muted); font-size: 12px; }

.toast-place { position: absolute; inset-inline: 0; bottom: 14px; display: flex; justify-content: center; pointer-events: none; z-index: 3; }
.toast { display: flex; align-items: center; gap: 14px; max-width: calc(100% - 32px); min-height: 40px; padding: 6px 8px 6px 16px; padding-inline: 16px 8px; border-radius: 10px; background: light-dark(#1f262c, #e8ebed); color: light-dark(#fff, #181c20); box-shadow: 0 6px 22px rgb(0 0 0 / 22%); pointer-events: auto; font-size: 13.5px; }
.toast button { padding: 5px 10px; border-radius: 7px; font-weight: 600; color: light-dark(#7fe0d2, #0f766e); }
.toast button:hover { background: light-dark(#ffffff1f, #00000014); }
.toast button:focus-visible { outline-color: currentColor; }
.toast span:last-child { padding-inline-end: 8px; }

@media (max-width: 480px) {
  .panel[popover] { width: 100vw; max-width: 100vw; height: 100dvh; max-height: 100dvh; inset: 0 !important; border: 0; border-radius: 0; }
  .close { display: grid; }
}
@media (prefers-reduced-motion: no-preference) {
  .panel[popover]:popover-open, .menu:popover-open, .toast { animation: appear 0.14s ease-out; }
  @keyframes appear { from { opacity: 0; transform: translateY(-4px); } }
  .item .tools { transition: opacity 0.1s; }
}
@media (prefers-reduced-motion: reduce) { .spinner { animation-duration: 2.4s; } * { transition: none !important; } }
@media (forced-colors: active) { .dot, .badge { forced-color-adjust: none; } }
`;

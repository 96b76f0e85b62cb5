// The style sheet of the preferences and of the form for a date, with the variables of bell-style.ts.
export const laterStyle = `
.preferences h3 { font-size: 14px; font-weight: 600; }
.menu form { display: grid; gap: 10px; width: 220px; padding: 7px; }
.menu label { display: grid; gap: 4px; font-size: 13px; color: var(--muted); }
.menu .action { justify-content: center; width: auto; }
.menu .action:is(:hover, :focus-visible) { background: var(--accent); }
.menu .action:focus-visible { outline: 2px solid var(--accent); }
.menu [role="alert"] { color: var(--high); font-size: 12.5px; }
.preferences { padding: 4px 20px 24px; }
.preferences section { padding-top: 18px; }
.preferences section > p { color: var(--muted); font-size: 13px; margin-top: 2px; }
.rows { margin: 6px 0 0; padding: 0; border: 0; min-width: 0; }
.row { display: flex; align-items: center; justify-content: space-between; gap: 12px; min-height: 42px; border-top: 1px solid var(--line); }
.rows > .row:first-child { border-top: 0; }
label.row, .day label { cursor: pointer; }
.day label { display: flex; align-items: center; gap: 10px; min-height: 40px; }
.day { align-items: flex-start; flex-wrap: wrap; gap: 0 6px; }
.day > div { margin-inline-start: auto; }
.day .tool { width: 28px; }
.hours { display: flex; align-items: center; gap: 6px; min-height: 40px; color: var(--muted); }
.preferences h4 { margin: 14px 0 0; color: var(--muted); font-size: 12.5px; font-weight: 600; }
.preferences section > [role="status"]:not(:empty) { padding: 8px 12px; border-radius: 8px; background: var(--soft); }
input { accent-color: var(--accent); }
.day input[type="checkbox"] { width: 16px; height: 16px; margin: 0; }
input[type="time"]::-webkit-calendar-picker-indicator { display: none; }
input[type="time"] { width: 80px; text-align: center; }
:is(input[type="time"], input[type="datetime-local"], select) { height: 32px; padding: 0 6px; border: 1px solid var(--line); border-radius: 7px; background: var(--bg); color: var(--text); font-size: 13px; }
[role="switch"] { appearance: none; flex: none; width: 36px; height: 21px; margin: 0; border-radius: 11px; background: color-mix(in srgb, var(--muted) 70%, var(--bg)); cursor: pointer; transition: background 0.15s; }
[role="switch"]::before { content: ""; display: block; width: 17px; height: 17px; margin: 2px; border-radius: 50%; background: #fff; box-shadow: 0 1px 2px rgb(0 0 0 / 25%); transition: translate 0.15s; }
[role="switch"]:checked { background: var(--accent); }
[role="switch"]:checked::before { translate: 15px; }
:host(:dir(rtl)) [role="switch"]:checked::before { translate: -15px; }
[role="switch"]:disabled { opacity: 0.45; cursor: default; }
[role="switch"]:focus-visible { outline-offset: 2px; border-radius: 11px; }
details { border-top: 1px solid var(--line); }
details:first-of-type { border-top: 0; margin-top: 6px; }
summary { display: flex; align-items: center; gap: 10px; min-height: 44px; cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary span { flex: 1; }
summary small { max-width: 50%; color: var(--muted); font-size: 12.5px; text-align: end; }
summary .icon { width: 18px; height: 18px; color: var(--muted); transition: rotate 0.15s; }
details[open] summary .icon { rotate: 180deg; }
details .rows { margin: 0 0 8px; padding-inline: 14px; background: var(--soft); border-radius: 9px; }
@media (forced-colors: active) { [role="switch"] { forced-color-adjust: none; } }
`;

// An audit as a table, and its first breaks.
import type { Audit, Verdict } from "./evidence.ts";

const shownBreaks = 5;
const shownDetail = 300;

export function describeAudit({ verdicts, figures, seed }: Audit): string {
  const widest = Math.max(...verdicts.map(({ promise }) => promise.length));
  const toLine = ({ promise, checked, brokenCount, note }: Verdict): string => {
    const state = brokenCount > 0 ? "BROKEN" : checked === 0 ? "not tried" : "kept";
    const numbers = `${String(checked).padStart(9)}  ${String(brokenCount).padStart(6)}  ${state.padEnd(9)}`;
    return `${promise.padEnd(widest)}  ${numbers}  ${note ?? ""}`.trimEnd();
  };
  return [
    `${"promise".padEnd(widest)}  ${"checked".padStart(9)}  broken`,
    ...verdicts.map(toLine),
    "",
    ...verdicts.filter(({ brokenCount }) => brokenCount > 0).flatMap(describeBreaks),
    `seed ${seed}, ${Object.entries(figures)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")}`,
  ].join("\n");
}

function describeBreaks({ promise, title, broken, brokenCount }: Verdict): string[] {
  const lines = broken.slice(0, shownBreaks).flatMap(({ what, at, faults, detail }) => {
    const time = at === undefined ? "" : ` at ${new Date(at).toISOString()}`;
    const around = faults?.length ? `, during ${faults.join(", ")}` : "";
    const more = detail === undefined ? [] : [`      ${JSON.stringify(detail).slice(0, shownDetail)}`];
    return [`  - ${what}${time}${around}`, ...more];
  });
  const rest = brokenCount > shownBreaks ? [`  … ${brokenCount} in all; audit.json has the first ones`] : [];
  return [`${promise}: ${title}`, ...lines, ...rest, ""];
}

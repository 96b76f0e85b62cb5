// The section of the report about what was found, which needs no evidence: it can be written again on its own.
import type { Finding } from "./findings.ts";
import { countOf, escapeText, formatTable, wrapText } from "./markdown.ts";

export const findingsTitle = "## What was found and fixed";

export function describeFindings(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return ["No finding has been recorded yet."];
  const open = findings.filter(({ commit }) => commit === "open");
  const byRuns = findings.filter(({ by }) => by === "run").length;
  const bySimulation = findings.length - byRuns;
  const rows = findings
    .toSorted((a, b) => b.foundOn.localeCompare(a.foundOn))
    .map(({ foundOn, by, seed, what, commit, test }) => [
      ...[foundOn, by, escapeText(seed), escapeText(what, 600)],
      commit === "open" ? "**not fixed**" : `\`${commit}\``,
      test ? `[test](../${test})` : "none",
    ]);
  return [
    wrapText(
      `Runs such as this one have found ${countOf(byRuns, "bug")} in the service, and the ` +
        `[simulation](decisions/0061-simulation.md) of its core has found ${bySimulation} more. ` +
        `${open.length > 0 ? `${open.length} of them ${open.length === 1 ? "is" : "are"} open. ` : ""}` +
        "`git show <commit>` shows a fix, and each test fails without it.",
    ),
    formatTable(["found on", "by", "seed and failures", "what was wrong", "fix", "test"], rows),
  ];
}

/** The page with this section as the findings have it. */
export function replaceFindings(page: string, findings: readonly Finding[]): string {
  const start = page.indexOf(`\n${findingsTitle}\n`) + 1;
  const end = page.indexOf("\n## ", start) + 1;
  if (start === 0 || end === 0) throw new Error(`the page has no section "${findingsTitle}"`);
  return `${page.slice(0, start)}${[findingsTitle, ...describeFindings(findings)].join("\n\n")}\n\n${page.slice(end)}`;
}

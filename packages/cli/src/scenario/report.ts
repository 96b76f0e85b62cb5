// What came out of scenarios: lines for people, JUnit for build servers.
import type { ScenarioMessage } from "@tidings/contract";
import { type Output, plainText } from "../output.ts";
import { formatOffset } from "../time.ts";
import type { Difference, Mismatch, SentMessage } from "./expect.ts";

export type Outcome = {
  name: string;
  file: string;
  line: number;
  durationMs: number;
  mismatches: Mismatch[];
  error?: string;
};

export const isPassed = ({ mismatches, error }: Outcome): boolean => mismatches.length === 0 && error === undefined;

export function printOutcome(out: Output, outcome: Outcome): void {
  const time = out.style("dim", `${(outcome.durationMs / 1_000).toFixed(1)} s`);
  const place = out.style("dim", `${outcome.file}:${outcome.line}`);
  if (isPassed(outcome)) return void out.line(`${out.style("green", "✓")} ${plainText(outcome.name)} ${time}`);
  out.line(`${out.style("red", "✗")} ${plainText(outcome.name)} ${time} ${place}`);
  for (const line of describeFailure(outcome, (tone, text) => out.style(tone, text))) out.line(`    ${line}`);
}

type Paint = (tone: "red" | "green" | "bold", text: string) => string;

function describeFailure({ mismatches, error }: Outcome, paint: Paint = (_, text) => text): string[] {
  const told = mismatches.flatMap((mismatch) => {
    if (mismatch.kind === "unexpected")
      return [
        `${paint("bold", "unexpected")} ${describeSent(mismatch.message)}`,
        `  ${paint("green", `+ ${excerpt(mismatch.message.body)}`)}`,
      ];
    if (mismatch.kind === "step") return describeStep(mismatch, paint);
    const { expected, nearest } = mismatch;
    if (!nearest) return [`${paint("bold", "missing")} ${describeExpected(expected)}`];
    return [
      `${paint("bold", "differs")} ${describeSent(nearest.message)}`,
      ...nearest.differences.flatMap((difference) => describeDifference(difference, paint)),
    ];
  });
  return [...(error === undefined ? [] : [plainText(error)]), ...told];
}

function describeStep(
  { expected: { to, step, workflow }, differences }: Extract<Mismatch, { kind: "step" }>,
  paint: Paint,
): string[] {
  const name = plainText(`step ${step}${workflow === undefined ? "" : ` of ${workflow}`} for ${to}`);
  if (!differences) return [`${paint("bold", "missing")} ${name}`];
  return [
    `${paint("bold", "differs")} ${name}`,
    ...differences.flatMap((difference) => describeDifference(difference, paint)),
  ];
}

const describeDifference = ({ field, expected, actual }: Difference, paint: Paint): string[] => [
  `  ${field}:`,
  ...lines(expected).map((line) => `    ${paint("red", `- ${line}`)}`),
  ...lines(actual).map((line) => `    ${paint("green", `+ ${line}`)}`),
];

const maxLines = 12;
const lines = (text: string): string[] => {
  const all = plainText(text).split("\n");
  return all.length > maxLines ? [...all.slice(0, maxLines), "…"] : all;
};

const excerpt = (text: string): string => {
  const [first = ""] = plainText(text).trim().split("\n");
  return first.length > 100 ? `${first.slice(0, 100)}…` : first;
};

const describeSent = ({ to, channel, atMs, subject }: SentMessage): string =>
  `${channel} to ${plainText(to)} at ${formatOffset(atMs)}${subject ? ` "${excerpt(subject)}"` : ""}`;

function describeExpected({ to, channel, at, subject }: ScenarioMessage): string {
  const time = at === undefined ? "" : ` at ${typeof at === "string" ? at : `${at.from} to ${at.to}`}`;
  return `${channel} to ${plainText(to)}${time}${typeof subject === "string" ? ` "${excerpt(subject)}"` : ""}`;
}

export function toJUnit(outcomes: readonly Outcome[]): string {
  const failed = outcomes.filter((outcome) => !isPassed(outcome)).length;
  const cases = outcomes.map((outcome) => {
    const head = `<testcase name="${escapeXml(outcome.name)}" classname="${escapeXml(outcome.file)}" file="${escapeXml(outcome.file)}" line="${outcome.line}" time="${seconds(outcome.durationMs)}"`;
    if (isPassed(outcome)) return `    ${head}/>`;
    const text = describeFailure(outcome).join("\n");
    return `    ${head}>\n      <failure message="${escapeXml(text.split("\n")[0] ?? "failed")}">${escapeXml(text)}</failure>\n    </testcase>`;
  });
  const time = seconds(outcomes.reduce((sum, { durationMs }) => sum + durationMs, 0));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite name="tidings" tests="${outcomes.length}" failures="${failed}" time="${time}">`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(3);

const signs: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
const escapeXml = (text: string): string => plainText(text).replace(/[&<>"']/g, (sign) => signs[sign]!);

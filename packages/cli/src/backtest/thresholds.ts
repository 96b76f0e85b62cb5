// Limits of a backtest, from a YAML file: which differences are too many. Those below `workflows` hold for the messages
// of one workflow, the others for all messages together.
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { BacktestReport } from "@tidings/contract";
import { createShapeCheck, suggestName } from "@tidings/server/checks";
import { readYaml } from "@tidings/server/folder";
import { textOption } from "../arguments.ts";
import type { Call } from "../command.ts";
import { CliError } from "../failure.ts";
import { problemsError } from "../files/problems.ts";

const percent = { type: "number", minimum: 0, maximum: 100 };
const count = { type: "integer", minimum: 0 };

const ofMessages = {
  maxRemovedPercent: percent,
  maxAddedPercent: { type: "number", minimum: 0 },
  maxDifferingPercent: { type: "number", minimum: 0 },
  maxDifferingPeople: count,
  maxRenderFailures: count,
};
const ofAll = {
  minCalibrationPercent: percent,
  ...ofMessages,
  maxSilencedPeople: count,
  maxReachedPeople: count,
};

type MessageLimits = { [Name in keyof typeof ofMessages]?: number };
export type Thresholds = { [Name in keyof typeof ofAll]?: number } & { workflows?: Record<string, MessageLimits> };

const checkShape = createShapeCheck({
  type: "object",
  additionalProperties: false,
  properties: {
    ...ofAll,
    workflows: {
      type: "object",
      additionalProperties: { type: "object", additionalProperties: false, properties: ofMessages },
    },
  },
});

/** Below, or with nothing to compare, a report says little about what would have happened: no limit is kept by it. */
const trustedPercent = 95;

const maxBytes = 1_000_000;

/** The file of `--threshold`; null without the option. */
export function readThresholds({ io, values }: Pick<Call, "io" | "values">): Thresholds | null {
  const file = textOption(values, "threshold");
  if (file === undefined) return null;
  const source = readYaml(file, readText(resolve(io.cwd, file), file));
  if (source.problems.length > 0) throw problemsError(source.problems);
  const problems = checkShape(source.value ?? {}).map(({ field, message }) => ({
    ...source.placeOf(field === "general" ? [] : field.split(".")),
    message: message.replace(/^Request body/, "The file"),
  }));
  if (problems.length > 0) throw problemsError(problems, "docs/backtest.md lists the limits. No backtest was started.");
  const limits = (source.value ?? {}) as Thresholds;
  if (Object.keys(limits).length === 0)
    throw new CliError(`${file} has no limit.`, { fix: "For example: maxRemovedPercent: 5" });
  return limits;
}

function readText(path: string, file: string): string {
  try {
    const { size } = statSync(path);
    if (size > maxBytes)
      throw new CliError(`--threshold: ${file} has ${size} bytes, and at most ${maxBytes} are read.`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`--threshold: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Limits of a workflow that does not exist are a mistake: they would never be exceeded. */
export function refuseUnknownWorkflows({ workflows = {} }: Thresholds, known: readonly string[]): void {
  const unknown = Object.keys(workflows).find((workflowId) => !known.includes(workflowId));
  if (unknown === undefined) return;
  const meant = suggestName(unknown, known);
  throw new CliError(`The threshold file has limits for ${unknown}, and there is no such workflow.`, {
    fix: meant ? `Did you mean ${meant}?` : "Name a workflow of the files or of the environment.",
  });
}

/** `found`: null where there was nothing to compare. */
export type Exceeded = {
  limit: string;
  workflowId: string | null;
  most?: number;
  least?: number;
  found: number | null;
};

/** The limits that the report does not keep. */
export function exceededLimits(limits: Thresholds, report: BacktestReport): Exceeded[] {
  const { totals, calibration } = report;
  const least = limits.minCalibrationPercent ?? trustedPercent;
  const found = calibration.percent;
  const isLow = (found ?? 0) < least;
  const of = (limit: keyof typeof ofAll, value: number) => beyond(limit, null, limits[limit], value);
  return [
    ...(isLow ? [{ limit: "minCalibrationPercent", workflowId: null, least, found }] : []),
    ...messageLimits(null, limits, { ...totals, people: totals.differing }),
    ...of("maxSilencedPeople", totals.silenced),
    ...of("maxReachedPeople", totals.reached),
    ...Object.entries(limits.workflows ?? {}).flatMap(([workflowId, own]) => {
      const workflow = report.workflows.find((one) => one.workflowId === workflowId);
      return workflow ? messageLimits(workflowId, own, workflow) : [];
    }),
  ];
}

type Counted = { before: number; effects: Record<string, number>; people: number };

function messageLimits(workflowId: string | null, limits: MessageLimits, { before, effects, people }: Counted) {
  const of = (limit: keyof typeof ofMessages, value: number) => beyond(limit, workflowId, limits[limit], value);
  const { removed = 0, added = 0, render_failed: faults = 0 } = effects;
  const all = Object.values(effects).reduce((sum, one) => sum + one, 0);
  return [
    ...of("maxRemovedPercent", shareOf(removed + faults, before)),
    ...of("maxAddedPercent", shareOf(added, before)),
    ...of("maxDifferingPercent", shareOf(all, before)),
    ...of("maxDifferingPeople", people),
    ...of("maxRenderFailures", faults),
  ];
}

/** In percent. Anything that comes to nothing is all of it. */
const shareOf = (part: number, whole: number): number =>
  part === 0 ? 0 : whole === 0 ? 100 : Math.round((part / whole) * 10_000) / 100;

const beyond = (limit: string, workflowId: string | null, most: number | undefined, found: number): Exceeded[] =>
  most !== undefined && found > most ? [{ limit, workflowId, most, found }] : [];

// What the command line checks without a service: the shape of a file, and everything that saving a workflow or layout
// refuses or reports as an issue. Nothing here reaches the database, the network or the settings. The command line
// imports this file and those of folder/.
import {
  type AttentionFile,
  type AudienceFile,
  type ContentIssue,
  channels,
  type LayoutFile,
  type WorkflowFile,
} from "@tidings/contract";
import type { ErrorObject } from "ajv";
import { Failure, type FieldFaults } from "../../failure.ts";
import { isObject } from "../../lib/json.ts";
import { describeKnown } from "../../lib/text/nearest.ts";
import { compileBody, faultsOf } from "../../validation.ts";
import { readBudgets, withoutDefaults } from "../attention/read-budgets.ts";
import { layoutIssues } from "../workflows/issues/layout-issues.ts";
import { stepIssues } from "../workflows/issues/step-issues.ts";
import { stepVariables } from "../workflows/variables.ts";
import { checkAudienceRule, toLayoutFile, toWorkflowFile } from "./file-forms.ts";
import { readLayoutFile, readWorkflowFile } from "./workflow-files.ts";

export { canonicalJson } from "../../lib/json.ts";
export { detectSeparator, readCsv } from "../../lib/text/csv.ts";
export { suggestName } from "../../lib/text/nearest.ts";
export { readAudienceFile as normalizeAudience, readCategoryFile as normalizeCategory } from "./file-forms.ts";

/** `field`: the path in the resource, such as `steps.0.controlValues.subject`. */
export type Problem = { field: string; message: string; variableName?: string };

const toProblems = (faults: FieldFaults): Problem[] =>
  Object.entries(faults).flatMap(([field, { messages }]) => messages.map((message) => ({ field, message })));

/** The errors of a value by a schema of the contract, in the words of the service. */
export function createShapeCheck(schema: object): (value: unknown) => Problem[] {
  const check = compileBody(schema);
  return (value) => {
    if (check(value)) return [];
    const errors = check.errors ?? [];
    const known = new Map(errors.flatMap((error) => knownMembers(error)));
    return toProblems(faultsOf(errors)).map(({ field, message }) => {
      const members = known.get(field);
      return { field, message: members ? message + describeKnown(field.split(".").at(-1)!, members) : message };
    });
  };
}

/** For an unknown member: its field, and the known members. */
function knownMembers({ keyword, instancePath, params, parentSchema }: ErrorObject): [string, string[]][] {
  if (keyword !== "additionalProperties") return [];
  const field = [...instancePath.split("/").slice(1), String(params.additionalProperty)].join(".");
  return [[field, Object.keys((parentSchema?.properties as object | undefined) ?? {})]];
}

/**
 * What depends on the environment or its settings is left to the service: integrations, variables, audiences, private
 * addresses, and waits beyond its limit.
 */
const facts = (layoutIds: readonly string[] | null) => ({
  activeChannels: new Set<string>(channels),
  isInboxConnected: true,
  layouts: (layoutIds ?? []).map((layout_id) => ({ id: layout_id, layout_id, is_default: false })),
  env: null,
  maxWaitDays: 3_650,
  defaultTimezone: "UTC",
  now: new Date(),
  allowNetworks: ["0.0.0.0/0", "::/0"],
  findStarts: async () => null,
  findAudiences: async () => null,
});

const ids = { newId: () => "" };

/** `layoutIds`: of the layouts that exist; null when they are not known. */
export async function checkWorkflowFile(file: WorkflowFile, layoutIds: readonly string[] | null): Promise<Problem[]> {
  return caught(async () => {
    const { content } = readWorkflowFile(ids, file, []);
    const problems: Problem[] = [];
    for (const [index, step] of content.steps.entries()) {
      const { controls = {} } = (await stepIssues(step, stepVariables(content, index, null), facts(layoutIds))) ?? {};
      for (const [field, issues] of Object.entries(controls)) {
        if (field === "layoutId" && layoutIds === null) continue;
        problems.push(...toIssueProblems(`steps.${index}.controlValues.${field}`, issues));
      }
    }
    return problems;
  });
}

export async function checkLayoutFile(file: LayoutFile): Promise<Problem[]> {
  return caught(async () => {
    const { content } = readLayoutFile(file);
    const { controls = {} } = (await layoutIssues(content, null)) ?? {};
    return Object.values(controls).flatMap((issues) => toIssueProblems("body", issues));
  });
}

export const checkAttentionFile = ({ budgets }: AttentionFile): Promise<Problem[]> =>
  caught(async () => {
    readBudgets(budgets);
    return [];
  });

export const checkAudienceFile = (file: AudienceFile): Promise<Problem[]> =>
  caught(async () => {
    checkAudienceRule(file);
    return [];
  });

const toIssueProblems = (field: string, issues: ContentIssue[]): Problem[] =>
  issues.map(({ message, variableName }) => ({ field, message, variableName }));

async function caught(check: () => Promise<Problem[]>): Promise<Problem[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof Failure) || !isObject(error.extra.errors)) throw error;
    return toProblems(error.extra.errors as FieldFaults);
  }
}

/** The one form of what a workflow means, as the service exports it. Throws when it cannot be read. */
export function normalizeWorkflow(file: WorkflowFile): WorkflowFile {
  const { content, texts } = readWorkflowFile(ids, file, []);
  return toWorkflowFile(content, [], texts);
}

export function normalizeLayout(file: LayoutFile): LayoutFile {
  const { content, texts } = readLayoutFile(file);
  return toLayoutFile(content, texts);
}

export const normalizeAttention = ({ budgets }: AttentionFile): AttentionFile => ({
  budgets: readBudgets(budgets).map(withoutDefaults),
});

// Audiences of files compared with those that the environment has: new, changed, deleted, and what they name that the
// environment lacks. Pure.
import { type AudienceFile, audiencesPerEnvironment, type ResourceIssue, unlistedReason } from "@tidings/contract";
import { failure, faultCollector } from "../../failure.ts";
import { graphFault, nodeOf } from "../../lib/audiences/graph.ts";
import { topicsNamedIn } from "../../lib/audiences/named-topics.ts";
import { canonicalJson } from "../../lib/json.ts";
import { describeAudience } from "../audiences/audience-sentences.ts";
import { userOfAudience } from "../audiences/audience-uses.ts";
import { changedMembers } from "../brand/brand-sentences.ts";
import type { FileState } from "./file-state.ts";
import { bareChange, type Plan } from "./plan.ts";
import type { ReadFiles } from "./read-files.ts";

/** After the workflows: those that stay keep the audiences that they name. */
export function planAudiences(plan: Plan, state: FileState, files: ReadFiles, prune: boolean): void {
  const given = files.audiences!;
  const stored = new Map(state.audiences.map((one) => [one.row.audience_id, one]));
  for (const file of given) {
    const before = stored.get(file.audienceId);
    if (before && canonicalJson(before.file) === canonicalJson(file)) {
      plan.unchanged++;
      continue;
    }
    plan.audiences.push({ file, row: before?.row });
    const both = { before: before ? settingsOf(before.file) : null, after: settingsOf(file) };
    plan.changes.push({
      ...bareChange,
      type: "audience",
      id: file.audienceId,
      name: file.name,
      action: before ? "changed" : "created",
      settings: both.before ? changedMembers(both.before, both.after) : [],
      sentences: describeAudience(both),
    });
  }
  planDeletions(plan, state, files, prune);
  const total = audiencesAfter(state, plan).size;
  if (total > audiencesPerEnvironment) throw failure("AUDIENCE_LIMIT", { limit: String(audiencesPerEnvironment) });
}

const settingsOf = ({ name, description, rule }: AudienceFile) => ({ name, description: description ?? null, rule });

function planDeletions(plan: Plan, state: FileState, files: ReadFiles, prune: boolean): void {
  const wanted = new Set(files.audiences!.map(({ audienceId }) => audienceId));
  const unlisted = state.audiences.filter(({ row }) => !wanted.has(row.audience_id));
  const deleted = new Set(plan.deletedWorkflows.map(({ workflow_id }) => workflow_id));
  const written = new Set((files.workflows ?? []).map(({ content }) => content.workflow_id));
  const users = {
    workflows: [
      ...(files.workflows ?? []).map(({ content }) => content),
      ...state.workflows
        .map(({ row }) => row)
        .filter(({ workflow_id }) => !written.has(workflow_id) && !deleted.has(workflow_id)),
    ],
    broadcasts: state.broadcastAudiences,
  };
  const listed = files.audiences!.map(({ audienceId, rule }) => ({ audience_id: audienceId, rule }));
  // One that stays keeps those that it names: the first pass finds which stay.
  const staying = new Set(
    unlisted.filter(({ row }) => !prune || userOfAudience(row.audience_id, { ...users, audiences: listed }) !== null),
  );
  for (let before = -1; before !== staying.size; ) {
    before = staying.size;
    const rules = [...listed, ...[...staying].map(({ row }) => row)];
    for (const one of unlisted)
      if (userOfAudience(one.row.audience_id, { ...users, audiences: rules }) !== null) staying.add(one);
  }
  const rules = [...listed, ...[...staying].map(({ row }) => row)];
  for (const one of unlisted) {
    const { audience_id: id, name } = one.row;
    if (staying.has(one)) {
      const user = userOfAudience(id, { ...users, audiences: rules });
      plan.kept.push({ type: "audience", id, reason: prune ? `${user} uses it` : unlistedReason });
      continue;
    }
    plan.deletedAudiences.push(one.row);
    const sentences = ["It is deleted; no audience, workflow or unfinished broadcast uses it"];
    plan.changes.push({ ...bareChange, type: "audience", id, name, action: "deleted", sentences });
  }
}

/** By id, the rules of the environment once the plan is applied; null for fixed audiences. */
export function audiencesAfter(state: FileState, plan: Plan): ReadonlyMap<string, unknown> {
  const deleted = new Set(plan.deletedAudiences);
  return new Map<string, unknown>([
    ...state.fixedAudiences.map((id): [string, unknown] => [id, null]),
    ...state.audiences
      .filter(({ row }) => !deleted.has(row))
      .map(({ row }): [string, unknown] => [row.audience_id, row.rule]),
    ...plan.audiences.map(({ file }): [string, unknown] => [file.audienceId, file.rule]),
  ]);
}

/** A file cannot have the id of a fixed list, and a rule cannot read audiences that do not exist, or itself. */
export function refuseAudiences(state: FileState, { audiences = [] }: ReadFiles): void {
  const faults = faultCollector();
  const nodes = new Map(state.fixedAudiences.map((id) => [id, nodeOf(null)]));
  for (const { row } of state.audiences) nodes.set(row.audience_id, nodeOf(row.rule));
  for (const { audienceId, rule } of audiences) nodes.set(audienceId, nodeOf(rule));
  for (const [index, { audienceId }] of audiences.entries()) {
    const field = `resources.audiences.${index}`;
    if (state.fixedAudiences.includes(audienceId))
      faults.add(
        `${field}.audienceId`,
        `${field}.audienceId is a fixed audience, whose people are in no file: choose another id, or delete it first`,
        audienceId,
      );
    const fault = graphFault(nodes, audienceId);
    if (fault !== null) faults.add(`${field}.rule`, `${field}.rule ${fault}`);
  }
  faults.throwIfAny();
}

/** Topics that the rule names and the environment lacks. They may be created later, with a first subscription. */
export const topicWarnings = ({ rule }: AudienceFile, known: ReadonlySet<string>): ResourceIssue[] =>
  topicsNamedIn(rule)
    .filter((key) => !known.has(key))
    .map((key) => ({
      field: "rule",
      issueType: "MISSING_VALUE" as const,
      message: `The environment has no topic ${key}`,
    }));

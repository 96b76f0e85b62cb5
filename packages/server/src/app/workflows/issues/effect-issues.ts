// Issues of the steps that change a subscriber or start another workflow: what is known before an event arrives.
import { maxWorkflowDepth, type StepType, SubscriberPatch, updatableFields } from "@tidings/contract";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { jsonTemplateFault } from "../../../pipeline/render/json-template.ts";
import { checkShape } from "../../../validation.ts";
import type { Finding } from "./condition-issues.ts";

export const effectIssues: Partial<Record<StepType, (values: JsonObject) => Generator<Finding>>> = {
  update_subscriber: changeIssues,
  start_workflow: startIssues,
};

const issueType = "ILLEGAL_VARIABLE_IN_CONTROL_VALUE";
const isGiven = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isLiteral = (value: string): boolean => !/\{[{%]/.test(value);
const faultsIn = checkShape(SubscriberPatch);

function* changeIssues(values: JsonObject): Generator<Finding> {
  const given = [...updatableFields, "data"].filter((name) => isGiven(values[name]));
  if (given.length === 0) {
    const message = "It changes nothing: give at least one field of the subscriber, or data";
    yield { path: "data", issueType: "MISSING_VALUE", message };
  }
  for (const path of updatableFields) {
    const value = values[path];
    const [message] = isGiven(value) && isLiteral(value) ? faultsIn({ [path]: value.trim() }) : [];
    if (message) yield { path, issueType, message };
  }
  yield* jsonIssues("data", values.data);
}

function* startIssues({ to, payload }: JsonObject): Generator<Finding> {
  for (const [index, one] of (Array.isArray(to) ? to : []).entries()) {
    const path = `to.${index}`;
    const { subscriberId, topicKey } = isObject(one) ? one : {};
    const count = [subscriberId, topicKey].filter(isGiven).length;
    if (count === 0) {
      const message = `${path} names nobody: give a subscriberId or a topicKey, or remove it`;
      yield { path, issueType: "MISSING_VALUE", message };
    } else if (count === 2) {
      yield { path, issueType, message: `${path} has a subscriberId and a topicKey: make it two recipients` };
    }
  }
  yield* jsonIssues("payload", payload);
}

function* jsonIssues(path: string, value: unknown): Generator<Finding> {
  const fault = isGiven(value) ? jsonTemplateFault(value, "object") : null;
  if (fault) yield { path, issueType, message: `${path} ${fault}` };
}

/** The workflows of an environment, each with those that its steps start. */
export type StartGraph = ReadonlyMap<string, readonly string[]>;

type Started = {
  workflow_id: string;
  steps: readonly { type: StepType; active: boolean; controlValues: JsonObject }[];
};

/** What workflows that are not stored yet, or not like this, add to the graph. */
export const withWorkflows = (graph: StartGraph, rows: readonly Started[]): StartGraph =>
  new Map([
    ...graph,
    ...rows.map(({ workflow_id, steps }): [string, string[]] => {
      const starting = steps.filter(({ type, active }) => type === "start_workflow" && active);
      return [
        workflow_id,
        starting.flatMap(({ controlValues: { workflowId } }) => (isGiven(workflowId) ? workflowId : [])),
      ];
    }),
  ]);

/** The workflow that a step starts: whether it exists, and whether it leads back to that of the step. */
export function* startedWorkflowIssues(
  { workflowId }: JsonObject,
  own: string | undefined,
  graph: StartGraph,
): Generator<Finding> {
  if (!isGiven(workflowId)) return;
  const path = "workflowId";
  if (workflowId !== own && !graph.has(workflowId)) {
    yield { path, issueType, message: `Workflow ${workflowId} does not exist in this environment` };
    return;
  }
  const way = own === undefined ? null : findWay(graph, workflowId, own);
  if (!way) return;
  const cycle = [own, ...way].join(" → ");
  const message = `Workflows start each other: ${cycle}. They end after ${maxWorkflowDepth} rounds; remove one of these steps`;
  yield { path, issueType, message };
}

/** The shortest way along the steps; each workflow is visited once. */
function findWay(graph: StartGraph, from: string, to: string): string[] | null {
  let ways = [[from]];
  const seen = new Set([from]);
  while (ways.length > 0) {
    const arrived = ways.find((way) => way.at(-1) === to);
    if (arrived) return arrived;
    ways = ways.flatMap((way) =>
      (graph.get(way.at(-1)!) ?? []).flatMap((next) => {
        if (seen.has(next)) return [];
        seen.add(next);
        return [[...way, next]];
      }),
    );
  }
  return null;
}

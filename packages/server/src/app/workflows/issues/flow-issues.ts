// Issues of the steps that decide which way a run goes: branches, experiments and waits.
import { elseArm, heldOutVariant, type StepType } from "@tidings/contract";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { conditionIssues, type Finding } from "./condition-issues.ts";
import { isKnownPath } from "./template-names.ts";

type StepIssueRules = (values: JsonObject, variables: JsonObject) => Generator<Finding>;

export const flowIssues: Partial<Record<StepType, StepIssueRules>> = {
  branch: armIssues,
  experiment: variantIssues,
  wait: awaitedIssues,
};

/** The arms of a branch: each has a unique id and a condition. */
function* armIssues({ arms }: JsonObject, variables: JsonObject): Generator<Finding> {
  if (!Array.isArray(arms)) return;
  if (arms.length === 0) yield { path: "arms", issueType: "MISSING_VALUE", message: "A branch needs at least one arm" };
  const seen = new Set<unknown>([elseArm]);
  for (const [index, arm] of arms.entries()) {
    const { id, condition } = isObject(arm) ? arm : {};
    const path = `arms.${index}`;
    if (typeof id !== "string" || id === "" || id.includes("/")) {
      const message = `${path}.id is required, and must not have a slash: steps name their arm by it`;
      yield { path: `${path}.id`, issueType: "MISSING_VALUE", message };
    } else if (seen.has(id)) {
      const message = id === elseArm ? "The arm else is there already" : `There are two arms with the id ${id}`;
      yield { path: `${path}.id`, issueType: "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", message };
    }
    seen.add(id);
    if (!isObject(condition) || Object.keys(condition).length === 0) {
      const message = `The arm ${typeof id === "string" ? id : index + 1} has no condition, so it is never taken`;
      yield { path: `${path}.condition`, issueType: "MISSING_VALUE", message };
    } else yield* conditionIssues(`${path}.condition`, condition, variables);
  }
}

/** The variants of an experiment: each has a unique id, and at least one has a weight. */
function* variantIssues({ variants }: JsonObject): Generator<Finding> {
  if (!Array.isArray(variants)) return;
  const issueType = "ILLEGAL_VARIABLE_IN_CONTROL_VALUE";
  const given = variants.map((one) => (isObject(one) ? one : {}));
  if (given.length < 2) {
    yield { path: "variants", issueType: "MISSING_VALUE", message: "An experiment compares at least two variants" };
  } else if (given.every(({ weight }) => weight === 0)) {
    const message = "The weights add up to 0: give at least one variant a weight of 1 or more";
    yield { path: "variants", issueType, message };
  }
  const seen = new Set<unknown>([heldOutVariant]);
  for (const [index, { id }] of given.entries()) {
    const path = `variants.${index}.id`;
    if (typeof id !== "string" || id === "") yield { path, issueType: "MISSING_VALUE", message: `${path} is required` };
    else if (seen.has(id)) {
      const message = id === heldOutVariant ? `${id} is the name of those held out` : `There are two variants ${id}`;
      yield { path, issueType, message };
    }
    seen.add(id);
  }
}

/** A wait names what it waits for. */
function* awaitedIssues({ signal, message }: JsonObject, variables: JsonObject): Generator<Finding> {
  const name = isObject(signal) ? signal.name : undefined;
  const { stepId, event } = isObject(message) ? message : {};
  if (!name && !stepId) {
    const text = "It waits for nothing: name a signal or an earlier message, or use a delay";
    yield { path: "signal.name", issueType: "MISSING_VALUE", message: text };
  }
  if (typeof stepId === "string" && !isKnownPath(`steps.${stepId}.sentAt`, variables)) {
    const text = `${stepId} is not an earlier step that sends a message`;
    yield { path: "message.stepId", issueType: "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", message: text };
  }
  if (stepId && !event) {
    yield { path: "message.event", issueType: "MISSING_VALUE", message: "message.event is required" };
  }
}

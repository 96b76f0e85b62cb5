// What a bridge returns for `execute` and `preview`: the content of the step, overrides for providers, and whether to
// skip it.
import { isObject, type JsonObject } from "../../lib/json.ts";

export type StepAnswer = { outputs: JsonObject; providers: JsonObject; skip: boolean };

/** `fault`: why it is not a response. */
export function readAnswer({ outputs, providers, options }: JsonObject): StepAnswer | { fault: string } {
  if (!isObject(outputs)) return { fault: "its response has no outputs" };
  return {
    outputs,
    providers: isObject(providers) ? withoutEmpty(providers) : {},
    skip: isObject(options) && options.skip === true,
  };
}

const withoutEmpty = (providers: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(providers).filter(([, value]) => isObject(value) && Object.keys(value).length > 0));

const maxShownLength = 2_000;

/** Outputs for an execution detail: long texts are cut, the message has them in full. */
export function shownOutputs(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length <= maxShownLength ? value : `${value.slice(0, maxShownLength).toWellFormed()}…`;
  }
  if (Array.isArray(value)) return value.slice(0, 20).map(shownOutputs);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 50)
      .map(([name, member]) => [name, shownOutputs(member)]),
  );
}

// Classic conditions as callers send them: what a group leaves out is filled in, and values that are templates have to
// parse. A template that fails only when an event arrives would skip or send without a word.
import type { StepFilter, StepFilterIn } from "@tidings/contract";
import type { FieldFaults } from "../../failure.ts";
import { checkTemplate, RenderFault } from "../../pipeline/render/liquid.ts";

/** Answers the groups with every member, and faults under their path in the request. */
export function readFilters(
  given: readonly StepFilterIn[],
  path: string,
): { filters: StepFilter[]; faults: FieldFaults } {
  const faults: FieldFaults = {};
  const filters = given.map(({ isNegated = false, type = "GROUP", value = "AND", children }, group): StepFilter => {
    for (const [index, part] of children.entries()) {
      const field = `${path}.${group}.children.${index}.value`;
      const fault = templateFault(part.value);
      if (fault) faults[field] = { messages: [`${field} is not a valid template: ${fault}`], value: part.value };
    }
    return { isNegated, type, value, children };
  });
  return { filters, faults };
}

function templateFault(template: string): string | null {
  try {
    checkTemplate(template, "text");
    return null;
  } catch (error) {
    if (!(error instanceof RenderFault)) throw error;
    return error.message;
  }
}

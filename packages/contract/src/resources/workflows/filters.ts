// Classic conditions: groups of field comparisons, used by integrations and by steps of imported workflows.
import { named, oneOf, type Static, Type } from "../../schema.ts";

export const filterOperators = [
  "LARGER",
  "SMALLER",
  "LARGER_EQUAL",
  "SMALLER_EQUAL",
  "EQUAL",
  "NOT_EQUAL",
  "ALL_IN",
  "ANY_IN",
  "NOT_IN",
  "BETWEEN",
  "NOT_BETWEEN",
  "LIKE",
  "NOT_LIKE",
  "IN",
] as const;

export const FieldFilterPart = named("FieldFilterPart", {
  field: Type.String(),
  value: Type.String({ description: "May be a template, such as `{{payload.plan}}`; rendered before it is compared" }),
  operator: oneOf(filterOperators),
  on: oneOf(["subscriber", "payload", "tenant"], {
    description: "In integration conditions, `tenant` requires the vocabulary `novu`",
  }),
});

const groupTypes = ["BOOLEAN", "TEXT", "DATE", "NUMBER", "STATEMENT", "LIST", "MULTI_LIST", "GROUP"] as const;
const joinWords = ["AND", "OR"] as const;

export const StepFilter = named("StepFilter", {
  isNegated: Type.Boolean(),
  type: oneOf(groupTypes),
  value: oneOf(joinWords),
  children: Type.Array(FieldFilterPart),
});
export type StepFilter = Static<typeof StepFilter>;

/** What a request may omit; responses have every member. */
export const StepFilterIn = named("StepFilterIn", {
  isNegated: Type.Optional(Type.Boolean({ default: false })),
  type: Type.Optional(oneOf(groupTypes, { default: "GROUP" })),
  value: Type.Optional(oneOf(joinWords, { default: "AND", description: "How the children are joined" })),
  children: Type.Array(FieldFilterPart),
});
export type StepFilterIn = Static<typeof StepFilterIn>;

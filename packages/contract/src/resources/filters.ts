// Classic conditions: groups of field comparisons, used by integrations and by steps of imported workflows.
import { named, oneOf, type Static, Type } from "../schema.ts";

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
  value: Type.String(),
  operator: oneOf(filterOperators),
  on: oneOf(["subscriber", "payload"]),
});

export const StepFilter = named("StepFilter", {
  isNegated: Type.Boolean(),
  type: oneOf(["BOOLEAN", "TEXT", "DATE", "NUMBER", "STATEMENT", "LIST", "MULTI_LIST", "GROUP"]),
  value: oneOf(["AND", "OR"]),
  children: Type.Array(FieldFilterPart),
});
export type StepFilter = Static<typeof StepFilter>;

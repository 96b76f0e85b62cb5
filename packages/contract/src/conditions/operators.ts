// The operators of JSON Logic that compare, in words. The builder of conditions, the sentences of the dashboard and the
// reasons of the service read them here, so that a condition is called the same everywhere.

/** Offered by the builder, in this order. */
export const operatorWords = {
  "==": "is",
  "!=": "is not",
  ">": "is more than",
  ">=": "is at least",
  "<": "is less than",
  "<=": "is at most",
  contains: "contains",
  notContains: "does not contain",
  beginsWith: "begins with",
  endsWith: "ends with",
  in: "is one of",
  notNull: "exists",
  null: "does not exist",
  "!!": "is true",
  "!": "is false or empty",
} as const;

export type ConditionOperator = keyof typeof operatorWords;

/** What a comparison says, and what its opposite says. */
export type Phrases = readonly [holds: string, opposite: string];

const swap = ([holds, opposite]: Phrases): Phrases => [opposite, holds];

const same: Phrases = [operatorWords["=="], operatorWords["!="]];
const contains: Phrases = [operatorWords.contains, operatorWords.notContains];
const begins: Phrases = [operatorWords.beginsWith, "does not begin with"];
const ends: Phrases = [operatorWords.endsWith, "does not end with"];

export const comparisons: Readonly<Record<string, Phrases>> = {
  "==": same,
  "===": same,
  "!=": swap(same),
  "!==": swap(same),
  ">": [operatorWords[">"], "is not more than"],
  ">=": [operatorWords[">="], "is not at least"],
  "<": [operatorWords["<"], "is not less than"],
  "<=": [operatorWords["<="], "is not at most"],
  contains,
  notContains: swap(contains),
  beginsWith: begins,
  notBeginsWith: swap(begins),
  endsWith: ends,
  notEndsWith: swap(ends),
};

/** The same for dates. */
export const dateComparisons: Readonly<Record<string, Phrases>> = {
  ">": ["is after", "is not after"],
  ">=": ["is on or after", "is not on or after"],
  "<": ["is before", "is not before"],
  "<=": ["is on or before", "is not on or before"],
};

/** The operator that says the same when both sides change places. */
export const mirrored: Readonly<Record<string, string>> = {
  "==": "==",
  "===": "===",
  "!=": "!=",
  "!==": "!==",
  ">": "<",
  ">=": "<=",
  "<": ">",
  "<=": ">=",
};

export const existence: Phrases = [operatorWords.notNull, operatorWords.null];
export const truth: Phrases = [operatorWords["!!"], operatorWords["!"]];
export const membership: Phrases = [operatorWords.in, "is none of"];
export const emptiness: Phrases = ["is empty", "is not empty"];

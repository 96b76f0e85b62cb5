// Conditions in words: for the dashboard too, since nothing here brings a schema into its bundle.
export { type AudienceTests, audiencesVariable, audienceTestsIn, testedAudience } from "./audience-tests.ts";
export { type ConditionOperator, dateComparisons, operatorWords } from "./operators.ts";
export { decidingParts, operationOf, type TruthOf, variableOf, variablePaths } from "./rule-parts.ts";
export { conditionText, skipText, valueText } from "./sentences.ts";

// A kind of alert rule: how it finds what it watches for. Each kind is a file in kinds/, listed in registry.ts; its
// words are in words.ts, its parameters in the contract (resources/operate/alert-kinds.ts).
import type { AlertKindName, AlertParametersOf, AlertSubjectType } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import type { AlertFacts } from "../../store/tables.ts";

/** An active rule of an environment that exists. */
export type ActiveRule<K extends AlertKindName = AlertKindName> = {
  id: string;
  environmentId: string;
  environmentName: string;
  kind: K;
  parameters: AlertParametersOf<K>;
};

type AlertSubject = { type: AlertSubjectType; id: string; name: string };

/**
 * What a rule found now. Found again, it is the same alert as long as rule and subject are the same. `code`: which case
 * of the kind it is. `facts`: figures for the words, without times: they are updated with every pass.
 */
export type Finding = { ruleId: string; subject: AlertSubject; code: string; facts: AlertFacts };

export type AlertKind<K extends AlertKindName> = {
  /**
   * Everything that the rules find at this moment, in a number of queries that does not depend on the number of rules.
   * A kind waits itself until a disturbance has lasted: each finding opens an alert at once. It runs outside of a
   * transaction, in real time whatever the test clocks say. When it throws, the alerts of its kind stay unchanged.
   */
  find(ctx: Ctx, rules: ActiveRule<K>[], now: Date): Promise<Finding[]>;
  /**
   * What else happens when alerts open, in the transaction that opens them. Returns the findings, with facts about what
   * it did.
   */
  onOpen?(ctx: Ctx, opened: Finding[], rules: ActiveRule<K>[]): Promise<Finding[]>;
};

/** What a screen reads again after a change of a rule. */
export const staleAfterRule = ["alertRules.list", "alerts.list"] as const;

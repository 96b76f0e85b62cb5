// What the messages of a workflow are to their readers, and which of them go first.
import type { MessageClass, Priority } from "@tidings/contract";
import type { WorkflowRules } from "../../store/workflows/workflows.ts";
import { isCritical } from "../rules/preferences.ts";
import type { Ranked } from "../tasks.ts";

/** `preferences`: with the category of the workflow, where it is known. */
type ClassRules = { preferences: Parameters<typeof isCritical>[0]; messageClass?: MessageClass };

/** A workflow that subscribers cannot switch off is critical, whatever its class. */
export const messageClassOf = ({ preferences, messageClass = "transactional" }: ClassRules): MessageClass =>
  isCritical(preferences) ? "critical" : messageClass;

export const priorityOf = (rules: ClassRules & Pick<WorkflowRules, "priority">): Priority =>
  messageClassOf(rules) === "critical" ? "high" : (rules.priority ?? "normal");

/** The priority that an event asks for goes before that of its workflow, unless the workflow is critical. */
export function rankOf(event: { priority: Priority | null }, rules: Parameters<typeof priorityOf>[0]): Ranked {
  const own = priorityOf(rules);
  const priority = messageClassOf(rules) === "critical" ? own : (event.priority ?? own);
  return priority === "normal" ? {} : { priority };
}

const classSentences: Record<MessageClass, string> = {
  critical: "It becomes critical: no attention budget holds its messages, and they go first",
  transactional: "It becomes transactional: its messages count in the attention budget",
  promotional: "It becomes promotional: transactional messages go before it in the attention budget",
};
export const classSentence = (after: unknown): string => classSentences[(after ?? "transactional") as MessageClass];

const prioritySentences: Record<Priority, string> = {
  high: "Its messages go before all others that wait",
  normal: "Its messages wait for their turn",
  low: "Its messages let all others go first",
};
export const prioritySentence = (after: unknown): string => prioritySentences[(after ?? "normal") as Priority];

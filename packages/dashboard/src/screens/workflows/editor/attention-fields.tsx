// What the messages of a workflow are to their readers, and which of them go first.
import { ChoiceField } from "./choice-field.tsx";
import type { Draft } from "./model.ts";
import { words } from "./settings-words.ts";

type AttentionFieldsProps = { draft: Draft; isReadOnly: boolean; onChange: (changed: Partial<Draft>) => void };

/** What follows from other settings is shown, and cannot be chosen. What was chosen before stays in the draft. */
export function AttentionFields({ draft, isReadOnly, onChange }: AttentionFieldsProps) {
  const { user, workflow: byDefault } = draft.preferences;
  const isCriticalAnyway = user?.all?.readOnly ?? byDefault.all?.readOnly ?? false;
  const messageClass = isCriticalAnyway ? "critical" : draft.messageClass;
  const isCritical = messageClass === "critical";
  const priority = isCritical ? "high" : draft.priority;
  return (
    <>
      <ChoiceField
        label={words.messageClass}
        value={messageClass}
        names={words.messageClasses}
        hint={isCriticalAnyway ? words.criticalAnyway : words.messageClassHints[messageClass]}
        isReadOnly={isReadOnly || isCriticalAnyway}
        onChange={(chosen) => onChange({ messageClass: chosen })}
      />
      <ChoiceField
        label={words.priority}
        value={priority}
        names={words.priorities}
        hint={isCritical ? words.criticalFirst : words.priorityHints[priority]}
        isReadOnly={isReadOnly || isCritical}
        onChange={(chosen) => onChange({ priority: chosen })}
      />
    </>
  );
}

// After a step got another identifier: the places that still use the old one, and a button that changes them.
import { useState } from "react";
import { Notice } from "../../../kit/feedback/notice.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import type { DraftStep } from "../editor/model.ts";
import type { Editor } from "../editor/use-editor.ts";
import { findUses, renameUses } from "../flow/step-uses.ts";
import { words } from "./words.ts";

export function RenamedUses({ editor, step }: { editor: Editor; step: DraftStep }) {
  const { draft, base } = editor;
  const [opened] = useState(step.stepId);
  const old = base.draft.steps.find(({ key }) => key === step.key)?.stepId ?? opened;
  if (old === step.stepId || draft.steps.some(({ stepId }) => stepId === old)) return null;
  const uses = findUses(draft.steps, old);
  if (uses.length === 0) return null;
  const places = uses.map(
    ({ name, path }) => `${name}: ${path === "skip" ? words.condition.title.toLowerCase() : path}`,
  );
  return (
    <Notice
      tone="warn"
      action={
        <Button size="small" onClick={() => editor.change(renameUses(draft, old, step.stepId))}>
          {words.renameUses(uses.length, step.stepId)}
        </Button>
      }
    >
      {words.oldUses(old, places)}
    </Notice>
  );
}

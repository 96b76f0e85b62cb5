// Asks what happens to the steps inside a branch that is removed.
import { useRef } from "react";
import { Button } from "../../../kit/inputs/button.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { words as kitWords } from "../../../words.ts";
import { words } from "../editor/words.ts";
import type { Asked, StepActions } from "./use-step-actions.ts";

const say = words.outline.removeBranch;

export function RemoveBranch({ actions: { asked, decide } }: { actions: StepActions }) {
  // While the dialog closes, it still says what it asked.
  const last = useRef<Asked | null>(null);
  last.current = asked ?? last.current;
  const { name = "" } = last.current?.step ?? {};
  const count = last.current?.count ?? 0;
  return (
    <Dialog
      isOpen={asked !== null}
      onClose={() => decide(null)}
      title={say.title(name)}
      description={say.text(count)}
      actions={
        <>
          <Button onClick={() => decide(null)}>{kitWords.cancel}</Button>
          <Button onClick={() => decide("kept")}>{say.keep(count)}</Button>
          <Button look="dangerPrimary" onClick={() => decide("removed")}>
            {say.remove(count)}
          </Button>
        </>
      }
    />
  );
}

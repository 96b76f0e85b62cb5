// The question before the editor is left with unsaved changes.
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Button } from "../kit/inputs/button.tsx";
import { Dialog } from "../kit/overlays/dialog.tsx";
import { words } from "./words.ts";

const environmentOf = (search: unknown): unknown => (search as { env?: string }).env;

type Guarded = { isChanged: boolean; isSaving: boolean; isReadOnly?: boolean; discard: () => void; save: () => void };

/** Another tab or step of the same record is not a leaving; another environment is. */
export function LeaveGuard({ editor }: { editor: Guarded }) {
  const { isChanged, isSaving, isReadOnly, discard, save } = editor;
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isChanged && (current.pathname !== next.pathname || environmentOf(current.search) !== environmentOf(next.search)),
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  });
  const { status, proceed, reset } = blocker;
  const [isLeaving, setLeaving] = useState(false);
  const wasSaving = useRef(false);
  useEffect(() => {
    if (!isLeaving || status !== "blocked") return;
    if (!isChanged) {
      setLeaving(false);
      proceed();
    } else if (wasSaving.current && !isSaving) {
      // The message of the failed save says why.
      setLeaving(false);
      reset();
    }
    wasSaving.current = isSaving;
  }, [isLeaving, status, isChanged, isSaving, proceed, reset]);
  if (status !== "blocked") return null;
  const say = words.leave;
  const stay = () => {
    setLeaving(false);
    reset();
  };
  return (
    <Dialog
      isOpen
      onClose={stay}
      title={say.title}
      description={say.text}
      actions={
        <>
          <Button onClick={stay}>{say.stay}</Button>
          <Button
            look="danger"
            onClick={() => {
              discard();
              proceed();
            }}
          >
            {say.discard}
          </Button>
          <Button look={isReadOnly ? "primary" : undefined} onClick={proceed}>
            {say.leave}
          </Button>
          {!isReadOnly && (
            <Button
              look="primary"
              disabled={isSaving}
              onClick={() => {
                wasSaving.current = false;
                setLeaving(true);
                save();
              }}
            >
              {say.saveAndLeave}
            </Button>
          )}
        </>
      }
    />
  );
}

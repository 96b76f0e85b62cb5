// Questions before something is lost or goes live: leaving, discarding, editing in production.
import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { words as kitWords } from "../../../words.ts";
import type { Editor } from "./use-editor.ts";
import { words } from "./words.ts";

const environmentOf = (search: unknown): unknown => (search as { env?: string }).env;

/** Another tab or step of the same workflow is no leaving; another environment is. */
export function LeaveGuard({ editor }: { editor: Editor }) {
  const { isChanged, discard } = editor;
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isChanged && (current.pathname !== next.pathname || environmentOf(current.search) !== environmentOf(next.search)),
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  const say = words.leave;
  return (
    <Dialog
      isOpen
      onClose={blocker.reset}
      title={say.title}
      description={say.text}
      actions={
        <>
          <Button onClick={blocker.reset}>{say.stay}</Button>
          <Button
            look="danger"
            onClick={() => {
              discard();
              blocker.proceed();
            }}
          >
            {say.discard}
          </Button>
          <Button look="primary" onClick={blocker.proceed}>
            {say.leave}
          </Button>
        </>
      }
    />
  );
}

type ConfirmProps = { label: string; title: string; text: string; action: string; onConfirm: () => void };

/** A button that asks before it acts. */
export function ConfirmButton({ label, title, text, action, onConfirm }: ConfirmProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>{label}</Button>
      <Dialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={title}
        description={text}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>{kitWords.cancel}</Button>
            <Button
              look="danger"
              onClick={() => {
                setAsking(false);
                onConfirm();
              }}
            >
              {action}
            </Button>
          </>
        }
      />
    </>
  );
}

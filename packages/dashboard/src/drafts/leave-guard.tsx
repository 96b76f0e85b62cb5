// The question before the editor is left with unsaved changes.
import { useBlocker } from "@tanstack/react-router";
import { Button } from "../kit/inputs/button.tsx";
import { Dialog } from "../kit/overlays/dialog.tsx";
import { words } from "./words.ts";

const environmentOf = (search: unknown): unknown => (search as { env?: string }).env;

type Guarded = { isChanged: boolean; discard: () => void };

/** Another tab or step of the same record is not a leaving; another environment is. */
export function LeaveGuard({ editor }: { editor: Guarded }) {
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

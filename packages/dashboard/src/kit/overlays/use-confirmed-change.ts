// A change behind a question: confirmed, sent, and its result or error shown as a toast.
import type { CallInput, OperationId, Output } from "@tidings/contract";
import type { ReactNode } from "react";
import { useChange } from "../../api/hooks.ts";
import { type Question, useConfirm } from "./confirm.tsx";
import { showError, showToast } from "./toast.tsx";

type ConfirmedQuestion<Result> = Question & {
  /** The title of the toast afterwards; none where the screen shows the result. */
  done?: string | ((result: Result) => string);
  onDone?: (result: Result) => void;
};

/**
 * `const remove = useConfirmedChange("topics.delete", ["topics.list"])`, then `remove.ask({ params }, { title, label,
 * done })`. The screen renders `remove.dialog`.
 */
export function useConfirmedChange<Id extends OperationId>(
  id: Id,
  makesStale: readonly OperationId[] = [],
  environmentId?: string,
): {
  ask: (input: CallInput<Id>, question: ConfirmedQuestion<Output<Id>>) => void;
  dialog: ReactNode;
  isPending: boolean;
} {
  const { confirm, dialog } = useConfirm();
  const change = useChange(id, makesStale, environmentId);
  const ask = (input: CallInput<Id>, { done, onDone, ...question }: ConfirmedQuestion<Output<Id>>) =>
    confirm(question, () =>
      change.mutate(input, {
        onError: showError,
        onSuccess: (result) => {
          if (done !== undefined) showToast({ title: typeof done === "string" ? done : done(result) });
          onDone?.(result);
        },
      }),
    );
  return { ask, dialog, isPending: change.isPending };
}

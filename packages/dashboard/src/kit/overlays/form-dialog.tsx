// A dialog that is a form: fields below an error, Cancel, and the button that submits.
import { type ReactNode, useId } from "react";
import { words } from "../../words.ts";
import { Stack } from "../data/list.tsx";
import { ErrorPanel } from "../feedback/states.tsx";
import { Button } from "../inputs/button.tsx";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./popups/props.ts";

type FormDialogProps = Pick<DialogProps, "title" | "description" | "look" | "onClose"> & {
  /** The label of the button; without it there is nothing to submit. */
  submit: ReactNode;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** It was submitted and stays open, for what came of it: there is nothing left to cancel. */
  isDone?: boolean;
  /** Shown above the fields. Leave out errors that a field shows. */
  error?: unknown;
  onSubmit: () => void;
  children: ReactNode;
};

export function FormDialog({
  submit,
  isDanger,
  isDisabled,
  isDone,
  error,
  onSubmit,
  onClose,
  children,
  ...dialog
}: FormDialogProps) {
  const form = useId();
  return (
    <Dialog
      isOpen
      onClose={onClose}
      {...dialog}
      actions={
        <>
          <Button onClick={onClose}>{isDone ? words.close : words.cancel}</Button>
          {submit && (
            <Button look={isDanger ? "dangerPrimary" : "primary"} type="submit" form={form} disabled={isDisabled}>
              {submit}
            </Button>
          )}
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        <Stack>
          {Boolean(error) && <ErrorPanel error={error} />}
          {children}
        </Stack>
      </form>
    </Dialog>
  );
}

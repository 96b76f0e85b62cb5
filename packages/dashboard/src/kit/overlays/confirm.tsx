// Asks before a change: always where it cannot be undone, and in production for every change.
import { type ReactNode, useState } from "react";
import type { Environment } from "../../api/auth.ts";
import { useEnvironment } from "../../api/session.tsx";
import { words } from "../../words.ts";
import { Button } from "../inputs/button.tsx";
import { Dialog } from "./dialog.tsx";

export type Question = {
  title: string;
  text?: ReactNode;
  /** What the button does, as a verb: "Delete". */
  label: string;
  isDanger?: boolean;
  /** Asks in every environment, not only in production. */
  isAlways?: boolean;
  /** That the change is in, where it is another one than the chosen one. */
  environment?: Pick<Environment, "type" | "name">;
};

type Asked = Question & { run: () => void };

/**
 * `const { confirm, dialog } = useConfirm()`, then `confirm({ title, label }, () => remove.mutate(…))`. The screen
 * draws `dialog` somewhere.
 */
export function useConfirm(): { confirm: (question: Question, run: () => void) => void; dialog: ReactNode } {
  const chosen = useEnvironment();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isOpen, setOpen] = useState(false);
  const { type, name } = asked?.environment ?? chosen;
  const isProduction = type === "prod";
  const confirm = (question: Question, run: () => void) => {
    if ((question.environment ?? chosen).type !== "prod" && !question.isAlways) return run();
    setAsked({ ...question, run });
    setOpen(true);
  };
  const close = () => setOpen(false);
  const agree = () => {
    close();
    asked?.run();
  };
  const dialog = (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={asked?.title ?? ""}
      description={
        <>
          {asked?.text}
          {asked?.text && isProduction && " "}
          {isProduction && words.confirm.production(name)}
        </>
      }
      actions={
        <>
          <Button onClick={close}>{words.cancel}</Button>
          <Button look={asked?.isDanger ? "dangerPrimary" : "primary"} onClick={agree}>
            {asked?.label}
          </Button>
        </>
      }
    />
  );
  return { confirm, dialog };
}

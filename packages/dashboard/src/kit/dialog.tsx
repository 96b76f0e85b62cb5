// A dialog over the page: the focus stays inside, Escape closes it, and the focus returns to where it was.
import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import css from "./dialog.module.css";

type DialogProps = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** `bare`: no padding, and the title is read aloud only; `drawer`: at the left edge. */
  look?: "wide" | "bare" | "drawer";
  children?: ReactNode;
  /** Buttons at the end, the main one last. */
  actions?: ReactNode;
};

export function Dialog({ isOpen, onClose, title, description, look, children, actions }: DialogProps) {
  const isTitleHidden = look === "bare" || look === "drawer";
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={css.backdrop} />
        <Base.Popup className={classNames(css.popup, look && css[look])}>
          <Base.Title className={isTitleHidden ? css.hidden : css.title}>{title}</Base.Title>
          {description && <Base.Description className={css.description}>{description}</Base.Description>}
          {children}
          {actions && <div className={css.actions}>{actions}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

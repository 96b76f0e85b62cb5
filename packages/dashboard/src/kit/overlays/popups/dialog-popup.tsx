// The dialog itself; see ../dialog.tsx.
import { Dialog as Base } from "@base-ui/react/dialog";
import { classNames } from "../../class-names.ts";
import css from "../dialog.module.css";
import type { DialogProps } from "./props.ts";

export function DialogPopup({ isOpen, onClose, title, description, look, children, actions }: DialogProps) {
  const isTitleHidden = look === "bare" || look === "drawer";
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={css.backdrop} />
        <Base.Popup className={classNames(css.popup, look && css[look])}>
          <Base.Title className={isTitleHidden ? "visually-hidden" : css.title}>{title}</Base.Title>
          {description && <Base.Description className={css.description}>{description}</Base.Description>}
          {children}
          {actions && <div className={css.actions}>{actions}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

// What a menu, a dialog and a list of choices are given: for the components, and for the popups that they load later.
import type { LinkProps } from "@tanstack/react-router";
import type { ButtonHTMLAttributes, ReactElement, ReactNode } from "react";
import type { IconName } from "../../../icons.tsx";

export type Choice<T extends string> = { value: T; label: string; note?: string };

type Common = { label: string; icon?: IconName; note?: string; isDanger?: boolean; isDisabled?: boolean };

export type MenuEntry =
  | (Common & { onChoose: () => void })
  | (Common & { link: Pick<LinkProps, "to" | "params" | "search"> })
  | (Common & { href: string })
  | (Common & { isChosen: boolean; onChoose: () => void; kind: "radio" })
  | { kind: "group"; label: string }
  | { kind: "line" };

export type MenuProps = {
  /** The element that opens the menu: a button. */
  trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>;
  entries: readonly MenuEntry[];
  side?: "top" | "bottom" | "right";
  align?: "start" | "end";
  /** Long entries with notes: higher, where there is room. */
  isTall?: boolean;
  /** Where the focus goes after a choice; null where the entry moved it. Otherwise it returns to the trigger. */
  focusAfter?: () => HTMLElement | null;
};

export type DialogProps = {
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

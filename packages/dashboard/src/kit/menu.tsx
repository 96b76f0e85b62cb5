// A menu behind a button. Its entries are data; a link opens a client route or, with `href`, any address. The menu is loaded when
// the browser has nothing else to do; until then there is its button only.
import type { LinkProps } from "@tanstack/react-router";
import { type ButtonHTMLAttributes, cloneElement, lazy, type ReactElement, Suspense } from "react";
import type { IconName } from "../icons.tsx";
import { useLaterPopup } from "./use-later-popup.ts";
import { whenIdle } from "./when-idle.ts";

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
};

const Popup = lazy(async () => {
  await whenIdle();
  return { default: (await import("./popups/popups.ts")).MenuPopup };
});

export function Menu(props: MenuProps) {
  const { isOpen, onOpenChange, before, after } = useLaterPopup();
  return (
    <Suspense fallback={cloneElement(props.trigger, before)}>
      <Popup {...props} trigger={cloneElement(props.trigger, after)} isOpen={isOpen} onOpenChange={onOpenChange} />
    </Suspense>
  );
}

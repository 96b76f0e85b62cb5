// A menu behind a button. Its entries are data; a link opens a client route or, with `href`, any address. The menu is loaded after
// the first paint; until then there is its button only.
import type { LinkProps } from "@tanstack/react-router";
import { cloneElement, lazy, type ReactElement, Suspense, useState } from "react";
import type { IconName } from "../icons.tsx";

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
  trigger: ReactElement<{ onClick?: () => void }>;
  entries: readonly MenuEntry[];
  side?: "top" | "bottom" | "right";
  align?: "start" | "end";
};

const Popup = lazy(() => import("./menu-popup.tsx").then((module) => ({ default: module.MenuPopup })));

export function Menu(props: MenuProps) {
  // A click before the menu is loaded opens it as soon as it is.
  const [isOpen, setOpen] = useState(false);
  return (
    <Suspense fallback={cloneElement(props.trigger, { onClick: () => setOpen(true) })}>
      <Popup {...props} isOpen={isOpen} onOpenChange={setOpen} />
    </Suspense>
  );
}

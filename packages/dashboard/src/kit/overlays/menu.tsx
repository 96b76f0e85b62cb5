// A menu behind a button. Its entries are data; a link opens a client route or, with `href`, any address. The menu is
// loaded when the browser has nothing else to do; until then there is its button only.
import { cloneElement, lazy, Suspense } from "react";
import { whenIdle } from "../when-idle.ts";
import type { MenuProps } from "./popups/props.ts";
import { useLaterPopup } from "./use-later-popup.ts";

export type { MenuEntry } from "./popups/props.ts";

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

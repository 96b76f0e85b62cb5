// Native popovers: the browser closes them by Escape and by a click elsewhere, gives the focus back, and keeps them above all else.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons.tsx";

const gapPx = 6;
const edgePx = 8;

/** Places a popover under its button, or above it where there is more room, within the window. */
function placePopover(popover: HTMLElement, button: Element): void {
  const anchor = button.getBoundingClientRect();
  const { innerWidth: width, innerHeight: height } = globalThis;
  const { offsetWidth, offsetHeight } = popover;
  // On the outer side of the window the edges are aligned, in both directions of writing.
  const isStart = anchor.left + anchor.width / 2 < width / 2;
  const left = isStart ? anchor.left : anchor.right - offsetWidth;
  const below = height - anchor.bottom - gapPx - edgePx;
  const isAbove = offsetHeight > below && anchor.top > below;
  const top = isAbove ? anchor.top - gapPx - offsetHeight : anchor.bottom + gapPx;
  popover.style.left = `${Math.max(edgePx, Math.min(left, width - offsetWidth - edgePx))}px`;
  popover.style.top = `${Math.max(edgePx, Math.min(top, height - offsetHeight - edgePx))}px`;
}

/** Ids of `useId` are equal in trees that begin alike. */
let menus = 0;

type MenuEntry = { label: string; note?: string; isChosen?: boolean; run: () => void };

type MenuProps = {
  label: string;
  icon: IconName;
  text?: string;
  entries: MenuEntry[];
  tabIndex?: number;
  part?: string;
};

/** A button with a menu. Arrow keys move, Home and End jump, Escape closes. */
export function Menu({ label, icon, text, entries, tabIndex, part }: MenuProps) {
  const [id] = useState(() => `menu-${++menus}`);
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>("button") ?? [])];
  const onToggle = (event: { newState: string }) => {
    const isOpen = event.newState === "open";
    button.current?.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) return;
    placePopover(menu.current!, button.current!);
    (items().find((item) => item.getAttribute("aria-checked") === "true") ?? items()[0])?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const all = items();
    const at = all.indexOf(event.target as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Tab") menu.current?.hidePopover();
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    all[next % all.length]?.focus();
  };
  const isChoice = entries.some(({ isChosen }) => isChosen !== undefined);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={text ? "view" : "tool"}
        part={part}
        title={text ? undefined : label}
        aria-label={text ? `${label}: ${text}` : label}
        aria-haspopup="menu"
        aria-expanded="false"
        tabIndex={tabIndex}
        {...{ popovertarget: id }}
      >
        {text && <span>{text}</span>}
        <Icon name={icon} />
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        part="menu"
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        onToggle={onToggle}
        onKeyDown={onKeyDown}
      >
        {entries.map(({ label: name, note, isChosen, run }) => (
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is one of two
          <button
            key={name}
            type="button"
            role={isChoice ? "menuitemradio" : "menuitem"}
            aria-checked={isChoice ? Boolean(isChosen) : undefined}
            tabIndex={-1}
            onClick={() => {
              menu.current?.hidePopover();
              run();
            }}
          >
            <span>{name}</span>
            {note && <small>{note}</small>}
            {isChosen && <Icon name="check" />}
          </button>
        ))}
      </div>
    </>
  );
}

/** The panel under the bell. */
export function BellPopover({
  label,
  onOpen,
  children,
}: {
  label: string;
  onOpen: (isOpen: boolean) => void;
  children: ComponentChildren;
}) {
  const panel = useRef<HTMLDivElement>(null);
  // Before the panel can be shown: an effect after the paint would miss that it was opened.
  useLayoutEffect(() => {
    const element = panel.current!;
    const button = () => (element.getRootNode() as ShadowRoot).querySelector<HTMLElement>(".bell")!;
    const place = () => placePopover(element, button());
    let hadFocus = false;
    const onBeforeToggle = (event: Event) => {
      if (event.target === element) hadFocus = element.matches(":focus-within");
    };
    const onToggle = (event: Event) => {
      if (event.target !== element) return;
      const isOpen = (event as ToggleEvent).newState === "open";
      button().setAttribute("aria-expanded", String(isOpen));
      onOpen(isOpen);
      for (const name of ["resize", "scroll"]) {
        if (isOpen) addEventListener(name, place, true);
        else removeEventListener(name, place, true);
      }
      // The browser gives the focus back to the host of a shadow tree, which cannot take it.
      const isLost = [document.body, (element.getRootNode() as ShadowRoot).host].includes(document.activeElement!);
      if (!isOpen) return hadFocus && isLost ? button().focus() : undefined;
      place();
      element.focus();
    };
    element.addEventListener("beforetoggle", onBeforeToggle);
    element.addEventListener("toggle", onToggle);
    return () => {
      element.removeEventListener("beforetoggle", onBeforeToggle);
      element.removeEventListener("toggle", onToggle);
      for (const name of ["resize", "scroll"]) removeEventListener(name, place, true);
    };
  }, []);
  return (
    <div
      ref={panel}
      id="panel"
      class="panel"
      part="panel"
      popover="auto"
      role="dialog"
      tabIndex={-1}
      aria-label={label}
    >
      {children}
    </div>
  );
}

// Native popovers: the browser closes them by Escape and by a click elsewhere, gives the focus back, and keeps them
// above all else.
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons.tsx";
import { placePanel, placePopover } from "./placement.ts";

/** Ids of `useId` are equal in trees that begin alike. */
let menus = 0;

type MenuEntry = { label: string; note?: string; isChosen?: boolean; run: () => void };

type MenuProps = {
  label: string;
  icon: IconName;
  text?: string;
  /** A function is asked when the menu is opened. */
  entries: MenuEntry[] | (() => MenuEntry[]);
  tabIndex?: number;
  part?: string;
  button?: RefObject<HTMLButtonElement | null>;
};

/** A button with a menu, which is created when it opens. Arrow keys move, Home and End jump, Escape closes. */
export function Menu({ label, icon, text, entries, tabIndex, part, button }: MenuProps) {
  const [id] = useState(() => `menu-${++menus}`);
  const [isOpen, setOpen] = useState(false);
  const own = useRef<HTMLButtonElement>(null);
  const opener = button ?? own;
  /** A press on the button closes an open menu before the click arrives, which then must not open it again. */
  const wasOpen = useRef(false);
  return (
    <>
      <button
        ref={opener}
        type="button"
        class={text ? "view" : "tool"}
        part={part}
        title={text ? undefined : label}
        aria-label={text ? `${label}: ${text}` : label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        tabIndex={tabIndex}
        onPointerDown={() => {
          wasOpen.current = isOpen;
        }}
        onClick={() => {
          setOpen(!wasOpen.current);
          wasOpen.current = false;
        }}
      >
        {text && <span>{text}</span>}
        <Icon name={icon} />
      </button>
      {isOpen && (
        <MenuList
          id={id}
          label={label}
          opener={opener}
          entries={typeof entries === "function" ? entries() : entries}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

type ListProps = {
  id: string;
  label: string;
  opener: RefObject<HTMLButtonElement | null>;
  entries: MenuEntry[];
  onClose: () => void;
};

function MenuList({ id, label, opener, entries, onClose }: ListProps) {
  const menu = usePopover(opener, onClose);
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>("button") ?? [])];
  useLayoutEffect(() => {
    (items().find((item) => item.getAttribute("aria-checked") === "true") ?? items()[0])?.focus();
  }, []);
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
    <div
      ref={menu}
      id={id}
      class="menu"
      part="menu"
      popover="auto"
      role="menu"
      tabIndex={-1}
      aria-label={label}
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
  );
}

/** A popover next to its button, shown while it is in the page. */
export function usePopover(
  opener: RefObject<HTMLElement | null>,
  onClose: () => void,
): RefObject<HTMLDivElement | null> {
  const popover = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = popover.current!;
    let hadFocus = false;
    const onBeforeToggle = ({ newState }: Event & { newState?: string }) => {
      if (newState === "closed") hadFocus = element.matches(":focus-within");
    };
    const onToggle = ({ newState }: Event & { newState?: string }) => {
      if (newState === "open") return;
      // The browser gives the focus back to the host of a shadow tree, which cannot take it.
      const { activeElement } = element.getRootNode() as ShadowRoot;
      if (hadFocus && (!activeElement || element.contains(activeElement))) opener.current?.focus();
      onClose();
    };
    element.addEventListener("beforetoggle", onBeforeToggle);
    element.addEventListener("toggle", onToggle);
    element.showPopover();
    placePopover(element, opener.current!);
  }, []);
  return popover;
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
    const place = (event?: Event) => {
      // Scrolling in the panel moves neither of them.
      if (event?.target !== (element.getRootNode() as ShadowRoot).host) placePanel(element, button());
    };
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

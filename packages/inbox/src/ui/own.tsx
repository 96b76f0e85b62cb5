// Places of the panel for the page's own content. Each has a slot in the shadow tree, whose content exists as long as
// the place does.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { InboxNotification } from "../client/types.ts";
import type { InboxHeader, InboxView, Mounted, SlotRenderer, Slots } from "../slots.ts";
import { useUi } from "./ui.ts";

type ValueOf<Name extends keyof Slots> = Parameters<Slots[Name]>[0];

/**
 * Returns the slot, or null without a function of the page; `isOwn` is false when that function leaves the place to the
 * widget.
 */
export function useOwn<Name extends keyof Slots>(property: Name, name: string, value: ValueOf<Name>) {
  const { host, slots, mountSlot } = useUi();
  const render = slots[property] as SlotRenderer<ValueOf<Name>> | null | undefined;
  const mounted = useRef<Mounted<ValueOf<Name>> | null>(null);
  const slot = useRef<HTMLSlotElement>(null);
  const [isOwn, setOwn] = useState(Boolean(render));
  const look = () => setOwn((slot.current?.assignedElements().length ?? 0) > 0);
  useLayoutEffect(() => {
    if (render) mounted.current = mountSlot(host, name, render, value);
    look();
    return () => {
      mounted.current?.remove();
      mounted.current = null;
    };
  }, [host, render, name]);
  useLayoutEffect(() => mounted.current?.update(value), [value]);
  return {
    isOwn,
    slot: (fallback?: ComponentChildren) =>
      render && (
        <slot ref={slot} name={name} class={isOwn ? "own" : ""} {...{ onslotchange: look }}>
          {fallback}
        </slot>
      ),
  };
}

/** True for a click on something interactive in custom content. */
export function isHandled(event: Event): boolean {
  const path = event.composedPath();
  const within = path.slice(0, path.indexOf(event.currentTarget!)) as Element[];
  const does = "a,button,input,select,textarea,label,summary,[role=button],[contenteditable]";
  return event.defaultPrevented || within.some((element) => element.matches?.(does));
}

type PartProps = {
  property: "renderSubject" | "renderBody" | "renderAvatar" | "renderActions";
  item: InboxNotification;
  children?: ComponentChildren;
};

/** A part of a row: the page's own, or what the widget shows. */
export function Part({ property, item, children }: PartProps) {
  const { slots } = useUi();
  return slots[property] ? (
    <OwnPart property={property} item={item}>
      {children}
    </OwnPart>
  ) : (
    (children as never)
  );
}

function OwnPart({ property, item, children }: PartProps) {
  const name = property.slice(6).toLowerCase();
  const { slot } = useOwn(property, `${name}-${item.id}`, item);
  if (property === "renderSubject") return slot(children) as never;
  // Above the link that covers the row, which still gets the clicks that nothing else takes.
  const onClick = (event: MouseEvent) => {
    const row = (event.currentTarget as Element).closest(".item")!;
    if (!isHandled(event)) row.querySelector<HTMLElement>(".main")!.click();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the link of the row has the keys
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div class={`own-part own-${name}`} onClick={onClick}>
      {slot(children)}
    </div>
  );
}

/** In front of what it replaces: the style sheet hides that while there is own content. */
export function OwnEmpty({ view }: { view: InboxView }) {
  return useOwn("renderEmpty", "empty", view).slot() as never;
}

type HeaderProps = Omit<InboxHeader, "close">;

/** In front of the header of the widget. */
export function OwnHeader(props: HeaderProps) {
  const { host } = useUi();
  const given = useRef(props);
  given.current = props;
  const value: InboxHeader = {
    view: props.view,
    counts: props.counts,
    setView: (next) => given.current.setView(next),
    markAllRead: () => given.current.markAllRead(),
    openPreferences: () => given.current.openPreferences(),
    close: () => (host as HTMLElement & { hide: () => void }).hide(),
  };
  return useOwn("renderHeader", "header", value).slot() as never;
}

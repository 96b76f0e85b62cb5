// Custom content in JSX: the element creates the places, and React renders into them from the component, so contexts of
// the page work there.
import { createElement, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal, flushSync } from "react-dom";
import type { TidingsInboxElement } from "../element-types.ts";
import { slotProperties } from "../slot-names.ts";
import type { SlotMount, Slots } from "../slots.ts";

type Name = keyof Slots;
type ValueOf<N extends Name> = Parameters<Slots[N]>[0];

/** Like the properties of the element, but in JSX. Null, undefined and false leave a place to the widget. */
export type SlotProps = { [N in Name]?: (value: ValueOf<N>) => ReactNode };

type Place = { id: number; property: Name; name: string; element: HTMLElement; value: never };

/** Returns the content of all places, to be rendered by the component. */
export function useSlots(element: RefObject<TidingsInboxElement | null>, props: SlotProps): ReactNode {
  const places = useRef(new Map<number, Place>());
  const [shown, setShown] = useState<Place[]>([]);
  // The element's functions stay the same: they create places, and the props of the last render fill them.
  const [renderers] = useState(() => createRenderers(places.current, setShown));
  const wanted = slotProperties.filter((name) => props[name]).join();
  useEffect(() => {
    const target = element.current as Partial<Slots>;
    for (const name of slotProperties) {
      const next = props[name] && renderers[name];
      if ((target[name] ?? undefined) !== next) Object.assign(target, { [name]: next });
    }
  }, [wanted]);
  return shown.map((place) =>
    createPortal(
      createElement(PlaceContent, { render: props[place.property] as PlaceProps["render"], place }),
      place.element,
      String(place.id),
    ),
  );
}

type PlaceProps = { render: ((value: never) => ReactNode) | undefined; place: Place };

/** A component, so that hooks work in the function. */
function PlaceContent({ render, place }: PlaceProps): ReactNode {
  const content = render?.(place.value) ?? null;
  const isEmpty = content === null || content === false;
  const { element, name } = place;
  useLayoutEffect(() => {
    element.slot = isEmpty ? "" : name;
  }, [isEmpty]);
  return content;
}

function createRenderers(places: Map<number, Place>, setShown: (places: Place[]) => void): Slots {
  let last = 0;
  let isDue = false;
  // The places of one turn are rendered together, and before the browser paints.
  const draw = () => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      flushSync(() => setShown([...places.values()]));
    });
  };
  const rendererOf = (property: Name) => (first: unknown, mount: SlotMount<never>) => {
    const id = ++last;
    const { element } = mount;
    const name = element.slot;
    const put = (value: unknown) => {
      places.set(id, { id, property, element, name, value: value as never });
      draw();
    };
    put(first);
    mount.onUpdate(put);
    mount.onRemove(() => {
      places.delete(id);
      draw();
    });
    return element;
  };
  return Object.fromEntries(slotProperties.map((name) => [name, rendererOf(name)])) as unknown as Slots;
}

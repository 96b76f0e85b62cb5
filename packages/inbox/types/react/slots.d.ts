// Generated from packages/inbox/src by `npm run generate`. Do not edit.
import { type ReactNode, type RefObject } from "react";
import type { TidingsInboxElement } from "../element-types.js";
import type { Slots } from "../slots.js";
type Name = keyof Slots;
type ValueOf<N extends Name> = Parameters<Slots[N]>[0];
/** Like the properties of the element, but in JSX. Null, undefined and false leave a place to the widget. */
export type SlotProps = {
    [N in Name]?: (value: ValueOf<N>) => ReactNode;
};
/** Returns the content of all places, to be rendered by the component. */
export declare function useSlots(element: RefObject<TidingsInboxElement | null>, props: SlotProps): ReactNode;
export {};

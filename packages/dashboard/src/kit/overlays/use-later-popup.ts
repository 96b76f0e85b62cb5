// A button whose popup is loaded later. The popup brings its own button instead of the first one: a click and the focus
// that the first one got go over to it.
import { type MouseEvent, useRef, useState } from "react";

export function useLaterPopup() {
  const [isOpen, setOpen] = useState(false);
  const hasFocus = useRef(false);
  return {
    isOpen,
    onOpenChange: setOpen,
    /** For the button before the popup is loaded. */
    before: {
      onClick: () => setOpen(true),
      // A button that is replaced while the mouse is down gets no click. After the mouse is up: a popup that opens
      // before takes the rest of the click for one outside of it, and closes.
      onMouseDown: ({ button, currentTarget }: MouseEvent) => {
        if (button !== 0) return;
        const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
        const onUp = ({ clientX: x, clientY: y }: globalThis.MouseEvent) => {
          const isOver = left <= x && x <= right && top <= y && y <= bottom;
          if (isOver) setTimeout(() => setOpen(true));
        };
        window.addEventListener("mouseup", onUp, { once: true });
      },
      onFocus: () => {
        hasFocus.current = true;
      },
      onBlur: () => {
        hasFocus.current = false;
      },
    },
    /** For the button of the popup. */
    after: hasFocus.current ? { autoFocus: true } : {},
  };
}

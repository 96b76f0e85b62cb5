// Places popovers next to their button, within the window.
import { decidePlace, edgePx, type Row, type Side, type Space } from "./decide-place.ts";

const gapPx = 6;

function spaceOf(popover: HTMLElement, button: Element, gap: number): Space {
  const { offsetWidth: width, offsetHeight: height } = popover;
  const { innerWidth, innerHeight } = globalThis;
  return {
    anchor: button.getBoundingClientRect(),
    window: { width: innerWidth, height: innerHeight },
    popover: { width, height },
    gap,
  };
}

/** A menu: at its full height, and within the window even if that hides its button. */
export function placePopover(popover: HTMLElement, button: Element): void {
  const space = spaceOf(popover, button, gapPx);
  const { left, top } = decidePlace(space, "auto", "auto", false);
  const lowest = space.window.height - space.popover.height - edgePx;
  popover.style.left = `${left}px`;
  popover.style.top = `${Math.max(edgePx, Math.min(top, lowest))}px`;
}

/** The panel, where the attributes `placement` and `offset` of the element want it. */
export function placePanel(panel: HTMLElement, button: Element): void {
  const { host } = panel.getRootNode() as ShadowRoot;
  const [row, side] = (/^(top|bottom)-(start|end)$/.exec(host.getAttribute("placement") ?? "") ?? []).slice(1) as [
    Row?,
    Side?,
  ];
  const offset = Number.parseInt(host.getAttribute("offset") ?? "", 10);
  // Its own height first: it may have shrunk before.
  panel.style.removeProperty("--room");
  const space = spaceOf(panel, button, Number.isNaN(offset) ? gapPx : Math.max(0, Math.min(offset, 200)));
  const isRtl = getComputedStyle(host).direction === "rtl";
  const { left, top, height } = decidePlace(space, row ?? "auto", side ?? "auto", isRtl);
  panel.style.setProperty("--room", `${height}px`);
  panel.style.left = `${left}px`;
  panel.style.top = `${top}px`;
}

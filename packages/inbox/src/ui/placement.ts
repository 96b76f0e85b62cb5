// Where popovers are: beside their button, within the window.

const gapPx = 6;
const edgePx = 8;
/** With less room than this on the side that a page asks for, the other side is taken where it has more. */
const leastHeightPx = 240;

/** The numbers that decide, so that the decision can be tested without a window. */
export type Space = {
  anchor: { left: number; right: number; top: number; bottom: number };
  window: { width: number; height: number };
  popover: { width: number; height: number };
  /** Between the button and the popover. */
  gap: number;
};
export type Side = "start" | "end" | "auto";
export type Row = "top" | "bottom" | "auto";

/** `height`: as much as fits on the side that was chosen, so that the popover never lies over its button. */
export function decidePlace(
  { anchor, window, popover, gap }: Space,
  row: Row,
  side: Side,
  isRtl: boolean,
): { left: number; top: number; height: number } {
  const below = window.height - anchor.bottom - gap - edgePx;
  const above = anchor.top - gap - edgePx;
  const larger = above > below ? "top" : "bottom";
  const wanted = row === "auto" ? (popover.height > below ? larger : "bottom") : row;
  const isTight = row !== "auto" && (row === "top" ? above : below) < Math.min(leastHeightPx, popover.height);
  const isAbove = (isTight ? larger : wanted) === "top";
  const height = Math.max(0, Math.min(popover.height, isAbove ? above : below));
  // On the outer side of the window the edges are aligned, in both directions of writing.
  const isOuterLeft = (anchor.left + anchor.right) / 2 < window.width / 2;
  const isLeft = side === "auto" ? isOuterLeft : (side === "start") !== isRtl;
  const left = isLeft ? anchor.left : anchor.right - popover.width;
  return {
    left: Math.max(edgePx, Math.min(left, window.width - popover.width - edgePx)),
    top: isAbove ? anchor.top - gap - height : anchor.bottom + gap,
    height,
  };
}

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

/** A menu: as high as it is, and within the window also where that hides its button. */
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

// Decides where a popover is.

export const edgePx = 8;
/** With less room than this on the requested side, the other side is used if it has more. */
const minHeightPx = 240;

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
  const isTight = row !== "auto" && (row === "top" ? above : below) < Math.min(minHeightPx, popover.height);
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

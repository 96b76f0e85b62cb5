// A dialog over the page: the focus stays inside, Escape closes it, and the focus returns to where it was. It is loaded when it
// is opened for the first time.
import { lazy, type ReactNode, Suspense, useRef } from "react";

export type DialogProps = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** `bare`: no padding, and the title is read aloud only; `drawer`: at the left edge. */
  look?: "wide" | "bare" | "drawer";
  children?: ReactNode;
  /** Buttons at the end, the main one last. */
  actions?: ReactNode;
};

const Popup = lazy(() => import("./popups/popups.ts").then((module) => ({ default: module.DialogPopup })));

export function Dialog(props: DialogProps) {
  const wasOpen = useRef(false);
  wasOpen.current ||= props.isOpen;
  return <Suspense>{wasOpen.current && <Popup {...props} />}</Suspense>;
}

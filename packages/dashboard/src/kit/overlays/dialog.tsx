// A dialog over the page: the focus stays inside, Escape closes it, and the focus returns to where it was. It is loaded
// when it is opened for the first time.
import { lazy, Suspense, useRef } from "react";
import type { DialogProps } from "./popups/props.ts";

const Popup = lazy(() => import("./popups/popups.ts").then((module) => ({ default: module.DialogPopup })));

export function Dialog(props: DialogProps) {
  const wasOpen = useRef(false);
  wasOpen.current ||= props.isOpen;
  return <Suspense>{wasOpen.current && <Popup {...props} />}</Suspense>;
}

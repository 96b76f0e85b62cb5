// The file panel.js: what the element loads when it is first opened, and what `later.js` takes from it
// (scripts/build.mjs).

export { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
export { Fragment, jsx, jsxs } from "preact/jsx-runtime";
export * from "./draw.tsx";
export { Icon } from "./icons.tsx";
export { usePopover } from "./popover.tsx";
export { hostOf } from "./sanitize.ts";
export { fromFieldTime, shortTime, toFieldTime, weekdayName, workingDay } from "./time.ts";
export { trustedWorker } from "./trusted.ts";
export { useUi } from "./ui.ts";

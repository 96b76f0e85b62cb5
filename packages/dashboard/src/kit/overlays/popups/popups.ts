// What opens above the page, in one file that is loaded later: the three have most of their code in common.
export { DialogPopup } from "./dialog-popup.tsx";
export { MenuPopup } from "./menu-popup.tsx";
export { SelectPopup } from "./select-popup.tsx";

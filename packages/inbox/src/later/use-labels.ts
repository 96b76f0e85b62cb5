// The words of what is loaded later.
import { useUi } from "../ui/ui.ts";
import { laterLabels } from "./later-labels.ts";

/** The words of the page and of its language, otherwise the English ones. */
export const useLabels = () => ({ ...laterLabels, ...useUi().labels });

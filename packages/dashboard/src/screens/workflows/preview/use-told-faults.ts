// Errors of templates are said once the typing has paused, or when the field is left: every `{{` is an error at first.
import type { PreviewFault } from "@tidings/contract";
import { useEffect, useState } from "react";

const pauseMs = 1_000;

/** The errors that are old enough to be shown; corrected ones disappear at once. */
export function useToldFaults(faults: readonly PreviewFault[]): readonly PreviewFault[] {
  const [told, setTold] = useState<readonly PreviewFault[]>([]);
  const hasFaults = faults.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new response with the same errors starts no new pause
  useEffect(() => {
    if (!hasFaults) return setTold([]);
    const tell = () => setTold(faults);
    const timer = setTimeout(tell, pauseMs);
    document.addEventListener("focusout", tell);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("focusout", tell);
    };
  }, [hasFaults, JSON.stringify(faults)]);
  return hasFaults ? told : [];
}

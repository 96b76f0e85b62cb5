// Whether the steps are folded to icons, so that a mail has the room: kept by the browser, folded at first.
import { useState } from "react";

const storageKey = "tidings.steps";

export function useFolded(): [isFolded: boolean, setFolded: (isFolded: boolean) => void] {
  const [isFolded, setFolded] = useState(() => {
    try {
      return localStorage.getItem(storageKey) !== "open";
    } catch {
      return true;
    }
  });
  return [
    isFolded,
    (next) => {
      setFolded(next);
      try {
        localStorage.setItem(storageKey, next ? "folded" : "open");
      } catch {}
    },
  ];
}

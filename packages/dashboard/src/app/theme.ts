// Light, dark, or what the system says. The choice is a cookie, so that the service writes it into the page and the
// first paint has the right colours; a script in the page would be against its content security policy.
import { useSyncExternalStore } from "react";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const isTheme = (text: string | undefined): text is Theme => (themes as readonly (string | undefined)[]).includes(text);

function readTheme(): Theme {
  const shown = document.documentElement.dataset.theme;
  return isTheme(shown) ? shown : "system";
}

function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const path = new URL(document.baseURI).pathname;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not there on plain HTTP
  document.cookie = `tidings_theme=${theme}; path=${path}; max-age=31536000; samesite=lax`;
}

/** The menu and the palette both show and change it. */
const listeners = new Set<() => void>();

function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore(onTheme, readTheme);
  return [
    theme,
    (next) => {
      applyTheme(next);
      for (const listener of listeners) listener();
    },
  ];
}

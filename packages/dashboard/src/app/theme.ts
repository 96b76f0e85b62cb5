// Light, dark, or what the system says. The choice is a cookie, so that the service writes it into the page and the first paint
// has the right colours; a script in the page would be against its content security policy.
import { useState } from "react";

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

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(readTheme);
  return [
    theme,
    (next) => {
      applyTheme(next);
      setTheme(next);
    },
  ];
}

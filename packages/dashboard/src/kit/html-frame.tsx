// Html that others wrote, such as the content of an email. It is shown in a frame without scripts and without an origin, inside
// a frame that the service serves with a policy of its own: a frame takes over the policy of the page around it, and that of
// the dashboard allows no styles inside of html.
import { useRef } from "react";
import { baseUrl } from "../api/client.ts";
import css from "./html-frame.module.css";

type HtmlFrameProps = {
  html: string;
  title: string;
  height?: string;
  /** What the html is told that the reader prefers. */
  scheme?: "light" | "dark";
};

export function HtmlFrame({ html, title, height = "22rem", scheme = "light" }: HtmlFrameProps) {
  const outer = useRef<HTMLIFrameElement>(null);
  const fill = () => {
    const page = outer.current?.contentDocument;
    if (!page?.body) return;
    page.documentElement.style.colorScheme = scheme;
    const inner = page.createElement("iframe");
    inner.setAttribute("sandbox", "");
    inner.title = title;
    inner.srcdoc = html;
    page.body.replaceChildren(inner);
  };
  return (
    // Another html needs another frame: the key makes one.
    <iframe
      key={`${scheme} ${html}`}
      ref={outer}
      className={css.frame}
      src={new URL("dashboard/frame", baseUrl()).href}
      title={title}
      onLoad={fill}
      style={{ height, colorScheme: scheme }}
    />
  );
}

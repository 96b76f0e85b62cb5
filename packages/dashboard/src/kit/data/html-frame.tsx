// Html that others wrote, such as the content of an email. It is shown in a frame without scripts and without an
// origin, inside a frame that the service serves with its own policy: a frame takes over the policy of the page around
// it, and that of the dashboard allows no styles inside of html.
import { useEffect, useRef, useState } from "react";
import { baseUrl } from "../../api/client.ts";
import { words } from "../../words.ts";
import { Notice } from "../feedback/notice.tsx";
import { Button } from "../inputs/button.tsx";
import css from "./html-frame.module.css";

type HtmlFrameProps = {
  html: string;
  title: string;
  height?: string;
  /** The colour scheme that the HTML sees as the reader's preference. */
  scheme?: "light" | "dark";
};

/** A message that was sent or captured. Its remote content loads when the reader asks for it, as in mail programs. */
export function MessageFrame(props: HtmlFrameProps) {
  const [consent, setConsent] = useState("");
  const isAsked = consent !== props.html && hasRemoteContent(props.html);
  const show = (
    <Button size="small" onClick={() => setConsent(props.html)}>
      {words.remoteContent.show}
    </Button>
  );
  return (
    <>
      {isAsked && <Notice action={show}>{words.remoteContent.blocked}</Notice>}
      <HtmlFrame {...props} allowsRemote={!isAsked} />
    </>
  );
}

/** Addresses that a page loads automatically. Those of links do not count, nor do images that this service stores. */
const hasRemoteContent = (html: string): boolean =>
  /(?:\b(?:src|srcset|background|poster|data)\s*=\s*["']?|url\(\s*["']?|@import\s+["']?)\s*(?:https?:)?\/\/|<link\b/i.test(
    html.replaceAll(new URL("assets/", baseUrl()).href, ""),
  );

export function HtmlFrame({
  html,
  title,
  height = "22rem",
  scheme = "light",
  allowsRemote = true,
}: HtmlFrameProps & { allowsRemote?: boolean }) {
  const outer = useRef<HTMLIFrameElement>(null);
  const isLoaded = useRef(false);
  const fill = () => {
    const page = outer.current?.contentDocument;
    if (!page?.body || !isLoaded.current) return;
    page.documentElement.style.colorScheme = scheme;
    const inner = page.createElement("iframe");
    inner.setAttribute("sandbox", "");
    inner.title = title;
    inner.srcdoc = html;
    // Another frame for another HTML: a frame that loads again would be an entry in the history of the browser.
    page.body.replaceChildren(inner);
  };
  // The outer frame stays while an author types, so that the preview is not blank at every letter.
  useEffect(fill, [html, title, scheme]);
  return (
    <iframe
      key={String(allowsRemote)}
      ref={outer}
      className={css.frame}
      src={new URL(allowsRemote ? "dashboard/frame/remote" : "dashboard/frame", baseUrl()).href}
      title={title}
      onLoad={() => {
        isLoaded.current = true;
        fill();
      }}
      style={{ height, colorScheme: scheme }}
    />
  );
}

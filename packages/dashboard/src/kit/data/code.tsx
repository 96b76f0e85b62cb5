// Code and identifiers, each with a button that copies them.
import { type ReactNode, useEffect, useState } from "react";
import { words } from "../../words.ts";
import { copyText } from "../copy.ts";
import { Button, IconButton } from "../inputs/button.tsx";
import { showToast } from "../overlays/toast.tsx";
import css from "./code.module.css";

type CopyProps = {
  text: string;
  /** What is copied, for the label: "Copy curl". */
  what?: string;
  /** With a text, a button with that text; otherwise an icon. */
  children?: ReactNode;
  size?: "small" | "normal";
};

export function CopyButton({ text, what, children, size = "small" }: CopyProps) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), 1_600);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = async () => {
    if (await copyText(text)) setDone(true);
    else showToast({ title: words.copy.failed, look: "bad" });
  };
  const label = isDone ? words.copy.done : what === undefined ? words.copy.label : `${words.copy.label} ${what}`;
  const icon = isDone ? "check" : "copy";
  if (children === undefined) return <IconButton label={label} icon={icon} size="small" onClick={copy} />;
  return (
    <Button icon={icon} size={size === "small" ? size : undefined} onClick={copy}>
      {isDone ? words.copy.done : children}
    </Button>
  );
}

/** A block of code. The label names it for screen readers. */
export const Code = ({ text, label, children }: { text: string; label: string; children?: ReactNode }) => (
  <div className={css.frame}>
    {/* A block that scrolls has to be reachable by keyboard. */}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
    <section className={css.code} tabIndex={0} aria-label={label}>
      <code>{children ?? text}</code>
    </section>
    <span className={css.copy}>
      <CopyButton text={text} what={label} />
    </span>
  </div>
);

const tokenPattern = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b/gi;

/** A value as JSON, with colours. Beyond 50,000 characters the colours are left out. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2) ?? "";
  return (
    <Code text={text} label={label}>
      {text.length > 50_000 ? text : colourJson(text)}
    </Code>
  );
}

function colourJson(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(tokenPattern)) {
    const [whole, string, colon] = match;
    if (match.index > end) parts.push(text.slice(end, match.index));
    const kind = string === undefined ? css.value : colon === undefined ? css.string : css.key;
    parts.push(
      <span key={match.index} className={kind}>
        {string ?? whole}
      </span>,
    );
    if (colon !== undefined) parts.push(colon);
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts;
}

export const InlineCode = ({ children }: { children: ReactNode }) => <code className={css.inline}>{children}</code>;

/** An identifier in monospace with a copy button, cut when it is too long for its place. */
export const Id = ({ text, what }: { text: string; what: string }) => (
  <span className={css.id}>
    <span className={css.idText} title={text}>
      {text}
    </span>
    <CopyButton text={text} what={what} />
  </span>
);

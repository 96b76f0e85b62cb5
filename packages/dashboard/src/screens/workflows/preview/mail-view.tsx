// A mail as its reader sees it: the line of the mailbox, and the mail at a width, with or without images, in light or
// dark, as text, and as source.
import type { PreviewResult } from "@tidings/contract";
import { useState } from "react";
import type { IconName } from "../../../icons.tsx";
import { Code } from "../../../kit/data/code.tsx";
import { MailFrame } from "../../../kit/data/mail-frame.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import type { Subscriber } from "../../../subscribers/subscriber-picker.tsx";
import { hasDarkColours, previewTextOf, withoutImages } from "./mail-html.ts";
import css from "./mail-view.module.css";
import { words } from "./words.ts";

const say = words.mail;

const views = ["desktop", "phone", "text", "source"] as const;
type View = (typeof views)[number];
const viewIcons: Record<View, IconName> = { desktop: "monitor", phone: "smartphone", text: "menu", source: "code" };

/** On a phone, a desktop's width would be half its size. */
const isNarrow = (): boolean => matchMedia("(max-width: 48rem)").matches;

type MailViewProps = {
  result: PreviewResult;
  subscriber: Subscriber | undefined;
  /** What is shown is from before an error. */
  isOld: boolean;
};

export function MailView({ result, subscriber, isOld }: MailViewProps) {
  const { subject, html = "", text = "" } = result;
  const { preheader, senderName } = result as { preheader?: string; senderName?: string };
  const [view, setView] = useState<View>(isNarrow() ? "phone" : "desktop");
  const [isDark, setDark] = useState(false);
  const [isBare, setBare] = useState(false);
  const isDrawn = view === "desktop" || view === "phone";
  return (
    <figure className={css.mail} data-old={isOld}>
      <figcaption className={css.row} title={say.row}>
        <span className={css.from}>
          {[senderName, subscriber ? say.to(subscriber.name) : say.toSample].filter(Boolean).join(" · ")}
        </span>
        <span className={css.line}>
          <strong>{subject || words.noSubject}</strong>
          <span className={css.weak}>{previewTextOf(preheader, text)}</span>
        </span>
      </figcaption>
      <div className={css.tools}>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen */}
        <span className={css.views} role="group" aria-label={words.as}>
          {views.map((one) => (
            <Button
              key={one}
              size="small"
              look="plain"
              icon={viewIcons[one]}
              aria-pressed={view === one}
              onClick={() => setView(one)}
            >
              {say.views[one]}
            </Button>
          ))}
        </span>
        {isDrawn && (
          <span className={css.views}>
            <Button size="small" look="plain" icon="moon" aria-pressed={isDark} onClick={() => setDark(!isDark)}>
              {say.dark}
            </Button>
            <Button size="small" look="plain" aria-pressed={isBare} onClick={() => setBare(!isBare)}>
              {say.noImages}
            </Button>
          </span>
        )}
      </div>
      {isDrawn && isDark && !hasDarkColours(html) && <p className={css.note}>{say.noDark}</p>}
      {isDrawn && (
        <MailFrame
          html={isBare ? withoutImages(html) : html}
          title={subject || words.title}
          device={view}
          height="var(--mail-height)"
          scheme={isDark ? "dark" : "light"}
          allowsRemote={!isBare}
        />
      )}
      {view === "text" && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keyboard
        <pre className={css.text} tabIndex={0}>
          {text || say.noText}
        </pre>
      )}
      {view === "source" && (
        <div className={css.source}>
          <Code text={html} label={say.views.source} />
        </div>
      )}
    </figure>
  );
}

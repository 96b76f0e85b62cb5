// A mail as its reader sees it: the line of the mailbox, and the mail at a width, with or without images, in light or
// dark, as text, and as source.
import type { PreviewResult } from "@tidings/contract";
import { useEffect, useRef, useState } from "react";
import type { IconName } from "../../../icons.tsx";
import { Code } from "../../../kit/data/code.tsx";
import { HtmlFrame } from "../../../kit/data/html-frame.tsx";
import { Button } from "../../../kit/inputs/button.tsx";
import { hasDarkColours, previewTextOf, withoutImages } from "./mail-html.ts";
import css from "./mail-view.module.css";
import type { Subscriber } from "./use-sample.ts";
import { words } from "./words.ts";

const say = words.mail;

const views = ["desktop", "phone", "text", "source"] as const;
type View = (typeof views)[number];
const viewIcons: Record<View, IconName> = { desktop: "monitor", phone: "smartphone", text: "menu", source: "code" };

type MailViewProps = {
  result: PreviewResult;
  subscriber: Subscriber | undefined;
  /** What is shown is from before an error. */
  isOld: boolean;
};

export function MailView({ result, subscriber, isOld }: MailViewProps) {
  const { subject, html = "", text = "" } = result;
  const { preheader, senderName } = result as { preheader?: string; senderName?: string };
  const [view, setView] = useState<View>("desktop");
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
        <Drawn
          html={isBare ? withoutImages(html) : html}
          title={subject || words.title}
          width={widths[view]}
          scheme={isDark ? "dark" : "light"}
          allowsRemote={!isBare}
        />
      )}
      {view === "text" && <pre className={css.text}>{text || say.noText}</pre>}
      {view === "source" && <Code text={html} label={say.views.source} />}
    </figure>
  );
}

/** Desktop mails are at least this wide; in a narrower place they are shown smaller, not reflowed. */
const widths = { desktop: 640, phone: 375 } as const;

type DrawnProps = { html: string; title: string; width: number; scheme: "light" | "dark"; allowsRemote: boolean };

function Drawn({ width, ...frame }: DrawnProps) {
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(width);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setRoom(entry.contentRect.width));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const isPhone = width === widths.phone;
  const shown = isPhone ? width : Math.max(width, room);
  const scale = Math.min(1, room / shown);
  return (
    <div ref={box} className={css.box}>
      <div className={css.drawn} data-phone={isPhone} style={{ width: shown, zoom: scale }}>
        <HtmlFrame {...frame} height="var(--mail-height)" />
      </div>
      {scale < 0.99 && <p className={css.note}>{say.smaller(width, Math.round(scale * 100))}</p>}
    </div>
  );
}

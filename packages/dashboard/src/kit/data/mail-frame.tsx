// A mail at the width of a desktop or of a phone. In a narrower place it is shown smaller, not reflowed.
import { useEffect, useRef, useState } from "react";
import { words } from "../../words.ts";
import { HtmlFrame } from "./html-frame.tsx";
import css from "./mail-frame.module.css";

/** Desktop mails are at least this wide. */
const widths = { desktop: 640, phone: 375 } as const;

type MailFrameProps = {
  html: string;
  title: string;
  device: keyof typeof widths;
  height: string;
  scheme: "light" | "dark";
  allowsRemote?: boolean;
};

export function MailFrame({ device, ...frame }: MailFrameProps) {
  const width = widths[device];
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<number>(width);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setRoom(entry.contentRect.width));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const isPhone = device === "phone";
  const shown = isPhone ? width : Math.max(width, room);
  const scale = Math.min(1, room / shown);
  return (
    <div ref={box} className={css.box}>
      <div className={css.drawn} data-phone={isPhone} style={{ width: shown, zoom: scale }}>
        <HtmlFrame {...frame} />
      </div>
      {scale < 0.99 && <p className={css.note}>{words.mailScale(width, Math.round(scale * 100))}</p>}
    </div>
  );
}

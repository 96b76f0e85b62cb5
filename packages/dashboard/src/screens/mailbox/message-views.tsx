// The content of a message: as its channel shows it, its text, links, headers and source.
import type { CapturedMessage } from "@tidings/contract";
import { useState } from "react";
import { Icon } from "../../icons.tsx";
import { Code, CopyButton, Json } from "../../kit/data/code.tsx";
import { MessageFrame } from "../../kit/data/html-frame.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Facts } from "../../kit/layout/page.tsx";
import { type Tab, Tabs } from "../../kit/layout/tabs.tsx";
import { channelNames } from "../../outcomes/channel-names.ts";
import { stepIcons } from "../../outcomes/tones.ts";
import css from "./mailbox.module.css";
import type { View } from "./search.ts";
import { words } from "./words.ts";

type MessageViewsProps = { message: CapturedMessage; view: View | undefined; onView: (view: View) => void };

export function MessageViews({ message, view, onView }: MessageViewsProps) {
  const { channel, html, links } = message;
  const isMail = channel === "email";
  const tabs: Tab<View>[] = [
    { value: "preview", label: words.views.preview, panel: <Preview message={message} /> },
    ...(isMail ? [tabOf("text", <Text message={message} />)] : []),
    { value: "links", label: words.views.links, count: links.length, panel: <Links links={links} /> },
    ...(isMail ? [tabOf("headers", <Headers message={message} />)] : []),
    tabOf("source", html ? <Code text={html} label={words.source} /> : <Json value={message} label={words.source} />),
  ];
  const shown = tabs.some(({ value }) => value === view) ? view! : "preview";
  return <Tabs value={shown} tabs={tabs} onChange={onView} />;
}

const tabOf = (value: View, panel: Tab<View>["panel"]): Tab<View> => ({ value, label: words.views[value], panel });

const Preview = ({ message }: { message: CapturedMessage }) =>
  message.channel === "email" && message.html ? (
    <Letter html={message.html} title={message.subject || words.message} />
  ) : (
    <Bubble message={message} />
  );

/** Mails that say nothing about dark colours get none from the browser either. */
const hasDarkColours = (html: string): boolean => /color-scheme/i.test(html);

function Letter({ html, title }: { html: string; title: string }) {
  const [isPhone, setPhone] = useState(false);
  const [isDark, setDark] = useState(false);
  return (
    <div className={css.preview}>
      <div className={css.tools}>
        <Button size="small" icon="smartphone" aria-pressed={isPhone} onClick={() => setPhone(!isPhone)}>
          {words.phone}
        </Button>
        <Button size="small" icon="moon" aria-pressed={isDark} onClick={() => setDark(!isDark)}>
          {words.dark}
        </Button>
        {isDark && !hasDarkColours(html) && <span className={css.weak}>{words.noDark}</span>}
      </div>
      <div className={css.frame} data-phone={isPhone}>
        <MessageFrame html={html} title={title} height="32rem" scheme={isDark ? "dark" : "light"} />
      </div>
    </div>
  );
}

const Bubble = ({ message: { channel, subject, text } }: { message: CapturedMessage }) => (
  <div className={css.phone}>
    <p className={css.phoneHead}>
      <Icon name={stepIcons[channel]} size={14} />
      {channelNames[channel]}
    </p>
    <div className={css.bubble}>
      {channel === "push" && subject && <strong>{subject}</strong>}
      <p>{text || words.noContent}</p>
    </div>
  </div>
);

const Text = ({ message: { text } }: { message: CapturedMessage }) =>
  text ? <Code text={text} label={words.text} /> : <p className={css.weak}>{words.noText}</p>;

const Links = ({ links }: { links: string[] }) =>
  links.length === 0 ? (
    <p className={css.weak}>{words.noLinks}</p>
  ) : (
    <ul className={css.links}>
      {links.map((link) => (
        <li key={link}>
          <a href={link} target="_blank" rel="noopener noreferrer" title={words.openLink}>
            {link}
          </a>
          <CopyButton text={link} what={words.link} />
        </li>
      ))}
    </ul>
  );

const Headers = ({ message }: { message: CapturedMessage }) => (
  <div className={css.headers}>
    <Facts
      of={[
        [words.from, [message.senderName, message.from && `<${message.from}>`].filter(Boolean).join(" ")],
        [words.to, message.to.join(", ")],
        [words.cc, message.cc?.join(", ")],
        [words.bcc, message.bcc?.join(", ")],
        [words.replyTo, message.replyTo],
        [words.subject, message.subject],
        [words.date, new Date(message.createdAt).toUTCString()],
        ...Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)] as const),
      ]}
    />
  </div>
);

// A rendered message as its channel would show it.
import type { PreviewResult, StepType } from "@tidings/contract";
import { useState } from "react";
import { Icon } from "../../../icons.tsx";
import { HtmlFrame } from "../../../kit/html-frame.tsx";
import { stepIcons } from "../../activity/outcomes.ts";
import css from "./preview.module.css";
import type { Person } from "./use-sample.ts";
import { words } from "./words.ts";

type RenderedProps = { type: StepType; result: PreviewResult; person: Person | undefined; isFaulty: boolean };

export function Rendered({ type, result, person, isFaulty }: RenderedProps) {
  const { subject, html, text, body } = result;
  if ([subject, html, text, body].every((part) => part === undefined || part === ""))
    return <p className={css.weak}>{isFaulty ? words.faulty : words.noContent}</p>;
  if (type === "email") return <Letter subject={subject} html={html} text={text} person={person} />;
  if (type === "in_app") return <InAppItem result={result} />;
  return (
    <div className={css.bubble}>
      <span className={css.bubbleIcon}>
        <Icon name={stepIcons[type]} size={14} />
      </span>
      <div>
        {subject && <strong>{subject}</strong>}
        <p className={css.plain}>{body}</p>
      </div>
    </div>
  );
}

type LetterProps = Pick<PreviewResult, "subject" | "html" | "text"> & { person: Person | undefined };

function Letter({ subject, html = "", text = "", person }: LetterProps) {
  const [view, setView] = useState<"html" | "phone" | "text">("html");
  const views = { html: words.asHtml, phone: words.phone, text: words.asText } as const;
  return (
    <figure className={css.letter}>
      <figcaption className={css.letterHead}>
        <strong>{subject || words.noSubject}</strong>
        {person && <span className={css.weak}>{person.name}</span>}
      </figcaption>
      {view === "text" ? (
        <pre className={css.plain}>{text}</pre>
      ) : (
        <div className={view === "phone" ? css.phone : undefined}>
          <HtmlFrame html={html} title={subject || words.title} height="24rem" />
        </div>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that is seen */}
      <div className={css.views} role="group" aria-label={words.as}>
        {(Object.keys(views) as (keyof typeof views)[]).map((name) => (
          <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
            {views[name]}
          </button>
        ))}
      </div>
    </figure>
  );
}

const labelOf = (action: object | undefined): string | undefined => {
  const label = (action as { label?: unknown } | undefined)?.label;
  return typeof label === "string" && label !== "" ? label : undefined;
};

/** Html of an in-app message is shown as its text: the inbox of the product decides about its look. */
function InAppItem({ result }: { result: PreviewResult }) {
  const { subject, body = "", primaryAction, secondaryAction } = result;
  const buttons = [labelOf(primaryAction), labelOf(secondaryAction)];
  return (
    <div className={css.item}>
      <span className={css.avatar}>
        <Icon name="bell" size={15} />
      </span>
      <div className={css.itemText}>
        {subject && <strong>{subject}</strong>}
        <p className={css.plain}>{textOf(body)}</p>
        {buttons.some(Boolean) && (
          <p className={css.itemButtons}>
            {buttons.map(
              (label, index) =>
                label && (
                  <span key={label} data-first={index === 0}>
                    {label}
                  </span>
                ),
            )}
          </p>
        )}
        <span className={css.faint}>{words.unread}</span>
      </div>
    </div>
  );
}

/** Without running or loading anything: a parsed document is not part of the page. */
const textOf = (html: string): string =>
  /<\w/.test(html) ? (new DOMParser().parseFromString(html, "text/html").body.textContent ?? "") : html;

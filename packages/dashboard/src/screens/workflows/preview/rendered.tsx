// A rendered message as its channel would show it.
import type { PreviewResult, StepType } from "@tidings/contract";
import { Icon } from "../../../icons.tsx";
import { stepIcons } from "../../../outcomes/tones.ts";
import type { Subscriber } from "../../../subscribers/subscriber-picker.tsx";
import { MailView } from "./mail-view.tsx";
import css from "./preview.module.css";
import { smsLength } from "./sms-length.ts";
import { words } from "./words.ts";

type RenderedProps = { type: StepType; result: PreviewResult; subscriber: Subscriber | undefined; isFaulty: boolean };

export function Rendered({ type, result, subscriber, isFaulty }: RenderedProps) {
  const { subject, html, text, body } = result;
  if ([subject, html, text, body].every((part) => part === undefined || part === ""))
    return <p className={css.weak}>{isFaulty ? words.faulty : words.noContent}</p>;
  if (type === "email") return <MailView result={result} subscriber={subscriber} isOld={isFaulty} />;
  if (type === "in_app") return <InAppItem result={result} />;
  return (
    <div className={css.bubble}>
      <span className={css.bubbleIcon}>
        <Icon name={stepIcons[type]} size={14} />
      </span>
      <div>
        {subject && <strong>{subject}</strong>}
        <p className={css.plain}>{body}</p>
        {type === "sms" && <p className={css.faint}>{words.sms(smsLength(body ?? ""))}</p>}
      </div>
    </div>
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

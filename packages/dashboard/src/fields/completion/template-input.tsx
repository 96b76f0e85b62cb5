// A line or an area of text with variables: completion at the caret, by keyboard and mouse.
import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from "react";
import { words } from "../words.ts";
import { applyOption, completePath, completeTemplate, insertName, type Option } from "./complete.ts";
import css from "./completion.module.css";
import { useInsertion } from "./insertion.ts";
import type { Names } from "./names.ts";

type TemplateInputProps = {
  /** `id`, `aria-describedby` and `aria-invalid` of the field. */
  described: object;
  className: string | undefined;
  text: string;
  names: Names;
  isReadOnly: boolean;
  isArea?: boolean;
  /** A path without braces. */
  isPath?: boolean;
  spellCheck?: boolean;
  onChange: (text: string) => void;
};

type Box = HTMLInputElement | HTMLTextAreaElement;

export function TemplateInput(props: TemplateInputProps) {
  const { described, className, text, names, isReadOnly, isArea, isPath = false, spellCheck, onChange } = props;
  const box = useRef<Box>(null);
  const list = useId();
  /** Where the caret goes when the changed text is drawn. */
  const caret = useRef<number | null>(null);
  /** The text and the caret that are completed. Names may load after that, so options are found at each render. */
  const [asked, setAsked] = useState<{ text: string; at: number } | null>(null);
  const [arrows, setArrows] = useState(0);
  const setTarget = useInsertion();
  useLayoutEffect(() => {
    if (caret.current === null) return;
    box.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  });
  const complete = isPath ? completePath : completeTemplate;
  const found = asked && !isReadOnly && asked.text === text ? complete(asked.text, asked.at, names) : null;
  const index = found ? arrows % found.options.length : 0;
  const search = (value: string, at: number) => {
    setAsked({ text: value, at });
    setArrows(0);
  };
  const put = (next: { text: string; caret: number }) => {
    caret.current = next.caret;
    setAsked(null);
    onChange(next.text);
    box.current?.focus();
  };
  const choose = (option: Option) => found && put(applyOption(box.current!.value, found, option));
  const insert = (name: string) => {
    if (!box.current) return;
    const { value, selectionStart, selectionEnd } = box.current;
    put(insertName(value, { from: selectionStart ?? value.length, to: selectionEnd ?? value.length }, name, isPath));
  };
  /** The form may have changed since the field got the focus. */
  const latest = useRef(insert);
  latest.current = insert;
  const onKeyDown = (event: KeyboardEvent<Box>) => {
    const { value, selectionStart } = event.currentTarget;
    if (event.key === " " && event.ctrlKey) search(value, selectionStart ?? 0);
    else if (!found) return;
    else if (event.key === "ArrowDown") setArrows(index + 1);
    else if (event.key === "ArrowUp") setArrows(index + found.options.length - 1);
    else if (event.key === "Enter" || event.key === "Tab") choose(found.options[index]!);
    else if (event.key === "Escape") {
      setAsked(null);
      event.stopPropagation();
    } else return;
    event.preventDefault();
  };
  const field = {
    ...described,
    className,
    value: text,
    readOnly: isReadOnly,
    spellCheck,
    autoComplete: "off",
    "aria-autocomplete": "list" as const,
    ...(found && { "aria-controls": list, "aria-activedescendant": `${list}-${index}` }),
    onKeyDown,
    onChange: ({ target }: { target: Box }) => {
      onChange(target.value);
      search(target.value, target.selectionStart ?? target.value.length);
    },
    onFocus: () => setTarget((name) => latest.current(name)),
    onBlur: () => setAsked(null),
    onClick: () => setAsked(null),
  };
  return (
    <span className={css.around}>
      {isArea ? (
        <textarea ref={box as RefObject<HTMLTextAreaElement>} rows={4} {...field} />
      ) : (
        <input ref={box as RefObject<HTMLInputElement>} {...field} />
      )}
      {found && <Options id={list} options={found.options} index={index} onChoose={choose} />}
      <span className="visually-hidden" role="status">
        {found ? words.completion.count(found.options.length) : ""}
      </span>
    </span>
  );
}

type OptionsProps = { id: string; options: readonly Option[]; index: number; onChoose: (option: Option) => void };

function Options({ id, options, index, onChoose }: OptionsProps) {
  const chosen = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another option is chosen
  useLayoutEffect(() => {
    // Its result is a promise in some browsers, and would be taken for a clean-up.
    void chosen.current?.scrollIntoView({ block: "nearest" });
  }, [index]);
  return (
    <div id={id} role="listbox" aria-label={words.completion.label} className={css.options}>
      {options.map((option, at) => (
        // The focus stays in the field, which names the chosen option; so keys are handled there.
        // biome-ignore lint/a11y/useFocusableInteractive: see above
        // biome-ignore lint/a11y/useKeyWithClickEvents: see above
        <div
          key={option.label}
          ref={at === index ? chosen : undefined}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === index}
          className={css.option}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(option)}
        >
          <span className={css.name}>{option.label}</span>
          <span className={css.note}>{option.note}</span>
        </div>
      ))}
    </div>
  );
}

// The command palette: screens, workflows, people and transactions from one field, by keyboard.
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { Icon } from "../icons.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { words } from "../words.ts";
import css from "./palette.module.css";
import { type PaletteItem, usePaletteItems } from "./palette-items.ts";

export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const { groups, isSearching } = usePaletteItems(useDeferredValue(text.trim()));
  const items = groups.flatMap((group) => group.items);
  const [chosen, setChosen] = useState(0);
  const index = Math.min(chosen, Math.max(0, items.length - 1));
  const navigate = useNavigate();
  const listRef = useRef<HTMLDivElement>(null);
  const id = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen entry is found by its mark
  useEffect(() => {
    listRef.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [index, items.length]);

  const open = (item: PaletteItem | undefined) => {
    if (!item) return;
    onClose();
    void navigate(item.link);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((index + step + items.length) % Math.max(1, items.length));
    }
    if (event.key === "Enter") {
      event.preventDefault();
      open(items[index]);
    }
  };
  return (
    <Dialog isOpen onClose={onClose} title={words.palette.label} look="bare">
      <div className={css.head}>
        <Icon name="search" />
        <input
          className={css.input}
          autoFocus
          role="combobox"
          aria-label={words.palette.label}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={items[index] && `${id}-${index}`}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder={words.palette.placeholder}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
      </div>
      <div className={css.list} id={id} role="listbox" aria-label={words.palette.label} ref={listRef}>
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be inside a list box
          <div key={group.label} role="group" aria-label={group.label}>
            <div className={css.group} aria-hidden="true">
              {group.label}
            </div>
            {group.items.map((item) => {
              const place = items.indexOf(item);
              return (
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the option
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
                <div
                  key={item.key}
                  id={`${id}-${place}`}
                  role="option"
                  aria-selected={place === index}
                  className={css.item}
                  onClick={() => open(item)}
                  onMouseMove={() => setChosen(place)}
                >
                  <Icon name={item.icon} />
                  <span className={css.label}>{item.label}</span>
                  {item.note && <span className={css.note}>{item.note}</span>}
                </div>
              );
            })}
          </div>
        ))}
        {items.length === 0 && <p className={css.none}>{isSearching ? `${words.loading} …` : words.palette.none}</p>}
      </div>
      <p className={css.foot}>{words.palette.hint}</p>
    </Dialog>
  );
}

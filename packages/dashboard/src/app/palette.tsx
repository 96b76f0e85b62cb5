// The command palette: subscribers, events, workflows, screens and actions from one field, by keyboard.
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useEffect, useId, useRef, useState } from "react";
import { Icon } from "../icons.tsx";
import { Dialog } from "../kit/overlays/dialog.tsx";
import { words } from "../words.ts";
import css from "./palette.module.css";
import { type PaletteDialog, type PaletteItem, usePaletteItems } from "./palette-items.ts";
import { takeTypeAhead } from "./type-ahead.ts";

const dialogs: Record<PaletteDialog, ReturnType<typeof lazyDialog>> = {
  workflow: lazyDialog(() => import("../screens/workflows/create-dialog.tsx").then((module) => module.CreateDialog)),
  invitation: lazyDialog(() => import("../screens/settings/invite-dialog.tsx").then((module) => module.InviteDialog)),
};

type AnyDialog = (props: { onClose: () => void }) => ReactNode;
function lazyDialog(load: () => Promise<AnyDialog>) {
  return lazy(async () => ({ default: await load() }));
}

/** An action that asks for more opens its dialog instead of the palette. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [dialog, setDialog] = useState<PaletteDialog | null>(null);
  if (dialog === null) return <Search onClose={onClose} onDialog={setDialog} />;
  const Chosen = dialogs[dialog];
  return (
    <Suspense>
      <Chosen onClose={onClose} />
    </Suspense>
  );
}

type SearchProps = { onClose: () => void; onDialog: (dialog: PaletteDialog) => void };

function Search({ onClose, onDialog }: SearchProps) {
  const [text, setText] = useState("");
  const { groups, isSearching } = usePaletteItems(text.trim());
  const items = groups.flatMap((group) => group.items);
  const [chosen, setChosen] = useState(0);
  const [isEntered, setEntered] = useState(false);
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
    if ("dialog" in item) return onDialog(item.dialog);
    onClose();
    if ("run" in item) item.run();
    else void navigate(item.link);
  };
  // Enter goes to the first entry for the text that was typed: what is listed may be of an earlier one.
  const isDue = isEntered && !isSearching;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the entries are those of the moment when the search ends
  useEffect(() => {
    if (isDue) open(items[index]);
  }, [isDue]);
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setEntered(false);
      setChosen((index + step + items.length) % Math.max(1, items.length));
    }
    if (event.key === "Enter") {
      event.preventDefault();
      if (isSearching && index === 0) setEntered(true);
      else open(items[index]);
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
          onFocus={() => {
            const typed = takeTypeAhead();
            if (typed !== "") setText((before) => typed + before);
          }}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(0);
            setEntered(false);
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
        {items.every(({ key }) => key === "search") && (
          <p className={css.none}>{isSearching ? `${words.loading} …` : words.palette.none}</p>
        )}
      </div>
      <p className={css.foot}>{words.palette.hint}</p>
    </Dialog>
  );
}

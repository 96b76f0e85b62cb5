// The visual editor of an email body, loaded when an email of blocks is opened.
import type { EditorState } from "prosemirror-state";
import { type CSSProperties, useEffect, useId, useRef, useState } from "react";
import { showToast } from "../../kit/overlays/toast.tsx";
import type { Body } from "../document/body.ts";
import css from "../email.module.css";
import { words } from "../words.ts";
import { BlockBar } from "./block-bar.tsx";
import { enterBlock } from "./commands.ts";
import { redrawKey } from "./decorated.ts";
import { DragHandle } from "./drag-handle.tsx";
import { LinkForm } from "./link-form.tsx";
import { MenuPopup } from "./menu-popup.tsx";
import { namesAt, pathOf } from "./places.ts";
import { BlockSettings } from "./settings/block-settings.tsx";
import { Toolbar } from "./toolbar.tsx";
import { type BodyView, createBodyView } from "./view.ts";

export type BlockEditorProps = {
  label: string;
  /** Read from `text` when the editor opens. */
  body: Body;
  text: string;
  isReadOnly: boolean;
  isWrong?: boolean;
  variables: readonly string[];
  /** What a variable is in the preview. */
  sampleOf?: (name: string) => unknown;
  /** `step`: changes with the same one soon after each other are undone together. */
  onChange: (text: string, step: string) => void;
};

/** Blocks take from the brand what they do not set. */
function brandStyle(sampleOf: BlockEditorProps["sampleOf"]): CSSProperties {
  const colors = { primary: "primary", "primary-text": "primaryText", text: "text", heading: "heading" };
  const found = Object.entries(colors).flatMap(([name, member]) => {
    const color = sampleOf?.(`brand.colors.${member}`);
    return typeof color === "string" && /^#[0-9a-f]{3,8}$/i.test(color) ? [[`--email-${name}`, color]] : [];
  });
  const radius = sampleOf?.("brand.cornerRadius");
  return Object.fromEntries([...found, ...(typeof radius === "number" ? [["--email-radius", `${radius}px`]] : [])]);
}

export function BlockEditor(props: BlockEditorProps) {
  const { label, body, text, isReadOnly, isWrong, variables, sampleOf } = props;
  const host = useRef<HTMLDivElement>(null);
  const [held, setHeld] = useState<BodyView | null>(null);
  const [state, setState] = useState<EditorState | null>(null);
  const [panel, setPanel] = useState<"settings" | "link" | null>(null);
  const latest = useRef(props);
  latest.current = props;
  /** What was typed and has not come back as `text` yet. */
  const typed = useRef<string[]>([]);
  /** Whether the settings take the focus when they are drawn. */
  const takesFocus = useRef(false);
  const [, draw] = useState(0);
  const id = useId();
  const openSettings = () => {
    takesFocus.current = true;
    setPanel("settings");
    draw((count) => count + 1);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is created once; changes are dispatched below
  useEffect(() => {
    const made = createBodyView(host.current!, {
      body,
      label,
      helpId: `${id}-help`,
      menuId: `${id}-menu`,
      isReadOnly: () => latest.current.isReadOnly,
      variables: (now) => namesAt(now, latest.current.variables, latest.current.sampleOf),
      sampleOf: (name) => latest.current.sampleOf?.(name),
      actions: {
        openSettings,
        showSettings: () => setPanel("settings"),
        openLink: () => setPanel("link"),
        refusePaste: () => showToast({ title: words.tooLarge, look: "bad" }),
      },
      onState: setState,
      onText: (now, step) => {
        typed.current.push(now);
        latest.current.onChange(now, step);
      },
    });
    setHeld(made);
    setState(made.view.state);
    return () => made.destroy();
  }, []);

  useEffect(() => {
    if (!held) return;
    // An earlier state of what is being typed: shown in the editor, it would undo what was typed since.
    const at = typed.current.indexOf(text);
    if (at < 0) held.show(text);
    typed.current = at < 0 ? [] : typed.current.slice(at + 1);
  }, [held, text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the samples are read from `latest`
  useEffect(() => {
    held?.view.dispatch(held.view.state.tr.setMeta(redrawKey, true));
  }, [held, sampleOf]);
  // The attributes of the view are read again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whether it may be edited is read from `latest`
  useEffect(() => {
    held?.view.setProps({});
  }, [held, isReadOnly]);

  const view = held?.view;
  const place = state ? pathOf(state).at(-1) : undefined;
  const names = state ? namesAt(state, variables, sampleOf) : variables;
  return (
    <div className={css.editor} data-fault={isWrong}>
      {view && state && !isReadOnly && (
        <Toolbar
          view={view}
          state={state}
          onLink={() => setPanel(panel === "link" ? null : "link")}
          openSettings={openSettings}
        />
      )}
      <p id={`${id}-help`} className="visually-hidden">
        {words.editorHelp}
      </p>
      <div className={css.frame}>
        <div className={css.main}>
          <div className={css.area}>
            <div ref={host} className={css.canvas} style={brandStyle(sampleOf)} />
            {view && state && !isReadOnly && (
              <DragHandle view={view} state={state} onSelect={() => setPanel("settings")} />
            )}
          </div>
          {view && state && (
            <MenuPopup view={view} state={state} variables={names} id={`${id}-menu`} openSettings={openSettings} />
          )}
        </div>
        {view && state && panel === "link" && <LinkForm view={view} state={state} onClose={() => setPanel(null)} />}
        {view && state && place && panel === "settings" && (
          <BlockSettings
            key={`${place.pos}-${place.node.type.name}`}
            view={view}
            place={place}
            isReadOnly={isReadOnly}
            variables={names}
            sampleOf={sampleOf}
            takesFocus={takesFocus}
            onClose={() => {
              setPanel(null);
              enterBlock(view.state, view.dispatch);
              view.focus();
            }}
          />
        )}
      </div>
      {view && state && (
        <BlockBar
          view={view}
          state={state}
          isReadOnly={isReadOnly}
          isOpen={panel === "settings"}
          onToggle={() => setPanel(panel === "settings" ? null : "settings")}
        />
      )}
    </div>
  );
}

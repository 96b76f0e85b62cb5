// The settings of the selected block, at the side of the text, or below it where the page is narrow.
import { isInTable } from "prosemirror-tables";
import type { EditorView } from "prosemirror-view";
import { type RefObject, useEffect, useMemo, useRef } from "react";
import { type Names, noNames } from "../../../fields/completion/names.ts";
import { Json } from "../../../kit/data/code.tsx";
import { IconButton } from "../../../kit/inputs/button.tsx";
import { type JsonMembers, textIn, textOf } from "../../document/json.ts";
import css from "../../email.module.css";
import { words } from "../../words.ts";
import { type SampleOf, sampleText } from "../chip-samples.ts";
import { changeValues } from "../commands.ts";
import { type BlockPlace, nameOf } from "../places.ts";
import { SettingField } from "./setting-field.tsx";
import { ShowIf } from "./show-if.tsx";
import { SocialLinks } from "./social-links.tsx";
import { settingChange, settingSpecs, settingText } from "./specs.ts";
import { ColumnActions, TableActions } from "./structure.tsx";

const say = words.fields;

type BlockSettingsProps = {
  view: EditorView;
  place: BlockPlace;
  isReadOnly: boolean;
  variables: readonly string[];
  sampleOf?: SampleOf;
  /** Set when the panel was opened to be used at once; its first field has the focus then. */
  takesFocus: RefObject<boolean>;
  onClose: () => void;
};

export function BlockSettings({
  view,
  place,
  isReadOnly,
  variables,
  sampleOf,
  takesFocus,
  onClose,
}: BlockSettingsProps) {
  const { node } = place;
  const type = node.type.name;
  const values: JsonMembers = node.attrs.values ?? {};
  // An older button has its label as content, which the renderer prefers.
  const shown = type === "button" ? { ...values, text: textIn(node.attrs.rest?.content) || values.text } : values;
  const names = useMemo(() => namesOf(variables, sampleOf), [variables, sampleOf]);
  const panel = useRef<HTMLElement>(null);
  const start = useRef(place.pos);
  useEffect(() => {
    // The block and the panel are seen at once.
    const drawn = view.nodeDOM(start.current);
    if (drawn instanceof HTMLElement) void drawn.scrollIntoView({ block: "nearest" });
    void panel.current?.parentElement?.scrollIntoView({ block: "nearest" });
  }, [view]);
  useEffect(() => {
    if (!takesFocus.current) return;
    takesFocus.current = false;
    panel.current?.querySelector<HTMLElement>("input:not([hidden]), button[role=combobox]")?.focus();
  });
  const change = (changed: JsonMembers) => {
    const rest = type === "button" && "text" in changed ? { content: undefined } : undefined;
    view.dispatch(changeValues(view.state, place, changed, rest));
  };
  return (
    <section
      ref={panel}
      className={css.panel}
      aria-label={`${words.settings}: ${nameOf(node)}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <h3>{nameOf(node)}</h3>
        <IconButton size="small" label={words.close} icon="x" onClick={onClose} />
      </header>
      <div className={css.settings}>
        {(settingSpecs[type] ?? []).map((spec) => (
          <div key={spec.name} data-half={spec.isHalf}>
            <SettingField
              spec={spec}
              text={settingText(spec, shown)}
              isReadOnly={isReadOnly}
              names={names}
              onChange={(text) => change(settingChange(spec, text))}
            />
          </div>
        ))}
      </div>
      {type === "variable" && sampleOf && <Sample name={textOf(values.id)} sampleOf={sampleOf} />}
      {type === "socialLinks" && (
        <SocialLinks links={values.links} isReadOnly={isReadOnly} onChange={(links) => change({ links })} />
      )}
      {type === "columns" && !isReadOnly && <ColumnActions view={view} place={place} />}
      {(/^table/.test(type) || isInTable(view.state)) && !isReadOnly && <TableActions view={view} place={place} />}
      {type.startsWith("kept") ? (
        <Json value={node.attrs.value} label={say.kept} />
      ) : (
        node.isBlock && (
          <ShowIf
            values={values}
            isReadOnly={isReadOnly}
            variables={variables}
            sample={names.scope}
            onChange={change}
          />
        )
      )}
    </section>
  );
}

/** Variables with their values in the preview, for completion. */
function namesOf(variables: readonly string[], sampleOf: SampleOf | undefined): Names {
  const samples = sampleOf
    ? variables.flatMap((name) => {
        const text = sampleText(name, sampleOf);
        return text === "" ? [] : [[name, text] as const];
      })
    : [];
  const roots = [...new Set(variables.map((name) => name.split(".")[0]!))];
  const scope = Object.fromEntries(roots.map((root) => [root, sampleOf?.(root)]));
  return { ...noNames, variables, samples: Object.fromEntries(samples), scope };
}

function Sample({ name, sampleOf }: { name: string; sampleOf: SampleOf }) {
  const text = sampleText(name, sampleOf);
  return (
    <p className={css.weak}>
      {say.sample}: {text === "" ? say.noSample : <strong>{text}</strong>}
    </p>
  );
}

// The settings of the selected block, at the side of the text, or below it where the page is narrow.
import type { EditorView } from "prosemirror-view";
import { useEffect, useRef } from "react";
import { Json } from "../../../kit/data/code.tsx";
import { IconButton } from "../../../kit/inputs/button.tsx";
import type { JsonMembers } from "../../document/json.ts";
import css from "../../email.module.css";
import { words } from "../../words.ts";
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
  sampleOf?: (name: string) => unknown;
  onClose: () => void;
};

export function BlockSettings({ view, place, isReadOnly, variables, sampleOf, onClose }: BlockSettingsProps) {
  const { node } = place;
  const type = node.type.name;
  const values: JsonMembers = node.attrs.values ?? {};
  const panel = useRef<HTMLElement>(null);
  // A block without text is edited here, so its first field has the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the panel opens for a block
  useEffect(() => {
    if (node.isLeaf || type === "repeat")
      panel.current?.querySelector<HTMLElement>("input, button[role=combobox]")?.focus();
  }, []);
  const change = (changed: JsonMembers) => {
    // An older button has its label as content, which the renderer prefers.
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
              text={settingText(spec, values)}
              isReadOnly={isReadOnly}
              variables={variables}
              onChange={(text) => change(settingChange(spec, text))}
            />
          </div>
        ))}
      </div>
      {type === "variable" && sampleOf && <Sample value={sampleOf(String(values.id ?? ""))} />}
      {type === "socialLinks" && (
        <SocialLinks links={values.links} isReadOnly={isReadOnly} onChange={(links) => change({ links })} />
      )}
      {type === "columns" && !isReadOnly && <ColumnActions view={view} place={place} />}
      {/^table/.test(type) && !isReadOnly && <TableActions view={view} place={place} />}
      {type.startsWith("kept") ? (
        <Json value={node.attrs.value} label={say.kept} />
      ) : (
        node.isBlock && <ShowIf values={values} isReadOnly={isReadOnly} variables={variables} onChange={change} />
      )}
    </section>
  );
}

const Sample = ({ value }: { value: unknown }) => (
  <p className={css.weak}>
    {say.sample}:{" "}
    {value === undefined || value === null ? say.noSample : <strong>{String(value).slice(0, 200)}</strong>}
  </p>
);

// The list of profiles in a block of social links.
import { Button, IconButton } from "../../../kit/inputs/button.tsx";
import { TextField } from "../../../kit/inputs/field.tsx";
import { isMembers, type Json, type JsonMembers, textOf } from "../../document/json.ts";
import css from "../../email.module.css";
import { words } from "../../words.ts";

const say = words.fields;

type SocialLinksProps = { links: Json; isReadOnly: boolean; onChange: (links: Json[]) => void };

export function SocialLinks({ links, isReadOnly, onChange }: SocialLinksProps) {
  const list = Array.isArray(links) ? links : [];
  const change = (index: number, changed: JsonMembers) =>
    onChange(list.with(index, { ...(isMembers(list[index]) ? list[index] : {}), ...changed }));
  return (
    <div className={css.stacked}>
      {list.map((link, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: links have no identity but their place
        <div key={index} className={css.link}>
          <TextField
            label={say.network(index + 1)}
            value={textOf(isMembers(link) ? link.network : "")}
            readOnly={isReadOnly}
            onChange={({ target }) => change(index, { network: target.value })}
          />
          <TextField
            label={say.networkUrl(index + 1)}
            value={textOf(isMembers(link) ? link.url : "")}
            readOnly={isReadOnly}
            spellCheck={false}
            onChange={({ target }) => change(index, { url: target.value })}
          />
          {!isReadOnly && (
            <IconButton
              size="small"
              label={`${say.removeNetwork} ${index + 1}`}
              icon="x"
              onClick={() => onChange(list.toSpliced(index, 1))}
            />
          )}
        </div>
      ))}
      {!isReadOnly && (
        <div>
          <Button size="small" icon="plus" onClick={() => onChange([...list, { network: "", url: "" }])}>
            {say.addNetwork}
          </Button>
        </div>
      )}
    </div>
  );
}

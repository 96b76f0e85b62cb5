// Who gets it: people in at least one of some audiences, or everyone, without those of others.
import { Link } from "@tanstack/react-router";
import type { Audience } from "@tidings/contract";
import { useId, useRef } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { Icon } from "../../../icons.tsx";
import { Button, IconButton, LinkButton } from "../../../kit/inputs/button.tsx";
import { Fault } from "../../../kit/inputs/field.tsx";
import { Segments } from "../../../kit/inputs/segments.tsx";
import { Muted, Note, Row, Stack } from "../../../kit/layout/layout.tsx";
import { Card } from "../../../kit/layout/page.tsx";
import { Menu } from "../../../kit/overlays/menu.tsx";
import { words } from "../words.ts";
import css from "./draft.module.css";
import type { DraftEditor } from "./use-broadcast-draft.ts";

const say = words.audience;
const most = 10;

export function AudienceSection({ editor }: { editor: DraftEditor }) {
  const { draft, isReadOnly, errors, change } = editor;
  const { include, exclude = [], everyone = false } = draft.audience;
  const { data } = useOperation("audiences.list", { query: { limit: 100 } }, { staleTime: 30_000 });
  const audiences = data?.data ?? [];
  const mayCreate = useMay()("audiences.create");
  const set = (changed: { include?: string[]; exclude?: string[]; everyone?: boolean }) => {
    const next = { include, exclude, everyone, ...changed };
    change(
      {
        audience: {
          include: next.include,
          ...(next.exclude.length > 0 && { exclude: next.exclude }),
          ...(next.everyone && { everyone: true }),
        },
      },
      // Each choice is undone alone.
      `audience ${JSON.stringify(next)}`,
    );
  };
  // The audiences that were chosen before everyone was.
  const kept = useRef<string[]>([]);
  const choose = (kind: keyof typeof say.kinds) => {
    if ((kind === "everyone") === everyone) return;
    if (kind === "everyone") kept.current = include;
    set(kind === "everyone" ? { everyone: true, include: [] } : { everyone: false, include: kept.current });
  };
  const fault = Object.entries(errors).find(([field]) => field.startsWith("audience"))?.[1];
  return (
    <Card title={say.title}>
      <Stack>
        <Segments
          label={say.who}
          value={everyone ? "everyone" : "some"}
          choices={say.kinds}
          isDisabled={isReadOnly}
          onChoose={choose}
        />
        {everyone ? (
          <Muted>{say.everyone}</Muted>
        ) : data && audiences.length === 0 && include.length === 0 ? (
          <Row>
            <Muted>{say.first}</Muted>
            {mayCreate && (
              <LinkButton size="small" to="/audiences/new">
                {say.firstAction}
              </LinkButton>
            )}
          </Row>
        ) : (
          <AudienceList
            label={say.include}
            add={say.add}
            ids={include}
            others={exclude}
            audiences={audiences}
            isReadOnly={isReadOnly}
            none={say.none}
            onChange={(ids) => set({ include: ids })}
          />
        )}
        {(exclude.length > 0 || (!isReadOnly && audiences.length > 0 && (everyone || include.length > 0))) && (
          <AudienceList
            label={say.exclude}
            add={say.addExclusion}
            ids={exclude}
            others={include}
            audiences={audiences}
            isReadOnly={isReadOnly}
            onChange={(ids) => set({ exclude: ids })}
          />
        )}
        {fault && <Fault>{fault}</Fault>}
      </Stack>
    </Card>
  );
}

type AudienceListProps = {
  label: string;
  add: string;
  ids: readonly string[];
  /** Chosen on the other side, so not offered here. */
  others: readonly string[];
  audiences: readonly Audience[];
  isReadOnly: boolean;
  none?: string;
  onChange: (ids: string[]) => void;
};

function AudienceList({ label, add, ids, others, audiences, isReadOnly, none, onChange }: AudienceListProps) {
  const title = useId();
  const nameOf = (id: string) => audiences.find(({ audienceId }) => audienceId === id)?.name ?? id;
  const offered = audiences.filter(({ audienceId }) => !ids.includes(audienceId) && !others.includes(audienceId));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a row
    <div className={css.choice} role="group" aria-labelledby={title}>
      <span id={title} className={css.choiceLabel}>
        {label}
      </span>
      <ul className={css.chips}>
        {ids.map((id) => (
          <li key={id} className={css.chip}>
            <Icon name="audience" size={13} />
            <Link to="/audiences/$audienceId" params={{ audienceId: id }}>
              {nameOf(id)}
            </Link>
            {!isReadOnly && (
              <IconButton
                label={say.removeOf(nameOf(id))}
                icon="x"
                size="small"
                onClick={() => onChange(ids.filter((one) => one !== id))}
              />
            )}
          </li>
        ))}
        {!isReadOnly && offered.length > 0 && ids.length < most && (
          <li>
            <Menu
              trigger={<Button icon="plus">{add}</Button>}
              isTall
              entries={offered.map(({ audienceId, name, sentence }) => ({
                label: name,
                note: sentence,
                onChoose: () => onChange([...ids, audienceId]),
              }))}
            />
          </li>
        )}
        {ids.length === 0 && none && isReadOnly && (
          <li>
            <Note>{none}</Note>
          </li>
        )}
      </ul>
    </div>
  );
}

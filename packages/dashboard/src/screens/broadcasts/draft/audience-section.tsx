// Who gets it: people in at least one of some audiences, or everyone, without those of others.
import { Link } from "@tanstack/react-router";
import type { Audience } from "@tidings/contract";
import { useId, useRef } from "react";
import { useOperation } from "../../../api/hooks.ts";
import { useMay } from "../../../api/permissions.ts";
import { AudiencePicker, maxListed } from "../../../audiences/audience-picker.tsx";
import { useAudienceName } from "../../../audiences/use-audience-name.ts";
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
  const { data } = useOperation("audiences.list", { query: { limit: maxListed } }, { staleTime: 30_000 });
  const audiences = data?.data ?? [];
  const hasMore = data?.next != null;
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
            audiences={data?.data}
            hasMore={hasMore}
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
            audiences={data?.data}
            hasMore={hasMore}
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
  /** The newest; undefined until they are read. */
  audiences: readonly Audience[] | undefined;
  hasMore: boolean;
  isReadOnly: boolean;
  none?: string;
  onChange: (ids: string[]) => void;
};

function AudienceList({ label, add, ids, others, audiences, hasMore, isReadOnly, none, onChange }: AudienceListProps) {
  const title = useId();
  const isOffered = (id: string) => !ids.includes(id) && !others.includes(id);
  const offered = (audiences ?? []).filter(({ audienceId }) => isOffered(audienceId));
  const mayAdd = !isReadOnly && ids.length < most;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a row
    <div className={css.choice} role="group" aria-labelledby={title}>
      <span id={title} className={css.choiceLabel}>
        {label}
      </span>
      <ul className={css.chips}>
        {ids.map((id) => (
          <Chosen
            key={id}
            id={id}
            audiences={audiences}
            onRemove={isReadOnly ? undefined : () => onChange(ids.filter((one) => one !== id))}
          />
        ))}
        {mayAdd && hasMore && (
          <li className={css.find}>
            <AudiencePicker
              key={ids.length}
              label={add}
              onChoose={(id) => id !== undefined && isOffered(id) && onChange([...ids, id])}
            />
          </li>
        )}
        {mayAdd && !hasMore && offered.length > 0 && (
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

type ChosenProps = { id: string; audiences: readonly Audience[] | undefined; onRemove: (() => void) | undefined };

function Chosen({ id, audiences, onRemove }: ChosenProps) {
  const name = useAudienceName(id, audiences);
  return (
    <li className={css.chip}>
      <Icon name="audience" size={13} />
      <Link to="/audiences/$audienceId" params={{ audienceId: id }}>
        {name}
      </Link>
      {onRemove && <IconButton label={say.removeOf(name)} icon="x" size="small" onClick={onRemove} />}
    </li>
  );
}

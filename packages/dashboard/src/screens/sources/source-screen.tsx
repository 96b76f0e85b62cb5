// One source: what waits, what went wrong and what to do about it, its roles or its connection.
import { getRouteApi } from "@tanstack/react-router";
import type { Source } from "@tidings/contract";
import { useMemo, useState } from "react";
import { useChange, useOperation } from "../../api/hooks.ts";
import { requiredRole, useMay } from "../../api/permissions.ts";
import { Time } from "../../kit/data/time.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Button, IconButton } from "../../kit/inputs/button.tsx";
import { Stack, Tools } from "../../kit/layout/layout.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { Menu, type MenuEntry } from "../../kit/overlays/menu.tsx";
import { showError } from "../../kit/overlays/toast.tsx";
import { words as kitWords } from "../../words.ts";
import { placeOf } from "./address.ts";
import { CheckCard } from "./check-card.tsx";
import { Figures } from "./figures.tsx";
import { ReferenceLink } from "./reference-link.tsx";
import { pollMs, useSamples } from "./samples.ts";
import { Settings } from "./settings.tsx";
import { SourceForm } from "./source-form.tsx";
import css from "./sources.module.css";
import { StateBadge } from "./state-badge.tsx";
import { staleAfterChange, useSourceChanges } from "./use-source-changes.ts";
import { adviceFor, words } from "./words.ts";

const sourceRoute = getRouteApi("/shell/sources/$sourceId");

const text = words.one;

export function SourceScreen() {
  const { sourceId } = sourceRoute.useParams();
  const { data, error, refetch, dataUpdatedAt } = useOperation(
    "sources.retrieve",
    { params: { sourceId } },
    { every: pollMs },
  );
  if (data) return <OneSource key={data.id} source={data} readAt={dataUpdatedAt} />;
  return (
    <Page title={words.title} back={{ to: "/sources", label: words.title }}>
      {error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton />}
    </Page>
  );
}

function OneSource({ source, readAt }: { source: Source; readAt: number }) {
  const { id, name, kind, paused } = source;
  const may = useMay();
  const samples =
    useSamples(
      useMemo(() => [source], [source]),
      readAt,
    ).get(id) ?? [];
  const changes = useSourceChanges();
  const check = useChange("sources.check", staleAfterChange);
  const [isEditing, setEditing] = useState(false);
  const mayChange = may("sources.update");
  // What a check found is old after a change.
  const turn = () => {
    check.reset();
    changes.turn(source);
  };
  const edit = () => {
    check.reset();
    setEditing(true);
  };
  const entries: MenuEntry[] = [
    { label: text.edit, icon: "pencil", onChoose: edit },
    ...(kind === "local"
      ? []
      : [
          { kind: "line" as const },
          {
            label: text.delete.label,
            icon: "trash" as const,
            isDanger: true,
            onChoose: () => changes.remove(source),
          },
        ]),
  ];
  return (
    <Page
      title={name}
      heading={
        <span className={css.heading}>
          {name}
          <StateBadge source={source} />
        </span>
      }
      lead={kind === "local" ? text.localLead : <span className={css.place}>{placeOf(source)}</span>}
      back={{ to: "/sources", label: words.title }}
      actions={
        mayChange && (
          <>
            <Button
              icon="refresh"
              disabled={check.isPending}
              onClick={() => check.mutate({ params: { sourceId: id } }, { onError: showError })}
            >
              {check.isPending ? text.check.busy : text.check.label}
            </Button>
            <Button icon={paused ? "play" : "pause"} disabled={changes.isBusy} onClick={turn}>
              {paused ? text.resume.label : text.pause.label}
            </Button>
            <Menu align="end" entries={entries} trigger={<IconButton label={text.menu(name)} icon="more" />} />
          </>
        )
      }
    >
      {changes.dialogs}
      {isEditing && <SourceForm source={source} onClose={() => setEditing(false)} />}
      <Stack>
        {!mayChange && <Notice icon="key">{kitWords.needsRole(requiredRole("sources.update"))}</Notice>}
        <Trouble source={source} onEdit={mayChange && kind !== "local" ? edit : undefined} />
        <div role="status" className={css.status}>
          {check.data && <CheckCard found={check.data} onClose={check.reset} />}
        </div>
        <Figures source={source} samples={samples} />
        <Settings source={source} />
        <Tools>
          <ReferenceLink />
        </Tools>
      </Stack>
    </Page>
  );
}

/** Why nothing is taken from it: an error with what to do about it, or a pause. */
function Trouble({ source, onEdit }: { source: Source; onEdit?: () => void }) {
  const { state, lastError = "", lastErrorAt, failingSince } = source;
  if (state === "paused") return <Notice tone="warn">{text.pausedText}</Notice>;
  if (state !== "failing") return null;
  return (
    <Notice tone="bad">
      <strong>{text.failing(lastError)}</strong>
      <p>{adviceFor(lastError)}</p>
      <p>
        {failingSince && (
          <>
            {text.failingSince} <Time at={failingSince} />.{" "}
          </>
        )}
        {lastErrorAt && (
          <>
            {text.lastTry} <Time at={lastErrorAt} />.
          </>
        )}
      </p>
      {onEdit && (
        <span className={css.noticeAction}>
          <Button size="small" icon="pencil" onClick={onEdit}>
            {text.edit}
          </Button>
        </span>
      )}
    </Notice>
  );
}

// The gallery of workflows: searched, previewed in the brand of the environment, used.
import { getRouteApi } from "@tanstack/react-router";
import type { GalleryEntry } from "@tidings/contract";
import { useOperation } from "../../api/hooks.ts";
import { ListBar } from "../../kit/data/list.tsx";
import { ListView } from "../../kit/data/list-view.tsx";
import { EmptyState } from "../../kit/feedback/states.tsx";
import { Badge } from "../../kit/feedback/verdict.tsx";
import { Button } from "../../kit/inputs/button.tsx";
import { Page } from "../../kit/layout/page.tsx";
import { useSettledText } from "../../kit/use-settled.ts";
import { channelNames } from "../../outcomes/channel-names.ts";
import css from "./gallery.module.css";
import { TemplateDialog } from "./template-dialog.tsx";
import { words } from "./words.ts";

const galleryRoute = getRouteApi("/shell/gallery");

/** Every word of the search is somewhere in what the entry shows. */
const matches = (entry: GalleryEntry, q: string): boolean => {
  const shown = [entry.name, entry.title, entry.about, words.categories[entry.category]].join(" ").toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.includes(word));
};

export function GalleryScreen() {
  const { q = "", template } = galleryRoute.useSearch();
  const navigate = galleryRoute.useNavigate();
  const { data, error, refetch } = useOperation("gallery.list", {}, { staleTime: 600_000 });
  const [text, setText] = useSettledText(
    q,
    (settled) => void navigate({ search: (old) => ({ ...old, q: settled || undefined }), replace: true }),
  );
  const open = (name: string | undefined) => void navigate({ search: (old) => ({ ...old, template: name }) });
  return (
    <Page title={words.title} lead={words.lead} back={{ to: "/workflows", search: {}, label: words.back }}>
      <ListBar search={{ label: words.search, value: text, onChange: setText }} />
      <ListView
        rows={data?.templates.filter((entry) => matches(entry, q))}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState
            icon="search"
            title={words.noMatch}
            text={words.noMatchText}
            action={<Button onClick={() => setText("")}>{words.clear}</Button>}
          />
        }
      >
        {(rows) => (
          <ul className={css.grid} aria-label={words.title}>
            {rows.map((entry) => (
              <Tile key={entry.name} entry={entry} onOpen={() => open(entry.name)} />
            ))}
          </ul>
        )}
      </ListView>
      {template && <TemplateDialog key={template} name={template} onClose={() => open(undefined)} />}
    </Page>
  );
}

const Tile = ({ entry, onOpen }: { entry: GalleryEntry; onOpen: () => void }) => (
  <li className={css.tile}>
    <button type="button" className={css.open} aria-label={words.open(entry.title)} onClick={onOpen}>
      {entry.title}
    </button>
    <p className={css.about}>{entry.about}</p>
    <p className={css.signs}>
      <Badge>{words.categories[entry.category]}</Badge>
      {entry.isCritical && (
        <span title={words.criticalHint}>
          <Badge tone="accent">{words.critical}</Badge>
        </span>
      )}
      <span className={css.weak}>{entry.channels.map((channel) => channelNames[channel]).join(", ")}</span>
    </p>
  </li>
);

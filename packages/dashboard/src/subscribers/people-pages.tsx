// People of an audience or of an outcome, page by page. The service gives the way to the next page only; the way back
// is kept here.
import type { AudiencePerson } from "@tidings/contract";
import { type ReactNode, useState } from "react";
import type { ApiError } from "../api/api-error.ts";
import { ListView } from "../kit/data/list-view.tsx";
import { Pager, Table } from "../kit/data/table.tsx";
import css from "./people-pages.module.css";
import { words } from "./people-words.ts";
import { SubscriberLink } from "./subscriber-link.tsx";

/** `after` of the page that is shown, and how to move; begins at the first page. */
export function usePeoplePages() {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  return {
    after: cursors.at(-1),
    number: cursors.length,
    next: (cursor: string) => setCursors([...cursors, cursor]),
    previous: () => setCursors(cursors.slice(0, -1)),
    restart: () => setCursors([]),
  };
}

type PeoplePagesProps = {
  label: string;
  pages: ReturnType<typeof usePeoplePages>;
  data: { data: AudiencePerson[]; next: string | null } | undefined;
  error: ApiError | null;
  onRetry: () => void;
  empty: ReactNode;
  /** In half a page, without the time zones. */
  isNarrow?: boolean;
  selection?: { selected: ReadonlySet<string>; onChange: (selected: Set<string>) => void };
};

export const PeoplePages = ({ label, pages, data, error, onRetry, empty, isNarrow, selection }: PeoplePagesProps) => (
  <>
    <ListView rows={data?.data} error={error} onRetry={onRetry} empty={empty}>
      {(rows) => (
        <Table
          label={label}
          rows={rows}
          keyOf={({ subscriberId }) => subscriberId}
          selection={selection && { ...selection, nameOf: ({ subscriberId }) => subscriberId }}
          columns={[
            { title: words.name, cell: (person) => <SubscriberLink subscriber={person} /> },
            {
              title: words.email,
              cell: ({ email }) => <span className={css.cell}>{email ?? words.nothing}</span>,
              isWideOnly: true,
            },
            ...(isNarrow
              ? []
              : [
                  {
                    title: words.timezone,
                    cell: ({ timezone }: AudiencePerson) => timezone ?? words.nothing,
                    isWideOnly: true,
                  },
                ]),
          ]}
        />
      )}
    </ListView>
    {data && (data.next !== null || pages.number > 0) && (
      <Pager
        onPrevious={pages.number > 0 ? pages.previous : undefined}
        onNext={data.next === null ? undefined : () => pages.next(data.next!)}
      />
    )}
  </>
);

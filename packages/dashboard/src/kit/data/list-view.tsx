// The four states of a list: an error, the wait for its rows, nothing to show, the rows. An error stays above rows that
// are known from before.
import type { ReactNode } from "react";
import { ErrorPanel, Skeleton } from "../feedback/states.tsx";

type ListViewProps<Row> = {
  /** Undefined until they are loaded. */
  rows: readonly Row[] | undefined;
  error: unknown;
  onRetry?: () => void;
  /** Usually an EmptyState. */
  empty: ReactNode;
  skeletonRows?: number;
  children: (rows: readonly Row[]) => ReactNode;
};

export const ListView = <Row,>({ rows, error, onRetry, empty, skeletonRows, children }: ListViewProps<Row>) => (
  <>
    {Boolean(error) && <ErrorPanel error={error} onRetry={onRetry} />}
    {!rows && !error && <Skeleton rows={skeletonRows} />}
    {rows && (rows.length === 0 ? empty : children(rows))}
  </>
);

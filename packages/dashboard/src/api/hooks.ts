// How a screen reads and changes data: hooks over TanStack Query. The environment is part of every key, so that one
// environment's responses never show in another.

import {
  keepPreviousData,
  QueryCache,
  QueryClient,
  queryOptions,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { CallInput, OperationId, Output } from "@tidings/contract";
import { ApiError, isTimeout } from "./api-error.ts";
import { callOperation } from "./client.ts";
import { useEnvironment } from "./session.tsx";

/** `onSignedOut` is called when a response shows that the session has ended. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => error instanceof ApiError && error.status === 401 && onSignedOut(),
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // A refusal is final; a lost connection or a busy service is retried twice. A call that exceeded the time limit
        // is not retried: the person has waited long enough to see the error.
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && !isTimeout(error) && (error.status === 0 || error.status >= 500),
        refetchOnWindowFocus: true,
        // On a LAN without internet the browser reports "offline" while the service is reachable.
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}

export type ReadOptions = {
  /** Milliseconds between two reads while the page is visible. */
  every?: number;
  /** Keeps reading while the page is hidden, for what its title shows. */
  isInBackground?: boolean;
  enabled?: boolean;
  /** Shows the previous response while a changed input is read, for filters and pages. */
  keep?: boolean;
  staleTime?: number;
  /** Another environment than the chosen one, for screens that show several. */
  environmentId?: string;
};

const keyOf = (environmentId: string, id: OperationId, input: unknown) => [environmentId, id, input] as const;

/**
 * An operation's response as a query: for `useOperation`, and for a route that begins to read before its screen is
 * drawn.
 */
export const operationQuery = <Id extends OperationId>(environmentId: string, id: Id, input: CallInput<Id>) =>
  queryOptions<Output<Id>, ApiError>({
    queryKey: keyOf(environmentId, id, input),
    queryFn: ({ signal }) => callOperation(id, { ...input, signal }, environmentId),
  });

/** `const { data, error, isPending } = useOperation("workflows.list", { query: { limit: 20 } })` */
export function useOperation<Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  options: ReadOptions = {},
): UseQueryResult<Output<Id>, ApiError> {
  const chosen = useEnvironment();
  const _id = options.environmentId ?? chosen._id;
  return useQuery({
    ...operationQuery(_id, id, input),
    refetchInterval: options.every ?? false,
    refetchIntervalInBackground: options.isInBackground ?? false,
    enabled: options.enabled ?? true,
    ...(options.staleTime !== undefined && { staleTime: options.staleTime }),
    ...(options.keep && { placeholderData: keepPreviousData }),
  });
}

/**
 * A change: `const rename = useChange("workflows.update", ["workflows.list", "workflows.retrieve"])`, then
 * `rename.mutate({ params, body })`. The named operations are read again afterwards. `environmentId`:
 * another environment than the chosen one.
 */
export function useChange<Id extends OperationId>(
  id: Id,
  makesStale: readonly OperationId[] = [],
  environmentId?: string,
): UseMutationResult<Output<Id>, ApiError, CallInput<Id>> {
  const client = useQueryClient();
  const chosen = useEnvironment();
  const _id = environmentId ?? chosen._id;
  return useMutation<Output<Id>, ApiError, CallInput<Id>>({
    mutationFn: (input) => callOperation(id, input, _id),
    onSuccess: () => Promise.all(makesStale.map((stale) => client.invalidateQueries({ queryKey: [_id, stale] }))),
  });
}

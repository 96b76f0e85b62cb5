import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { operationQuery } from "../../api/hooks.ts";
import { shellRoute } from "../../app/root-route.tsx";
import { newestActivity } from "./data.ts";
import { memberOf, type Outcome, outcomeNames, readFilters } from "./filters.ts";

export const activityRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/activity",
  validateSearch: readFilters,
  loaderDeps: ({ search }) => readFilters(search),
  loader: ({ context: { queryClient, environment }, deps }) =>
    void queryClient.prefetchQuery(newestActivity(environment._id, deps)),
  component: lazyRouteComponent(() => import("./activity-screen.tsx"), "ActivityScreen"),
});

type RunSearch = { person?: string; page?: number; outcome?: Outcome };

/** What the screen of a run reads first. */
export const eventInput = (transactionId: string) => ({ query: { transactionId, limit: 1 } });
export const peoplePageSize = 20;
export const peopleInput = (transactionId: string, { page = 0, outcome }: RunSearch) => ({
  query: { transactionId, limit: peoplePageSize, page, outcome: outcome && [outcome] },
});

export const runRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/activity/$transactionId",
  validateSearch: ({ person, page, outcome }: Record<string, unknown>): RunSearch => ({
    ...(person !== undefined && { person: String(person) }),
    ...(Number.isInteger(page) && (page as number) > 0 && { page: page as number }),
    ...(memberOf(outcome, outcomeNames) && { outcome: memberOf(outcome, outcomeNames) }),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient, environment }, params: { transactionId }, deps }) => {
    void queryClient.prefetchQuery(operationQuery(environment._id, "activity.listEvents", eventInput(transactionId)));
    void queryClient.prefetchQuery(
      operationQuery(environment._id, "notifications.list", peopleInput(transactionId, deps)),
    );
  },
  component: lazyRouteComponent(() => import("./run-screen.tsx"), "RunScreen"),
});

export const activityRoutes = [activityRoute, runRoute] as const;

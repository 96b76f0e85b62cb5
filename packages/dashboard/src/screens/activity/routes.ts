import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { operationQuery } from "../../api/hooks.ts";
import { shellRoute } from "../../app/root-route.tsx";
import { newestActivity } from "./data.ts";
import { readFilters } from "./filters.ts";
import { eventInput, readRunSearch, recipientsInput } from "./search.ts";

const activityRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/activity",
  validateSearch: readFilters,
  loaderDeps: ({ search }) => readFilters(search),
  loader: ({ context: { queryClient, environment }, deps }) =>
    void queryClient.prefetchQuery(newestActivity(environment._id, deps)),
  component: lazyRouteComponent(() => import("./activity-screen.tsx"), "ActivityScreen"),
});

const runRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/activity/$transactionId",
  validateSearch: readRunSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient, environment }, params: { transactionId }, deps }) => {
    void queryClient.prefetchQuery(operationQuery(environment._id, "activity.listEvents", eventInput(transactionId)));
    void queryClient.prefetchQuery(
      operationQuery(environment._id, "notifications.list", recipientsInput(transactionId, deps)),
    );
  },
  component: lazyRouteComponent(() => import("./run-screen.tsx"), "RunScreen"),
});

export const activityRoutes = [activityRoute, runRoute] as const;

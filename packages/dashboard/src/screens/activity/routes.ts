import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { memberOf, type Outcome, outcomeNames, readFilters } from "./filters.ts";

export const activityRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/activity",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./activity-screen.tsx"), "ActivityScreen"),
});

type RunSearch = { person?: string; page?: number; outcome?: Outcome };

export const runRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/activity/$transactionId",
  validateSearch: ({ person, page, outcome }: Record<string, unknown>): RunSearch => ({
    ...(person !== undefined && { person: String(person) }),
    ...(Number.isInteger(page) && (page as number) > 0 && { page: page as number }),
    ...(memberOf(outcome, outcomeNames) && { outcome: memberOf(outcome, outcomeNames) }),
  }),
  component: lazyRouteComponent(() => import("./run-screen.tsx"), "RunScreen"),
});

export const activityRoutes = [activityRoute, runRoute] as const;

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readStatisticsSearch } from "./search.ts";

const statisticsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/statistics",
  validateSearch: readStatisticsSearch,
  component: lazyRouteComponent(() => import("./statistics-screen.tsx"), "StatisticsScreen"),
});

export const statisticsRoutes = [statisticsRoute] as const;

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readEnvironmentSearch } from "./search.ts";

const environmentsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/environments",
  validateSearch: readEnvironmentSearch,
  component: lazyRouteComponent(() => import("./environments-screen.tsx"), "EnvironmentsScreen"),
});

export const environmentRoutes = [environmentsRoute] as const;

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readListPlace } from "../../kit/data/list-place.ts";

const layoutsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/layouts",
  validateSearch: readListPlace,
  component: lazyRouteComponent(() => import("./layouts-screen.tsx"), "LayoutsScreen"),
});

const layoutRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/layouts/$layoutId",
  component: lazyRouteComponent(() => import("./layout-screen.tsx"), "LayoutScreen"),
});

export const layoutRoutes = [layoutsRoute, layoutRoute] as const;

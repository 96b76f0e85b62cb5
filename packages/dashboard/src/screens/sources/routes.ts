import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

const sourcesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/sources",
  component: lazyRouteComponent(() => import("./sources-screen.tsx"), "SourcesScreen"),
});

const sourceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/sources/$sourceId",
  component: lazyRouteComponent(() => import("./source-screen.tsx"), "SourceScreen"),
});

export const sourceRoutes = [sourcesRoute, sourceRoute] as const;

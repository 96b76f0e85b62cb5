import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readBroadcastSearch, readBroadcastsSearch } from "./search.ts";

const broadcastsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/broadcasts",
  validateSearch: readBroadcastsSearch,
  component: lazyRouteComponent(() => import("./broadcasts-screen.tsx"), "BroadcastsScreen"),
});

const broadcastRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/broadcasts/$broadcastId",
  validateSearch: readBroadcastSearch,
  component: lazyRouteComponent(() => import("./broadcast-screen.tsx"), "BroadcastScreen"),
});

export const broadcastRoutes = [broadcastsRoute, broadcastRoute] as const;

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readSubscriberSearch, readSubscribersSearch } from "./search.ts";

const subscribersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/subscribers",
  validateSearch: readSubscribersSearch,
  component: lazyRouteComponent(() => import("./subscribers-screen.tsx"), "SubscribersScreen"),
});

const subscriberRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/subscribers/$subscriberId",
  validateSearch: readSubscriberSearch,
  component: lazyRouteComponent(() => import("./subscriber-screen.tsx"), "SubscriberScreen"),
});

export const subscribersRoutes = [subscribersRoute, subscriberRoute] as const;

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

export const peopleRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/people",
    component: lazyRouteComponent(() => import("./people-screen.tsx"), "PeopleScreen"),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: "/people/$subscriberId",
    component: lazyRouteComponent(() => import("./people-screen.tsx"), "PeopleScreen"),
  }),
] as const;

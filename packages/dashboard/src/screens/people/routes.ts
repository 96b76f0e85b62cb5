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
    validateSearch: ({ tab }: Record<string, unknown>): { tab?: string } => (typeof tab === "string" ? { tab } : {}),
    component: lazyRouteComponent(() => import("./people-screen.tsx"), "PeopleScreen"),
  }),
] as const;

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../app/root-route.tsx";

type SignInSearch = { next?: string };

/** Only a path of this dashboard: an address of another site would be an open redirect. */
const isLocal = (next: unknown): next is string => typeof next === "string" && /^\/(?![/\\])/.test(next);

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): SignInSearch =>
    isLocal(search.next) ? { next: search.next } : {},
  component: lazyRouteComponent(() => import("./sign-in-screen.tsx"), "SignInScreen"),
});

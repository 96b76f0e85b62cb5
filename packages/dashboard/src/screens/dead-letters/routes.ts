import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readDeadLettersSearch, readGroupSearch } from "./search.ts";

const deadLettersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/dead-letters",
  validateSearch: readDeadLettersSearch,
  component: lazyRouteComponent(() => import("./dead-letters-screen.tsx"), "DeadLettersScreen"),
});

const groupRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/dead-letters/group",
  validateSearch: readGroupSearch,
  component: lazyRouteComponent(() => import("./group-screen.tsx"), "GroupScreen"),
});

const replayRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/dead-letters/replays/$replayId",
  component: lazyRouteComponent(() => import("./replay-screen.tsx"), "ReplayScreen"),
});

export const deadLetterRoutes = [deadLettersRoute, groupRoute, replayRoute] as const;

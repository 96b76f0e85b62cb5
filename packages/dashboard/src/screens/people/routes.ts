import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

type PeopleSearch = { q?: string; after?: string; before?: string };

const textOf = (value: unknown): string | undefined =>
  (typeof value === "string" || typeof value === "number") && value !== "" ? String(value).slice(0, 400) : undefined;

const present = <T extends object>(of: T): T =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as T;

export const peopleRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/people",
  validateSearch: ({ q, after, before }: Record<string, unknown>): PeopleSearch =>
    present({ q: textOf(q), after: textOf(after), before: textOf(before) }),
  component: lazyRouteComponent(() => import("./people-screen.tsx"), "PeopleScreen"),
});

type PersonSearch = { tab?: string; transaction?: string };

export const personRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/people/$subscriberId",
  validateSearch: ({ tab, transaction }: Record<string, unknown>): PersonSearch =>
    present({ tab: textOf(tab), transaction: textOf(transaction) }),
  component: lazyRouteComponent(() => import("./person-screen.tsx"), "PersonScreen"),
});

export const peopleRoutes = [peopleRoute, personRoute] as const;

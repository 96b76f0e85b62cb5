import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";

export const environmentTabs = ["keys", "publish", "history"] as const;
export type EnvironmentTab = (typeof environmentTabs)[number];

/** `source` and `target` are identifiers of environments; `publish` is the opened one of the history. */
export type EnvironmentSearch = {
  tab?: EnvironmentTab;
  source?: string;
  target?: string;
  publish?: string;
  after?: string;
};

const names = ["source", "target", "publish", "after"] as const;

export const environmentsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/environments",
  validateSearch: (search: Record<string, unknown>): EnvironmentSearch => ({
    ...Object.fromEntries(
      names.flatMap((name) => (typeof search[name] === "string" && search[name] !== "" ? [[name, search[name]]] : [])),
    ),
    ...(environmentTabs.some((tab) => tab === search.tab) && { tab: search.tab as EnvironmentTab }),
  }),
  component: lazyRouteComponent(() => import("./environments-screen.tsx"), "EnvironmentsScreen"),
});

export const environmentRoutes = [environmentsRoute] as const;

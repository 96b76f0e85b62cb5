import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readSettingsSearch } from "./search.ts";

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/settings",
  validateSearch: readSettingsSearch,
  component: lazyRouteComponent(() => import("./settings-screen.tsx"), "SettingsScreen"),
});

export const settingsRoutes = [settingsRoute] as const;

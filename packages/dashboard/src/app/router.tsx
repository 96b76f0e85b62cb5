// The router: the routes of all screens below the shell, and sign-in outside of it.
import type { QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { baseUrl } from "../api/client.ts";
import { screenRoutes } from "../screens/index.ts";
import { signInRoute } from "../screens/sign-in/routes.ts";
import { CrashScreen, NotFoundScreen, PendingScreen } from "./boundaries.tsx";
import { rootRoute, shellRoute } from "./root-route.tsx";
import { parseSearch, stringifySearch } from "./search-text.ts";

const routeTree = rootRoute.addChildren([shellRoute.addChildren(screenRoutes), signInRoute]);

export function createDashboardRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    basepath: new URL(baseUrl()).pathname.replace(/\/$/, "") || "/",
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 300,
    defaultPendingComponent: PendingScreen,
    defaultErrorComponent: CrashScreen,
    defaultNotFoundComponent: NotFoundScreen,
    scrollRestoration: true,
    parseSearch,
    stringifySearch,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createDashboardRouter>;
  }
}

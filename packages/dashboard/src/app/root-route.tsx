// The two routes above all screens: the root, and the shell, which needs a session. A screen hangs its routes below
// `shellRoute`.
import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, Outlet, redirect, retainSearchParams } from "@tanstack/react-router";
import { ApiError } from "../api/api-error.ts";
import { chooseEnvironment, type SessionContext, sessionQuery } from "../api/session.tsx";
import { CrashScreen, NotFoundScreen } from "./boundaries.tsx";
import { Shell } from "./shell.tsx";

type RootSearch = { env?: string };

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  validateSearch: (search: Record<string, unknown>): RootSearch =>
    typeof search.env === "string" ? { env: search.env } : {},
  search: { middlewares: [retainSearchParams(["env"])] },
  component: Outlet,
  notFoundComponent: NotFoundScreen,
  errorComponent: CrashScreen,
});

export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "shell",
  beforeLoad: async ({ context, search, location }): Promise<SessionContext> => {
    const session = await context.queryClient.ensureQueryData(sessionQuery).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401)
        throw redirect({ to: "/sign-in", search: { next: location.href } });
      throw error;
    });
    return { session, environment: chooseEnvironment(session, search.env) };
  },
  component: ShellWithSession,
  notFoundComponent: NotFoundScreen,
  errorComponent: CrashScreen,
});

function ShellWithSession() {
  const { session, environment } = shellRoute.useRouteContext();
  return (
    <Shell session={session} environment={environment}>
      <Outlet />
    </Shell>
  );
}

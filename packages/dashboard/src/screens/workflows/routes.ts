import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readEditorSearch, readListSearch } from "./search.ts";

const workflowsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/workflows",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./workflows-screen.tsx"), "WorkflowsScreen"),
});

const workflowRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/workflows/$workflowId",
  validateSearch: readEditorSearch,
  component: lazyRouteComponent(() => import("./editor/editor-screen.tsx"), "EditorScreen"),
});

export const workflowRoutes = [workflowsRoute, workflowRoute] as const;

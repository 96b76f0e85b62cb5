import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { shellRoute } from "../../app/root-route.tsx";
import { readEditorSearch, readInPlaceSearch, readListSearch } from "./search.ts";

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

/** The steps of a broadcast are written with the editor of workflows, in its files. */
const stepsInPlaceRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "/broadcasts/$broadcastId/steps",
  validateSearch: readInPlaceSearch,
  component: lazyRouteComponent(() => import("./in-place/in-place-screen.tsx"), "StepsInPlaceScreen"),
});

export const workflowRoutes = [workflowsRoute, workflowRoute, stepsInPlaceRoute] as const;

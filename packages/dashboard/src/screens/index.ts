// The routes of all screens. A new screen adds its folder here, and a line in app/navigation.ts when it has a place there.
import { activityRoutes } from "./activity/routes.ts";
import { clockRoutes } from "./clock/routes.ts";
import { homeRoutes } from "./home/routes.ts";
import { integrationRoutes } from "./integrations/routes.ts";
import { mailboxRoutes } from "./mailbox/routes.ts";
import { peopleRoutes } from "./people/routes.ts";
import { settingsRoutes } from "./settings/routes.ts";
import { workflowRoutes } from "./workflows/routes.ts";

export const screenRoutes = [
  ...homeRoutes,
  ...activityRoutes,
  ...workflowRoutes,
  ...peopleRoutes,
  ...integrationRoutes,
  ...mailboxRoutes,
  ...clockRoutes,
  ...settingsRoutes,
] as const;

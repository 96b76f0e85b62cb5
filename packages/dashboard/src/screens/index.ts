// The routes of all screens. A new screen adds its folder here, and a line in app/navigation.ts when it has a place there.
import { activityRoutes } from "./activity/routes.ts";
import { audienceRoutes } from "./audience/routes.ts";
import { deadLetterRoutes } from "./dead-letters/routes.ts";
import { environmentRoutes } from "./environments/routes.ts";
import { homeRoutes } from "./home/routes.ts";
import { importRoutes } from "./imports/routes.ts";
import { integrationRoutes } from "./integrations/routes.ts";
import { layoutRoutes } from "./layouts/routes.ts";
import { peopleRoutes } from "./people/routes.ts";
import { settingsRoutes } from "./settings/routes.ts";
import { statisticsRoutes } from "./statistics/routes.ts";
import { translationRoutes } from "./translations/routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";
import { workflowRoutes } from "./workflows/routes.ts";

export const screenRoutes = [
  ...homeRoutes,
  ...activityRoutes,
  ...workflowRoutes,
  ...layoutRoutes,
  ...translationRoutes,
  ...peopleRoutes,
  ...audienceRoutes,
  ...importRoutes,
  ...integrationRoutes,
  ...webhookRoutes,
  ...deadLetterRoutes,
  ...statisticsRoutes,
  ...environmentRoutes,
  ...settingsRoutes,
] as const;

// The routes of all screens. A new screen adds its folder here, and a line in app/navigation.ts when it has a place
// there.
import { activityRoutes } from "./activity/routes.ts";
import { alertRoutes } from "./alerts/routes.ts";
import { attentionRoutes } from "./attention/routes.ts";
import { audienceRoutes } from "./audiences/routes.ts";
import { backtestRoutes } from "./backtests/routes.ts";
import { brandRoutes } from "./brand/routes.ts";
import { broadcastRoutes } from "./broadcasts/routes.ts";
import { categoryRoutes } from "./categories/routes.ts";
import { clockRoutes } from "./clock/routes.ts";
import { deadLetterRoutes } from "./dead-letters/routes.ts";
import { environmentRoutes } from "./environments/routes.ts";
import { galleryRoutes } from "./gallery/routes.ts";
import { homeRoutes } from "./home/routes.ts";
import { integrationRoutes } from "./integrations/routes.ts";
import { layoutRoutes } from "./layouts/routes.ts";
import { mailboxRoutes } from "./mailbox/routes.ts";
import { settingsRoutes } from "./settings/routes.ts";
import { sourceRoutes } from "./sources/routes.ts";
import { statisticsRoutes } from "./statistics/routes.ts";
import { subscribersRoutes } from "./subscribers/routes.ts";
import { importRoutes } from "./topics/imports/routes.ts";
import { topicRoutes } from "./topics/routes.ts";
import { translationRoutes } from "./translations/routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";
import { workflowRoutes } from "./workflows/routes.ts";

export const screenRoutes = [
  ...homeRoutes,
  ...activityRoutes,
  ...workflowRoutes,
  ...galleryRoutes,
  ...layoutRoutes,
  ...brandRoutes,
  ...translationRoutes,
  ...broadcastRoutes,
  ...subscribersRoutes,
  ...audienceRoutes,
  ...topicRoutes,
  ...categoryRoutes,
  ...attentionRoutes,
  ...importRoutes,
  ...integrationRoutes,
  ...webhookRoutes,
  ...sourceRoutes,
  ...deadLetterRoutes,
  ...alertRoutes,
  ...statisticsRoutes,
  ...environmentRoutes,
  ...backtestRoutes,
  ...mailboxRoutes,
  ...clockRoutes,
  ...settingsRoutes,
] as const;

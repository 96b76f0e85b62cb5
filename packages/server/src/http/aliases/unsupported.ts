// What the Novu API has and Tidings does not, with the way to do it here: routes of `@novu/node`, and those of
// `@novu/api` that are newer than the contract.
type Unsupported = { subject: string; instead: string; routes: string[] };

/** Routes of `@novu/notification-center`, which runs in web pages. */
export const widgetsPath = "/v1/widgets";

const routesOf = (path: string, ...methods: string[]): string[] => methods.map((method) => `${method} ${path}`);

const methods = ["GET", "POST", "PATCH", "PUT", "DELETE"];
const everythingBelow = (path: string): string[] => [
  ...routesOf(path, ...methods),
  ...routesOf(`${path}/*`, ...methods),
];

export const unsupported: readonly Unsupported[] = [
  {
    subject: "the notification center (@novu/notification-center)",
    instead: "use @novu/react 3 or @novu/js 3 with backendUrl and socketUrl, or the widget <tidings-inbox>",
    routes: routesOf(`${widgetsPath}/*`, ...methods),
  },
  {
    subject: "creating and changing workflows by the older API",
    instead: "use POST /v2/workflows and PUT /v2/workflows/{workflowId}, for example with @novu/api",
    routes: ["POST /v1/notification-templates", "PUT /v1/notification-templates/{templateId}"],
  },
  {
    subject: "creating and changing layouts by the older API",
    instead: "use POST /v2/layouts and PUT /v2/layouts/{layoutId}; the first layout of an environment is its default",
    routes: ["POST /v1/layouts", "PATCH /v1/layouts/{layoutId}", "POST /v1/layouts/{layoutId}/default"],
  },
  {
    subject: "notification groups",
    instead: "use tags of workflows",
    routes: [
      ...routesOf("/v1/notification-groups", "GET", "POST"),
      ...routesOf("/v1/notification-groups/{id}", "GET", "PATCH", "DELETE"),
    ],
  },
  {
    subject: "changes that wait for promotion",
    instead: "use POST /v2/environments/{targetEnvironmentId}/publish with a key of the target environment",
    routes: ["GET /v1/changes", "GET /v1/changes/count", "POST /v1/changes/{id}/apply", "POST /v1/changes/bulk/apply"],
  },
  {
    subject: "managing tenants",
    instead: "send `tenant` with the event, or use contexts: POST /v2/contexts",
    routes: [
      ...routesOf("/v1/tenants", "GET", "POST"),
      ...routesOf("/v1/tenants/{identifier}", "GET", "PATCH", "DELETE"),
    ],
  },
  {
    subject: "workflow overrides for tenants",
    instead: "use conditions of steps that read `tenant` or `context`",
    routes: [
      ...routesOf("/v1/workflow-overrides", "GET", "POST"),
      ...routesOf("/v1/workflow-overrides/{overrideId}", "GET", "PUT", "DELETE"),
      ...routesOf("/v1/workflow-overrides/workflows/{workflowId}/tenants/{tenantId}", "GET", "PUT"),
    ],
  },
  {
    subject: "feeds",
    instead: "use tags of workflows: the notifications of an inbox can be filtered by tag",
    routes: [...routesOf("/v1/feeds", "GET", "POST"), "DELETE /v1/feeds/{feedId}"],
  },
  {
    subject: "managing organizations",
    instead: "manage people and roles in the dashboard: an installation is one organization",
    routes: [
      ...routesOf("/v1/organizations", "GET", "POST", "PATCH"),
      ...["GET /v1/organizations/me", "GET /v1/organizations/members", "PUT /v1/organizations/branding"],
      ...["DELETE /v1/organizations/members/{memberId}", "PUT /v1/organizations/members/{memberId}/roles"],
    ],
  },
  {
    subject: "reading and regenerating API keys by the older API",
    instead: "use POST /v1/environments/{environmentId}/api-keys, which shows a new key once, and revoke the old one",
    routes: ["GET /v1/environments/api-keys", "POST /v1/environments/api-keys/regenerate"],
  },
  {
    subject: "status pages of integrations",
    instead: "use GET /v1/integrations; `tidings integrations check` asks the provider",
    routes: ["GET /v1/integrations/in-app/status", "GET /v1/integrations/webhook/provider/{providerId}/status"],
  },
  {
    subject: "inbound mail",
    instead: "receive replies with your mail provider",
    routes: ["GET /v1/inbound-parse/mx/status"],
  },
  {
    subject: "agents",
    instead: "trigger workflows from your own program",
    routes: everythingBelow("/v1/agents"),
  },
  {
    subject: "domains for inbound mail",
    instead: "set up domains with your mail provider",
    routes: everythingBelow("/v1/domains"),
  },
  {
    subject: "the log of requests and workflow runs",
    instead: "use GET /v1/notifications and GET /v2/explain",
    routes: [...everythingBelow("/v1/activity/requests"), ...everythingBelow("/v1/activity/workflow-runs")],
  },
  {
    subject: "OAuth URLs on this path",
    instead: "use POST /v1/integrations/chat/oauth, or in the browser of a subscriber the operations of the inbox",
    routes: [
      ...["POST /v1/integrations/channel-connections/oauth", "POST /v1/integrations/channel-endpoints/oauth"],
      ...["POST /v1/integrations/channel-endpoints/link", "POST /v1/integrations/{integrationId}/mobile-link"],
    ],
  },
  {
    subject: "configuring the webhook of an integration on this path",
    instead: "use POST /v1/integrations/{integrationId}/auto-configure",
    routes: ["POST /v1/integrations/{integrationId}/webhook/configure"],
  },
  {
    subject: "the preview of one step on this path",
    instead: "use POST /v1/workflows/preview",
    routes: ["POST /v2/workflows/{workflowId}/step/{stepId}/preview"],
  },
];

// The catalogue of errors: code, status and message. The server throws errors by code, with parameters; only the HTTP
// layer turns them into responses. Placeholders in braces are filled from the parameters, which the body also returns
// as `ctx`. docs/errors.md is generated from here.

import type { JsonObject } from "./schema.ts";

type Entry = { status: number; message: string; when: string };

export const errorCatalogue = {
  MALFORMED_JSON: { status: 400, message: "Request body is not valid JSON", when: "The body cannot be parsed." },
  MALFORMED_REQUEST: {
    status: 400,
    message: "The request cannot be read as HTTP",
    when: "The request line, a header or the framing of the body breaks the rules of HTTP. The connection is closed.",
  },
  MALFORMED_FORM: {
    status: 400,
    message: "Request body is not valid multipart/form-data: {reason}",
    when: "An upload cannot be parsed.",
  },
  IDEMPOTENCY_KEY_TOO_LONG: {
    status: 400,
    message: "idempotency-key must not be longer than 255 characters",
    when: "The header is too long.",
  },
  PAYLOAD_VALIDATION_ERROR: {
    status: 400,
    message: "Payload validation failed: {faults}",
    when: "A trigger payload breaks the workflow's payload schema.",
  },
  BRIDGE_SYNC_FAILED: {
    status: 400,
    message: "The workflows of the bridge at {host} cannot be read: {reason}",
    when: "A bridge does not respond, rejects the key, or returns workflows that cannot be stored. Nothing is changed.",
  },
  PROVIDER_CHECK_FAILED: {
    status: 400,
    message: "The provider rejected the credentials: {reason}",
    when: "An integration is saved with `check: true` and the provider rejects the credentials, or cannot be reached: then the text says so, as in `No answer from mail.example.com:587 (connection refused). Is the server running?`. Nothing is stored.",
  },
  PROVIDER_HOST_UNRESOLVED: {
    status: 400,
    message: "The host name {host} was not found (DNS): check its spelling",
    when: "An integration is saved with `check: true` and its host name does not exist. Nothing is stored.",
  },
  PRIMARY_NOT_SUPPORTED: {
    status: 400,
    message: "Channel {channel} does not support a primary integration",
    when: "Only email and SMS integrations can be made primary.",
  },
  OAUTH_NOT_SUPPORTED: {
    status: 400,
    message: "Provider {providerId} does not support OAuth",
    when: "An OAuth URL is requested for an integration whose provider does not support OAuth.",
  },
  SAME_ENVIRONMENT: {
    status: 400,
    message: "Workflow {workflowId} cannot be synced to the environment it is in",
    when: "A workflow is synced to its own environment, with `TIDINGS_VOCABULARY=novu`; 422 otherwise.",
  },
  DUPLICATE_TAG: {
    status: 400,
    message: "tags must not contain {tag} twice",
    when: "A workflow names a tag twice, with `TIDINGS_VOCABULARY=novu`; otherwise it is stored once.",
  },
  PUBLIC_URL_MISSING: {
    status: 400,
    message: "The setting TIDINGS_PUBLIC_URL is missing: OAuth needs it for the redirect URL",
    when: "An OAuth URL is requested and the public URL of the service is not configured.",
  },
  ENVIRONMENT_HEADER_MISSING: {
    status: 400,
    message: "The header x-tidings-environment is missing: send the _id of an environment",
    when: "A signed-in member's request does not name its environment.",
  },
  CRITICAL_WORKFLOW: {
    status: 400,
    message: "Preferences of critical workflows cannot be changed: {workflowIds}",
    when: "A subscriber's preference names a critical workflow. Nothing is changed.",
  },
  REQUIRED_CATEGORY: {
    status: 400,
    message: "Category {categoryId} is required: it cannot be switched off",
    when: "A subscriber's preference names a required category. Nothing is changed.",
  },
  ACTION_NOT_FOUND: {
    status: 400,
    message: "Message with id {messageId} has no {type} action",
    when: "The action (button) to be marked does not exist in the message.",
  },
  MISSING_AUTHORIZATION: {
    status: 401,
    message: "Missing authorization header",
    when: "The request has no `Authorization` header.",
  },
  INVALID_AUTH_SCHEME: {
    status: 401,
    message: 'Invalid authentication scheme: "{scheme}"',
    when: "The scheme of the `Authorization` header is not `ApiKey`.",
  },
  UNAUTHORIZED: { status: 401, message: "Unauthorized", when: "The `Authorization` header has a scheme and no key." },
  API_KEY_NOT_FOUND: { status: 401, message: "API Key not found", when: "The key is unknown or revoked." },
  API_KEY_EXPIRED: {
    status: 401,
    message: "This API key expired at {expiresAt}: use another one, or ask an owner to set a later time",
    when: "The expiry of the key has passed (docs/api-keys.md).",
  },
  LIVE_CONNECTION_LIMIT: {
    status: 429,
    message: "The subscriber has {limit} live connections, the maximum: close one of them",
    when: "A subscriber opens more live connections to one process than `TIDINGS_LIVE_PER_SUBSCRIBER`, or one address more than 100 with sessions without a hash.",
  },
  SIGN_IN_REQUIRED: {
    status: 401,
    message: "There is no session, or it has ended: sign in",
    when: "A request of the dashboard has no session cookie, or its session has expired or was ended.",
  },
  SIGN_IN_FAILED: {
    status: 401,
    message: "Email or password is wrong",
    when: "The password is wrong, the address is unknown, or the member has no password.",
  },
  INVALID_SIGNATURE: {
    status: 401,
    message: "Webhook signature is missing or wrong",
    when: "A delivery report is not signed with the integration's signing key, is too old, or the integration has no key.",
  },
  INBOX_TOKEN_INVALID: {
    status: 401,
    message: "The inbox token is missing, wrong or expired: open a new session",
    when: "The token was not issued by this service, has expired, or its API key or subscriber was deleted.",
  },
  INBOX_HASH_MISSING: {
    status: 401,
    message: "{field} is required: the hex HMAC-SHA256 under an API key of the environment",
    when: "An inbox session needs a hash in production, or because the in-app integration requires it, and has none.",
  },
  INBOX_HASH_WRONG: {
    status: 401,
    message: "{field} is not the hex HMAC-SHA256 under an API key of the environment",
    when: "The hash was computed from another text, with a key of another environment, or with a revoked key.",
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    message: "Pages of {origin} may not use the inbox of this environment: add it to TIDINGS_INBOX_ORIGINS",
    when: "A web page uses the inbox of an environment that does not list its origin.",
  },
  FORBIDDEN: {
    status: 403,
    message: "This API key may not act on another environment",
    when: "The key is valid, but the operation concerns another environment.",
  },
  API_KEY_SCOPE: {
    status: 403,
    message: "This API key may only {may}. {operation} needs {needed}",
    when: "The operation is not in the scope of the key, or the request has a field that the key may not send (docs/api-keys.md).",
  },
  API_KEY_NETWORK: {
    status: 403,
    message: "This API key may not be used from the address {address}: it is in none of the key's allowed networks",
    when: "The key has allowed networks, and the request comes from elsewhere. Behind a proxy, `TIDINGS_TRUSTED_PROXIES` must name it (docs/api-keys.md).",
  },
  API_KEY_RIGHTS: {
    status: 403,
    message: "This API key may not {what}: {reason}",
    when: "A key creates, changes or revokes a key that has more rights than itself.",
  },
  ROLE_NOT_ALLOWED: {
    status: 403,
    message: "Only {who} can {what}. Your role is {role}: ask an owner for access",
    when: "The signed-in member's role may not call the operation (docs/members.md).",
  },
  RECENT_SIGN_IN_REQUIRED: {
    status: 403,
    message: "Sign out and in again, then set the password within 10 minutes",
    when: "A member without a password sets a first one in a session that began more than 10 minutes ago.",
  },
  CSRF_TOKEN_WRONG: {
    status: 403,
    message: "The header x-csrf-token is missing or not that of the session: read it from GET /v1/auth/session",
    when: "A non-GET request with a session cookie does not carry the session's CSRF token.",
  },
  WRONG_VERIFY_TOKEN: {
    status: 403,
    message: "The verify token does not match the integration's",
    when: "A provider verifies the webhook URL with another token than the integration's, or the integration has no token.",
  },
  LINK_NOT_VALID: {
    status: 404,
    message: "This link does not work: it was used, has expired or was replaced by a newer one",
    when:
      "The token of a one-time link is unknown, or the owner who created the link was removed or has another role now. `npm run " +
      "sign-in` creates a new link for an owner.",
  },
  PERSON_NOT_FOUND: { status: 404, message: "Member with id {personId} not found", when: "There is no such member." },
  INVITATION_NOT_FOUND: {
    status: 404,
    message: "Invitation with id {invitationId} not found",
    when: "There is no such invitation, or it was used or has expired.",
  },
  RESET_LINK_NOT_FOUND: {
    status: 404,
    message: "Reset link with id {resetLinkId} not found",
    when: "There is no such reset link, or it was used, replaced or has expired.",
  },
  NOT_SUPPORTED: {
    status: 410,
    message: "Not supported: {subject}; instead, {instead}",
    when: "A Novu route that Tidings does not have, with `TIDINGS_VOCABULARY=novu`. The text names the alternative.",
  },
  ROUTE_NOT_FOUND: { status: 404, message: "Route {method} {path} does not exist", when: "The path is unknown." },
  CONNECTION_NOT_FOUND: {
    status: 404,
    message: "Channel connection with identifier {identifier} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  DEAD_LETTER_NOT_FOUND: {
    status: 404,
    message: "Dead letter with id {id} not found",
    when: "The id is unknown in this environment, or the dead letter was removed after 30 days.",
  },
  DEAD_LETTER_NOT_OPEN: {
    status: 409,
    message: "Dead letter with id {id} cannot be replayed: {reason}",
    when: "It was replayed before, the provider has reported that it accepted the message, or the message was deleted.",
  },
  STEP_NOT_RESENDABLE: {
    status: 409,
    message: "Step {stepId} cannot be sent again: {reason}",
    when:
      "The step sends nothing, has not started, was canceled or merged into a digest, its workflow or subscriber was deleted, or its " +
      "content comes from code that did not respond.",
  },
  RESEND_REFUSED: {
    status: 409,
    message: "Nothing was sent: {reason}",
    when:
      "The subscriber has turned the channel off, has no address, or the address is suppressed; the condition of a skipped step " +
      "still skips it; or the content cannot be rendered. Correct that, then send the step again.",
  },
  RESEND_IN_PROGRESS: {
    status: 409,
    message: "Step {stepId} is already being sent: {reason}",
    when: "A message of the step is in flight, or the step was sent again within the last 10 seconds.",
  },
  RESEND_LIMIT: {
    status: 409,
    message: "Step {stepId} was sent again {limit} times, the maximum: trigger a new event instead",
    when: "A step can be sent again 10 times.",
  },
  REPLAY_NOT_FOUND: {
    status: 404,
    message: "Replay with id {replayId} not found",
    when: "The id is unknown in this environment, or the replay was removed after 30 days.",
  },
  REPLAY_ENDED: {
    status: 409,
    message: "Replay with id {replayId} is {status}",
    when: "It was stopped or is done, so it can no longer be paused, resumed or stopped. Start another one.",
  },
  REPLAY_LIMIT: {
    status: 409,
    message: "This environment already has {limit} running or paused replays",
    when: "Wait for one of them, or stop one.",
  },
  IMPORT_NOT_FOUND: {
    status: 404,
    message: "Import with id {importId} not found",
    when: "The id is unknown in this environment, or the import was removed after 30 days.",
  },
  IMPORT_TOO_LARGE: {
    status: 413,
    message: "The CSV text has {found}; at most {limit} are accepted. Split the file and import the parts",
    when: "A CSV text has more than 10 MB, or more than 250,000 lines.",
  },
  IMPORT_LIMIT_REACHED: {
    status: 409,
    message: "This environment already has {count} unfinished imports: wait for one of them to finish",
    when: "20 imports of an environment are waiting or running.",
  },
  ASSET_NOT_FOUND: {
    status: 404,
    message: "Image with id {assetId} not found",
    when: "The id is unknown in this environment.",
  },
  ASSET_TOO_LARGE: {
    status: 413,
    message: "The image has {found}; at most {limit} are accepted. Make it smaller, or save it with more compression",
    when: "An uploaded image has more than 5 MB.",
  },
  ASSET_LIMIT_REACHED: {
    status: 409,
    message: "The images of this environment have {stored}, and the limit is {limit}: delete some that are not in use",
    when: "With this image, those of the environment would have more bytes than `TIDINGS_ASSET_LIMIT`.",
  },
  FAILED_TASK_NOT_FOUND: {
    status: 404,
    message: "Failed task with id {id} not found",
    when: "The id is unknown in this environment, or the failed task was removed after 30 days.",
  },
  FAILED_TASK_NOT_OPEN: {
    status: 409,
    message: "Failed task with id {id} was replayed before",
    when: "It was put back into the queue before; if it failed again, it is listed under a new id.",
  },
  CONTEXT_NOT_FOUND: {
    status: 404,
    message: "Context {type}:{id} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  ENDPOINT_NOT_FOUND: {
    status: 404,
    message: "Channel endpoint with identifier {identifier} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  ENVIRONMENT_NOT_FOUND: {
    status: 404,
    message: "Environment with id {environmentId} not found",
    when: "Unknown, or of another organisation.",
  },
  GALLERY_TEMPLATE_NOT_FOUND: {
    status: 404,
    message: "The gallery has no template {name}. It has: {names}",
    when: "No template has this name.",
  },
  INTEGRATION_NOT_FOUND: {
    status: 404,
    message: "Integration with id {integrationId} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  MESSAGE_NOT_FOUND: {
    status: 404,
    message: "Message with id {messageId} not found",
    when: "Unknown, deleted, or of another environment or subscriber; or a transaction without messages.",
  },
  NOTIFICATION_NOT_FOUND: {
    status: 404,
    message: "Notification with id {notificationId} not found",
    when: "Unknown, or of another environment.",
  },
  SUBSCRIBER_NOT_FOUND: {
    status: 404,
    message: "Subscriber with id {subscriberId} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  ERASURE_NOT_FOUND: {
    status: 404,
    message: "Erasure with id {erasureId} not found",
    when: "The id is unknown in this environment.",
  },
  SUBSCRIPTION_NOT_FOUND: {
    status: 404,
    message: "Subscription with identifier {identifier} not found in topic {topicKey}",
    when: "The topic has no such subscription.",
  },
  TOPIC_NOT_FOUND: {
    status: 404,
    message: "Topic with key {topicKey} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  TRANSACTION_NOT_FOUND: {
    status: 404,
    message: "Event with transaction id {transactionId} not found",
    when: "Never accepted, no longer stored, or of another environment.",
  },
  AUDIENCE_NOT_FOUND: {
    status: 404,
    message: "Audience with id {audienceId} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  BROADCAST_NOT_FOUND: {
    status: 404,
    message: "Broadcast with id {broadcastId} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  BACKTEST_NOT_FOUND: {
    status: 404,
    message: "Backtest {backtestId} not found",
    when: "No such backtest in this environment. A canceled one is deleted at once, others after 14 days.",
  },
  BROADCAST_NOT_CHECKED: {
    status: 404,
    message: "Broadcast {broadcastId} has not been checked yet",
    when: "Start a check with broadcasts.check first.",
  },
  RETRACTION_NOT_FOUND: {
    status: 404,
    message: "Retraction with id {retractionId} not found",
    when: "Unknown, no longer stored, or of another environment.",
  },
  SUPERSEDE_KEY_NOT_FOUND: {
    status: 404,
    message: "No event with the supersede key {supersedeKey} found for subscriber {subscriberId}",
    when: "No run with this key has started for the subscriber, or it is no longer stored.",
  },
  WORKFLOW_NOT_FOUND: {
    status: 404,
    message: "Workflow {workflowId} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  STEP_NOT_FOUND: {
    status: 404,
    message: "Step {stepId} not found in workflow {workflowId}",
    when: "The workflow has no such step.",
  },
  PUBLISH_NOT_FOUND: {
    status: 404,
    message: "Publish {publishId} not found",
    when: "No publish to this environment has this id, or it is older than `TIDINGS_AUDIT_DAYS`.",
  },
  WORKFLOW_VERSION_NOT_FOUND: {
    status: 404,
    message: "Version {versionId} of workflow {workflowId} not found",
    when: "Neither an id nor a number of a version of this workflow.",
  },
  DIGEST_NOT_FOUND: {
    status: 404,
    message: "Digest {id} is not open",
    when: "Unknown, closed, or of another environment.",
  },
  CAPTURED_NOT_FOUND: {
    status: 404,
    message: "Captured message {id} not found",
    when: "Unknown, deleted, removed by age, or of another environment.",
  },
  CAPTURED_ATTACHMENT_NOT_FOUND: {
    status: 404,
    message: "Captured message {id} has no attachment {index}",
    when: "There is no attachment at this index, or its event was removed by age.",
  },
  CATEGORY_NOT_FOUND: {
    status: 404,
    message: "Category {categoryId} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  LAYOUT_NOT_FOUND: {
    status: 404,
    message: "Layout {layoutId} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  COMMENT_NOT_FOUND: {
    status: 404,
    message: "Comment {commentId} of workflow {workflowId} not found",
    when: "The workflow has no such comment, or it was deleted.",
  },
  TOO_MANY_COMMENTS: {
    status: 409,
    message: "The workflow has {limit} comments, the maximum: delete some of them",
    when: "A comment is added to a workflow that has the maximum number.",
  },
  STEP_TEMPLATE_NOT_FOUND: {
    status: 404,
    message: "Step template {templateId} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  STEP_TEMPLATE_NAME_TAKEN: {
    status: 409,
    message: "Another step template is called {name}: choose another name, or delete that one",
    when: "The name is in use in this environment, in capitals or not.",
  },
  STEP_TEMPLATE_LIMIT: {
    status: 409,
    message: "This environment has {limit} step templates, the maximum: delete one first",
    when: "A step is saved as a template in an environment that has the maximum number.",
  },
  VARIABLE_NOT_FOUND: {
    status: 404,
    message: "Environment variable {variableKey} not found",
    when: "Unknown or deleted, or only other environments have it.",
  },
  VARIABLE_KEY_TAKEN: {
    status: 409,
    message: "An environment variable {variableKey} exists already: update it, or choose another key",
    when: "A variable is created, or gets a key, that an environment has already.",
  },
  VARIABLE_LIMIT: {
    status: 409,
    message: "An environment has at most {limit} variables: delete one first",
    when: "A variable is set in an environment that has the maximum number.",
  },
  VARIABLE_IN_USE: {
    status: 409,
    message: "The environment variable {variableKey} is used by {users}: remove it there first",
    when: "A variable is deleted, removed from an environment or renamed while a workflow or layout there uses it.",
  },
  TRANSLATION_NOT_FOUND: {
    status: 404,
    message: "Translation {locale} of {resourceType} {resourceId} not found",
    when: "The resource has no texts in this locale.",
  },
  TRANSLATION_GROUP_NOT_FOUND: {
    status: 404,
    message: "Translations of {resourceType} {resourceId} not found",
    when: "The resource has no texts in any locale, or cannot have any.",
  },
  SUPPRESSION_NOT_FOUND: {
    status: 404,
    message: "Suppression {suppressionId} not found",
    when: "No suppression of this environment has this id or address.",
  },
  ALERT_RULE_NOT_FOUND: {
    status: 404,
    message: "Alert rule with id {ruleId} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  ALERT_NOT_FOUND: {
    status: 404,
    message: "Alert with id {alertId} not found",
    when: "Unknown, of another environment, or ended more than 90 days ago.",
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    message: "Webhook with id {webhookId} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  SOURCE_NOT_FOUND: {
    status: 404,
    message: "Source with id {sourceId} not found",
    when: "Unknown, deleted, or of another environment.",
  },
  WEBHOOK_DELIVERY_NOT_FOUND: {
    status: 404,
    message: "Deliveries not found: {ids}",
    when: "Some of the deliveries to replay do not belong to the webhook, or are older than 30 days. None is replayed.",
  },
  KEY_NOT_FOUND: {
    status: 404,
    message: "API key with id {keyId} not found",
    when: "Unknown, revoked, or of another environment.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: "Method {method} is not allowed here",
    when: "The path exists with other methods; the `Allow` header names them.",
  },
  CONNECTION_EXISTS: {
    status: 409,
    message: "Channel connection with identifier {identifier} already exists",
    when: "The identifier is in use in this environment, or the subscriber is connected to the integration already.",
  },
  CONTEXT_EXISTS: {
    status: 409,
    message: "Context {type}:{id} already exists",
    when: "A context of this type and id exists in this environment.",
  },
  ENDPOINT_EXISTS: {
    status: 409,
    message: "Channel endpoint with identifier {identifier} already exists",
    when: "The identifier is in use in this environment.",
  },
  ENVIRONMENT_PROTECTED: {
    status: 409,
    message: "Environment {environmentId} is protected and cannot be deleted",
    when: "Production environments cannot be deleted.",
  },
  ENVIRONMENT_LIMIT: {
    status: 409,
    message: "An organisation can have at most {limit} environments",
    when: "The organisation has as many environments as `TIDINGS_MAX_ENVIRONMENTS` allows.",
  },
  ENVIRONMENT_IDENTIFIER_TAKEN: {
    status: 409,
    message: "Environment with identifier {identifier} already exists",
    when: "The identifier is in use in this organisation.",
  },
  TEST_CLOCK_REFUSED: {
    status: 409,
    message: "Environment {environmentId} is a production environment and stays in real time",
    when: "Only `dev` environments can use a test clock.",
  },
  TEST_CLOCK_BACKWARDS: {
    status: 409,
    message: "The test clock is at {now} and cannot move back to {asked}",
    when: "The time is before the clock's current time, or before the target of a move in progress.",
  },
  PUBLISH_RESTORED: {
    status: 409,
    message: "Publish {publishId} was rolled back at {restoredAt}",
    when: "A publish is restored twice. The restore can itself be rolled back: it is a publish too.",
  },
  PUBLISH_CHANGED_SINCE: {
    status: 409,
    message: "Changed since the publish: {resources}. Send overwriteChanges: true to discard these changes as well",
    when: "A publish is restored whose workflows or layouts were changed afterwards. Nothing is changed.",
  },
  PERSON_EXISTS: {
    status: 409,
    message: "A member with the address {email} already exists",
    when: "The invited address, or the one used with an invitation, belongs to a member.",
  },
  PEOPLE_LIMIT: {
    status: 409,
    message: "There can be at most {limit} {what}",
    when: "An installation has at most 1,000 members and 100 open invitations.",
  },
  LAST_OWNER: {
    status: 409,
    message: "The last owner can be neither removed nor given another role",
    when: "Give another member the role owner first.",
  },
  API_KEY_LIMIT: {
    status: 409,
    message: "Environment {environmentId} already has {limit} live API keys: revoke one first",
    when: "A key is created in an environment that has the maximum number.",
  },
  LAST_API_KEY: {
    status: 409,
    message:
      "The last live API key with the scope full cannot be revoked, narrowed or expire: create another one first",
    when: "Without a full key that has not expired, no program could manage the environment.",
  },
  CATEGORY_ID_TAKEN: {
    status: 409,
    message: "Category {categoryId} already exists",
    when: "The identifier is in use in this environment.",
  },
  CATEGORY_LIMIT: {
    status: 409,
    message: "This environment already has {limit} categories",
    when: "Delete one first.",
  },
  CATEGORY_IN_USE: {
    status: 409,
    message: "Category {categoryId} has workflows: {workflowIds}",
    when: "The category to delete has workflows. Move them to another category first, or to none.",
  },
  CATEGORY_HAS_CHOICES: {
    status: 409,
    message: "{count} subscribers have made a choice for category {categoryId}",
    when: "The category to delete has choices of subscribers. `force=true` deletes them too.",
  },
  LAYOUT_ID_TAKEN: {
    status: 409,
    message: "Layout {layoutId} already exists",
    when: "The identifier is in use in this environment.",
  },
  LAYOUT_IS_DEFAULT: {
    status: 409,
    message: "Layout {layoutId} is the default layout and cannot be deleted",
    when: "The first layout of an environment is its default.",
  },
  LAYOUT_IN_USE: {
    status: 409,
    message: "Layout {layoutId} is used by workflows: {workflowIds}",
    when: "The layout to delete is used by workflow steps.",
  },
  LAYOUT_MISSING_IN_TARGET: {
    status: 409,
    message: "Workflow {workflowId} uses layout {layoutId}, which the target environment does not have",
    when: "Publish the layout first, or both with environments.publish.",
  },
  AUDIENCE_MISSING_IN_TARGET: {
    status: 409,
    message: "Workflow {workflowId} uses audience {audienceId}, which the target environment does not have",
    when: "Publish the audience first, or both with environments.publish. A fixed audience is created in the target.",
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    message: "A request with this idempotency-key is still being processed",
    when: "The first request with this key is still in progress; retry after `Retry-After`.",
  },
  INTEGRATION_IDENTIFIER_TAKEN: {
    status: 409,
    message: "Integration with identifier {identifier} already exists",
    when: "The identifier is in use in this environment.",
  },
  IN_APP_INTEGRATION_EXISTS: {
    status: 409,
    message: "This environment already has an in-app integration",
    when: "A second in-app integration is created.",
  },
  SUBSCRIBER_EXISTS: {
    status: 409,
    message: "Subscriber {subscriberId} already exists",
    when: "`failIfExists=true` and the subscriber exists. The body also carries the fields of the existing record.",
  },
  SUBSCRIBER_BEING_ERASED: {
    status: 409,
    message: "Subscriber {subscriberId} is being erased. Wait until the erasure has ended, then try again",
    when: "The subscriber cannot be created again until its erasure has ended.",
  },
  TOPIC_EXISTS: {
    status: 409,
    message: "Topic {topicKey} already exists",
    when: "`failIfExists=true` and the topic exists. The body also carries the fields of the existing record.",
  },
  AUDIENCE_EXISTS: {
    status: 409,
    message: "Audience {audienceId} already exists",
    when: "Choose another id, or change the existing audience.",
  },
  AUDIENCE_LIMIT: {
    status: 409,
    message: "This environment already has {limit} audiences",
    when: "Delete one first.",
  },
  AUDIENCE_IN_USE: {
    status: 409,
    message: "Audience {audienceId} is used by {users}",
    when: "Another audience, a workflow or a broadcast that is not finished uses it. Change that first.",
  },
  AUDIENCE_KIND: {
    status: 409,
    message: "Audience {audienceId} is {kind}",
    when: "People are added to fixed audiences only, and only audiences with a rule have their rule changed.",
  },
  AUDIENCE_MATCHES_EVERYONE: {
    status: 409,
    message: "The rule matches all {people} subscribers. Send allowEveryone: true if that is meant",
    when: "A rule that matches every subscriber is saved without `allowEveryone`.",
  },
  AUDIENCE_TOO_SLOW: {
    status: 422,
    message: "The rule takes too long: {part}",
    when: "PostgreSQL did not finish in the time that an audience may take. `part` says what to change.",
  },
  BROADCAST_LIMIT: {
    status: 409,
    message: "This environment already has {limit} drafts of broadcasts",
    when: "Send or delete one first.",
  },
  BROADCAST_STATE: {
    status: 409,
    message: "Broadcast {broadcastId} is {status}: {fix}",
    when: "The broadcast is not in a state that allows it, such as changing one that runs.",
  },
  BROADCAST_CHANGED: {
    status: 409,
    message: "Broadcast {broadcastId} has revision {current}, not {revision}: read it again before you approve it",
    when: "It was changed, or sent for approval again, after the revision that is to be approved.",
  },
  BROADCAST_INCOMPLETE: {
    status: 409,
    message: "Broadcast {broadcastId} cannot be sent yet: {reason}",
    when: "Content, audience or time are missing or not valid. `broadcasts.check` lists everything.",
  },
  BROADCAST_OWN_APPROVAL: {
    status: 403,
    message: "Broadcast {broadcastId} must be approved by another person than {member}",
    when: "The person who sent a broadcast for approval cannot approve it.",
  },
  BACKTEST_RUNNING: {
    status: 409,
    message: "Backtest {backtestId} is running: wait for its end, or cancel it first",
    when: "One backtest of an environment runs at a time.",
  },
  BACKTEST_TEST_CLOCK: {
    status: 409,
    message: "Environment {environmentId} uses a test clock: remove the clock before a backtest",
    when: "The times of past events are not those of a clock that was moved.",
  },
  BACKTEST_EMPTY: {
    status: 422,
    message: "This environment has no notification between {from} and {to}: choose another period",
    when: "A backtest needs events of the past. Older ones may have been deleted by their age.",
  },
  BACKTEST_ENDED: {
    status: 409,
    message: "Backtest {backtestId} is {status}: there is nothing to cancel",
    when: "Only a backtest that waits or runs can be canceled. Delete it instead.",
  },
  ALERT_RULE_LIMIT: {
    status: 409,
    message: "This environment already has {limit} alert rules",
    when: "Delete one first.",
  },
  ALERT_RULE_NAME_TAKEN: {
    status: 409,
    message: "An alert rule named {name} already exists",
    when: "Choose another name, or change the existing rule.",
  },
  WEBHOOK_LIMIT: {
    status: 409,
    message: "This environment already has {limit} webhooks",
    when: "Delete one first.",
  },
  SOURCE_LIMIT: {
    status: 409,
    message: "This environment already has {limit} sources",
    when: "Delete one first.",
  },
  SOURCE_LOCAL: {
    status: 409,
    message: "The source {name} is this service's own database",
    when: "It has no address and cannot be deleted. Which roles use it is decided by `tidings grant-sql`.",
  },
  WEBHOOK_INACTIVE: {
    status: 409,
    message: "Webhook with id {webhookId} is switched off",
    when: "A replay is requested for a webhook that is not active; switch it on first.",
  },
  NOTIFICATION_SNOOZED: {
    status: 409,
    message: "Notification {notificationId} is snoozed until {snoozedUntil}",
    when: "A snoozed message cannot be marked as read or unread; unsnooze it first.",
  },
  WORKFLOW_ID_TAKEN: {
    status: 409,
    message: "Workflow {workflowId} already exists",
    when: "The identifier is in use in this environment.",
  },
  WORKFLOW_IN_CODE: {
    status: 409,
    message: "Workflow {workflowId} is defined in code: change {fields} there, and sync its bridge",
    when: "A workflow defined by a bridge is changed in a way that only its code can. Its control values can be changed.",
  },
  BRIDGE_WORKFLOW_TAKEN: {
    status: 409,
    message:
      "Workflow {workflowId} exists and is not defined in code: delete it, or give the one in the code another id",
    when: "A bridge has a workflow whose identifier an ordinary workflow of the environment uses. Nothing is changed.",
  },
  LAYOUT_CHANGED: {
    status: 409,
    message: "Layout {layoutId} has changed since {expectedUpdatedAt}: its last change was at {updatedAt}",
    when: "`expectedUpdatedAt` is not the time of the last change. Nothing was changed.",
  },
  WORKFLOW_CHANGED: {
    status: 409,
    message: "Workflow {workflowId} has changed since version {expectedVersion}: its version is {versionId}",
    when: "`expectedVersion` is not the current version. Nothing was changed; `currentVersion` in the response is the current version.",
  },
  FILES_CHANGED: {
    status: 409,
    message:
      "The environment has changed since the plan: its fingerprint is {fingerprint}, the plan's is {expectedFingerprint}. Nothing was applied; create a new plan",
    when: "A workflow, layout, translation, integration or topic was changed between plan and apply. Nothing was changed.",
  },
  FILES_HAVE_ISSUES: {
    status: 422,
    message:
      "Steps would fail: the resources have errors, {count} in all. Nothing was applied; correct them, or set allowIssues to true",
    when: "`files.apply` would write a workflow or layout with a blocking issue, such as a layout that does not exist. `issues` in the response lists them.",
  },
  TOO_MANY_FILES: {
    status: 409,
    message: "The environment has {count} {type}, and at most {limit} can be kept in files",
    when: "The environment has more resources of a type than one request can carry.",
  },
  SCENARIO_TOO_LARGE: {
    status: 413,
    message: "A scenario can have at most {most}: choose another event or a shorter time range",
    when: "What is to be exported has more events, subscribers, messages or payload than a scenario can hold.",
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: "{detail}",
    when: "The request body or one event's payload is larger than the limit, which the message names. The limits are set with `TIDINGS_BODY_LIMIT` and, for bulk triggers, imports and workflows as files, `TIDINGS_BULK_BODY_LIMIT`.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: "The request did not arrive within a minute",
    when: "A client sends its request too slowly. The connection is closed.",
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    message: "Request line and headers are larger than 16384 bytes in total",
    when: "The path, the query or a header is too long. The connection is closed.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: "Content-Type must be application/json",
    when: "The body has another content type.",
  },
  MULTIPART_REQUIRED: {
    status: 415,
    message: "Content-Type must be multipart/form-data",
    when: "The body of an upload has another content type.",
  },
  VALIDATION_ERROR: {
    status: 422,
    message: "Validation Error",
    when: "The request does not match the documented schema; `errors` names every error by field path.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: "This idempotency-key was used with another request",
    when: "The same key was used before with another method, path or body.",
  },
  RATE_LIMITED: {
    status: 429,
    message: "API rate limit exceeded",
    when: "The token bucket of this environment and category is empty, too many of its requests wait for providers (`check`, auto-configure) or read at the same time, or its accepted events have been waiting for five minutes; retry after `Retry-After`.",
  },
  QUERY_TOO_EXPENSIVE: {
    status: 422,
    message: "The query was stopped after {seconds} seconds: narrow it with filters",
    when: "A list or another read took longer than `TIDINGS_READ_SECONDS`. Narrow it with filters, or with `after` and `before`.",
  },
  INTERNAL_ERROR: {
    status: 500,
    message: "Internal server error, quote the errorId when you report it",
    when: "An unexpected error. The log has the same `errorId`.",
  },
  DATABASE_FULL: {
    status: 503,
    message: "The database has no disk space left: nothing was stored. The operator has to free or add disk space",
    when: "The disk of the database is full. Nothing of the request was stored; repeat it with the same `Idempotency-Key` after `Retry-After`. For operators: `/ready` shows when it is over.",
  },
  DATABASE_LOCKED: {
    status: 503,
    message: "The request waited too long for a database lock: nothing was stored. Repeat it",
    when: "Another database session, such as an `alter table` by hand, holds a lock for longer than `TIDINGS_LOCK_SECONDS`. Repeat the request with the same `Idempotency-Key` after `Retry-After`. For operators: `/ready` names the table and the session.",
  },
  DATABASE_SLOW: {
    status: 503,
    message: "The database took too long: nothing was stored. Repeat the request",
    when: "A statement took longer than its timeout, for instance on a slow disk. Repeat the request with the same `Idempotency-Key` after `Retry-After`.",
  },
  DATABASE_EXHAUSTED: {
    status: 503,
    message: "The database is out of memory or another resource: nothing was stored. Repeat the request",
    when: "PostgreSQL refused a statement for lack of a resource (errors 53000 to 53400, or an error of its file system). Repeat the request with the same `Idempotency-Key` after `Retry-After`. For operators: the log has PostgreSQL's message.",
  },
  UNAVAILABLE: {
    status: 503,
    message: "Service is temporarily unavailable",
    when: "The service is starting or stopping, or the database cannot be reached; retry after `Retry-After`.",
  },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof errorCatalogue;

/** Errors that every operation can return; the OpenAPI document adds them to each. */
export const commonErrors = [
  "MISSING_AUTHORIZATION",
  "INVALID_AUTH_SCHEME",
  "UNAUTHORIZED",
  "API_KEY_NOT_FOUND",
  "API_KEY_EXPIRED",
  "API_KEY_SCOPE",
  "API_KEY_NETWORK",
  "SIGN_IN_REQUIRED",
  "ENVIRONMENT_HEADER_MISSING",
  "ROLE_NOT_ALLOWED",
  "CSRF_TOKEN_WRONG",
  "MALFORMED_JSON",
  "IDEMPOTENCY_KEY_TOO_LONG",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "VALIDATION_ERROR",
  "IDEMPOTENCY_KEY_REUSED",
  "IDEMPOTENCY_IN_PROGRESS",
  "RATE_LIMITED",
  "QUERY_TOO_EXPENSIVE",
  "INTERNAL_ERROR",
  "DATABASE_FULL",
  "DATABASE_LOCKED",
  "DATABASE_SLOW",
  "DATABASE_EXHAUSTED",
  "UNAVAILABLE",
] as const satisfies readonly ErrorCode[];

type Placeholders<S extends string> = S extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

/** The parameters of a message, derived from its placeholders. */
export type ErrorParams<C extends ErrorCode> = Record<Placeholders<(typeof errorCatalogue)[C]["message"]>, string>;

export function errorMessage(code: ErrorCode, params: JsonObject): string {
  return errorCatalogue[code].message.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ""));
}

// Generated from the operations of packages/contract by `npm run generate`. Do not edit.

/** Input and output of every operation, by its id. */
export type Operations = {
  "events.trigger": {
    params?: never;
    query?: never;
    body: TriggerEvent;
    output: TriggerResult;
  };
  "events.triggerBulk": {
    params?: never;
    query?: never;
    body: TriggerBulkIn;
    output: TriggerResult[];
  };
  "events.broadcast": {
    params?: never;
    query?: never;
    body: BroadcastEvent;
    output: TriggerResult;
  };
  "events.cancel": {
    params: {
      transactionId: string;
    };
    query?: never;
    body?: never;
    output: boolean;
  };
  "explain.retrieve": {
    params?: never;
    query: {
      transactionId: string;
      subscriberId: string;
    };
    body?: never;
    output: Explanation;
  };
  "explain.dryRun": {
    params?: never;
    query?: {
      /** How many of the named subscribers, and how many subscribers of topics, to include */
      limit?: number;
    };
    body: DryRunEvent;
    output: DryRun;
  };
  "explain.sampleArms": {
    params?: never;
    query?: never;
    body: ArmSampleIn;
    output: ArmSample;
  };
  "retractions.create": {
    params?: never;
    query?: never;
    body: RetractionIn;
    output: Retraction;
  };
  "retractions.preview": {
    params?: never;
    query?: never;
    body: RetractionPreviewIn;
    output: RetractionPreview;
  };
  "retractions.list": {
    params?: never;
    query?: {
      page?: number;
      limit?: number;
      /** Only those of this event */
      transactionId?: string;
    };
    body?: never;
    output: RetractionList;
  };
  "retractions.retrieve": {
    params: {
      retractionId: string;
    };
    query?: never;
    body?: never;
    output: Retraction;
  };
  "audiences.list": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      /** Part of the name or id, ignoring case */
      query?: string;
    };
    body?: never;
    output: AudienceList;
  };
  "audiences.create": {
    params?: never;
    query?: never;
    body: AudienceIn;
    output: Audience;
  };
  "audiences.preview": {
    params?: never;
    query?: never;
    body: AudiencePreviewIn;
    output: AudiencePreview;
  };
  "audiences.retrieve": {
    params: {
      audienceId: string;
    };
    query?: never;
    body?: never;
    output: Audience;
  };
  "audiences.update": {
    params: {
      audienceId: string;
    };
    query?: never;
    body: AudiencePatch;
    output: Audience;
  };
  "audiences.delete": {
    params: {
      audienceId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "audiences.count": {
    params: {
      audienceId: string;
    };
    query?: never;
    body?: never;
    output: AudienceCount;
  };
  "audiences.listPeople": {
    params: {
      audienceId: string;
    };
    query?: {
      /** `next` of the page before */
      after?: string;
      limit?: number;
    };
    body?: never;
    output: AudiencePeople;
  };
  "audiences.explain": {
    params: {
      audienceId: string;
      subscriberId: string;
    };
    query?: never;
    body?: never;
    output: AudienceExplanation;
  };
  "audiences.addMembers": {
    params: {
      audienceId: string;
    };
    query?: never;
    body: AudienceMembersIn;
    output: AudienceMembersAdded;
  };
  "audiences.removeMembers": {
    params: {
      audienceId: string;
    };
    query?: never;
    body: AudienceMembersOut;
    output: AudienceMembersRemoved;
  };
  "audiences.snapshot": {
    params: {
      audienceId: string;
    };
    query?: never;
    body: AudienceSnapshotIn;
    output: Audience;
  };
  "broadcasts.list": {
    params?: never;
    query?: {
      page?: number;
      limit?: number;
      status?: BroadcastStatus;
    };
    body?: never;
    output: BroadcastList;
  };
  "broadcasts.create": {
    params?: never;
    query?: never;
    body: BroadcastIn;
    output: Broadcast;
  };
  "broadcasts.retrieve": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body?: never;
    output: Broadcast;
  };
  "broadcasts.update": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body: BroadcastPatch;
    output: Broadcast;
  };
  "broadcasts.delete": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "broadcasts.send": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body?: never;
    output: Broadcast;
  };
  "broadcasts.approve": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body?: BroadcastApprovalIn;
    output: Broadcast;
  };
  "broadcasts.reject": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body?: BroadcastRejection;
    output: Broadcast;
  };
  "broadcasts.pause": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body?: never;
    output: Broadcast;
  };
  "broadcasts.resume": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body?: never;
    output: Broadcast;
  };
  "broadcasts.stop": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body?: never;
    output: Broadcast;
  };
  "broadcasts.check": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body?: never;
    output: BroadcastCheck;
  };
  "broadcasts.retrieveCheck": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body?: never;
    output: BroadcastCheck;
  };
  "broadcasts.preview": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body?: BroadcastPreviewIn;
    output: BroadcastPreviews;
  };
  "broadcasts.test": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body: BroadcastTestIn;
    output: BroadcastTests;
  };
  "broadcasts.retrieveResults": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body?: never;
    output: BroadcastResults;
  };
  "broadcasts.listPeople": {
    params: {
      broadcastId: string;
    };
    query?: {
      outcome?: BroadcastOutcome;
      /** `next` of the page before */
      after?: string;
      limit?: number;
    };
    body?: never;
    output: BroadcastPeople;
  };
  "broadcasts.resend": {
    params: {
      broadcastId: string;
    };
    query?: never;
    body?: BroadcastResendIn;
    output: Broadcast;
  };
  "backtests.create": {
    params?: never;
    query?: never;
    body: BacktestIn;
    output: Backtest;
  };
  "backtests.list": {
    params?: never;
    query?: {
      page?: number;
      limit?: number;
    };
    body?: never;
    output: BacktestList;
  };
  "backtests.get": {
    params: {
      backtestId: string;
    };
    query?: never;
    body?: never;
    output: Backtest;
  };
  "backtests.cancel": {
    params: {
      backtestId: string;
    };
    query?: never;
    body?: never;
    output: Backtest;
  };
  "backtests.delete": {
    params: {
      backtestId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "backtests.people": {
    params: {
      backtestId: string;
    };
    query?: {
      /** `removed`: no longer sent. `added`: sent, and was not. `render_failed`: its template fails now. `digested`: with other events than before. `channel`: through another channel. `provider`: through another integration. `earlier`, `later`: by a minute or more. `content`: with different content */
      effect?: BacktestEffect;
      workflowId?: string;
      /** `next` of the page before */
      after?: string;
      limit?: number;
    };
    body?: never;
    output: BacktestPeople;
  };
  "backtests.person": {
    params: {
      backtestId: string;
      subscriberId: string;
    };
    query?: {
      /** Also messages without a difference */
      all?: boolean;
    };
    body?: never;
    output: BacktestOfPerson;
  };
  "signals.send": {
    params?: never;
    query?: never;
    body: SignalIn;
    output: SignalResult;
  };
  "signals.sendBulk": {
    params?: never;
    query?: never;
    body: SignalBulkIn;
    output: SignalResult[];
  };
  "scenarios.export": {
    params?: never;
    query?: {
      transactionId?: string;
      /** In the environment's time */
      from?: string;
      /** In the environment's time */
      to?: string;
    };
    body?: never;
    output: ScenarioExport;
  };
  "notifications.list": {
    params?: never;
    query?: {
      page?: number;
      limit?: number;
      /** Events with any of these steps; `trigger` matches every event */
      channels?: ("in_app" | "email" | "sms" | "chat" | "push" | "digest" | "delay" | "throttle" | "custom" | "branch" | "experiment" | "wait" | "http_request" | "start_workflow" | "update_subscriber" | "trigger")[];
      /** Workflow ids or identifiers */
      templates?: string[];
      emails?: string[];
      /** Part of a subscriberId, an email address or a transaction id. At most 200 subscribers may match (422 otherwise), and the newest 500 events of each are searched. Partial transaction ids are searched in the newest 20,000 events of the window; a complete one is always found */
      search?: string;
      subscriberIds?: string[];
      severity?: ("high" | "medium" | "low" | "none")[];
      transactionId?: string;
      /** Exact: one of the topics that led to the notification */
      topicKey?: string;
      /** Identifier or id of a topic subscription that let the event through */
      subscriptionId?: string;
      /** The event's outcome for the recipient, any of these; searched in the newest 20,000 of the window */
      outcome?: ("failed" | "partly" | "pending" | "delivered" | "merged" | "canceled" | "skipped")[];
      /** Exact set of `<type>:<id>` keys; one empty value means without context */
      contextKeys?: string[];
      /** Events later than this time (exclusive). `createdAt` has milliseconds: a window that follows another starts one millisecond before the other's `before` */
      after?: string;
      /** Events earlier than this time (exclusive); default: now */
      before?: string;
    };
    body?: never;
    output: NotificationPage;
  };
  "notifications.retrieve": {
    params: {
      notificationId: string;
    };
    query?: never;
    body?: never;
    output: Notification;
  };
  "notifications.resendStep": {
    params: {
      notificationId: string;
      /** `stepId` of the workflow */
      stepId: string;
    };
    query?: never;
    body?: never;
    output: ResentStep;
  };
  "messages.list": {
    params?: never;
    query?: {
      page?: number;
      limit?: number;
      channel?: Channel;
      subscriberId?: string;
      transactionId?: string[];
      /** Exact set of `<type>:<id>` keys; one empty value means without context */
      contextKeys?: string[];
    };
    body?: never;
    output: MessagePage;
  };
  "messages.delete": {
    params: {
      messageId: string;
    };
    query?: never;
    body?: never;
    output: MessageDeleted;
  };
  "messages.deleteByTransaction": {
    params: {
      transactionId: string;
    };
    query?: {
      channel?: Channel;
    };
    body?: never;
    output: undefined;
  };
  "activity.listEvents": {
    params?: never;
    query?: {
      /** Internal ids or identifiers */
      workflowIds?: string[];
      /** Events with a recipient of any of these outcomes */
      outcome?: ("failed" | "partly" | "pending" | "delivered" | "merged" | "canceled" | "skipped")[];
      /** Events of workflows with a step of any of these */
      channels?: ("in_app" | "email" | "sms" | "chat" | "push")[];
      /** The newest 500 events of each */
      subscriberIds?: string[];
      /** Complete addresses; the newest 500 events of each */
      emails?: string[];
      transactionId?: string;
      /** Events whose value at one of their workflow's `searchKeys` equals this one, ignoring case */
      searchValue?: string;
      /** A value at one of a workflow's `searchKeys`, or part of the payload or of a transaction id, ignoring case, or part of a recipient's subscriberId or email address. At most 200 subscribers may match (422 otherwise) */
      search?: string;
      /** Events later than this time */
      after?: string;
      /** Events earlier than this time */
      before?: string;
      /** `next` of the previous page */
      cursor?: string;
      limit?: number;
    };
    body?: never;
    output: ActivityEventList;
  };
  "statistics.list": {
    params?: never;
    query?: {
      /** Default: 24 hours ago */
      from?: string;
      /** Default: now */
      to?: string;
      /** Internal id or identifier */
      workflowId?: string;
      channel?: "in_app" | "email" | "sms" | "chat" | "push";
      /** Skipped steps have no provider */
      providerId?: string;
      granularity?: "hour" | "day";
      /** Include the totals by workflow, by channel and by provider */
      breakdown?: boolean;
    };
    body?: never;
    output: Statistics;
  };
  "workflows.list": {
    params?: never;
    query?: {
      limit?: number;
      offset?: number;
      orderBy?: "createdAt" | "updatedAt" | "name" | "lastTriggeredAt";
      orderDirection?: "ASC" | "DESC";
      /** Part of the name or identifier */
      query?: string;
      /** Any of these */
      tags?: string[];
      /** Any of these */
      status?: ("ACTIVE" | "INACTIVE" | "ERROR")[];
    };
    body?: never;
    output: WorkflowList;
  };
  "workflows.create": {
    params?: never;
    query?: never;
    body: WorkflowIn;
    output: Workflow;
  };
  "workflows.retrieve": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: {
      /** Read it in another environment of the organisation */
      environmentId?: string;
    };
    body?: never;
    output: Workflow;
  };
  "workflows.update": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: never;
    body: WorkflowUpdate;
    output: Workflow;
  };
  "workflows.patch": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: never;
    body: WorkflowPatch;
    output: Workflow;
  };
  "workflows.delete": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "workflows.retrieveStep": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
      /** Internal id, identifier or slug */
      stepId: string;
    };
    query?: never;
    body?: never;
    output: Step;
  };
  "workflows.sync": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: never;
    body: WorkflowSync;
    output: Workflow;
  };
  "workflows.retrieveObjectives": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: {
      /** Length of the period, until now */
      days?: number;
    };
    body?: never;
    output: WorkflowObjectiveStates;
  };
  "workflows.retrieveExperiments": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: {
      /** Only this experiment: id or identifier of its step */
      stepId?: string;
      /** Default: 30 days ago */
      from?: string;
      /** Default: now */
      to?: string;
      /** A signal counts up to this many days after the person came into the variant */
      goalDays?: number;
    };
    body?: never;
    output: WorkflowExperiments;
  };
  "workflows.preview": {
    params?: never;
    query?: never;
    body: StepPreviewIn;
    output: StepPreview;
  };
  "workflows.test": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: never;
    body: WorkflowTestIn;
    output: WorkflowTest;
  };
  "workflows.sendRequest": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
      stepId: string;
    };
    query?: never;
    body?: SendRequestIn;
    output: SentRequest;
  };
  "workflows.listVersions": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
    };
    body?: never;
    output: WorkflowVersionList;
  };
  "workflows.retrieveVersion": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
      /** Id or number of a version */
      versionId: string;
    };
    query?: never;
    body?: never;
    output: WorkflowVersion;
  };
  "workflows.diffVersions": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
      /** Id or number of a version */
      fromVersionId: string;
      /** Id or number of a version */
      toVersionId: string;
    };
    query?: never;
    body?: never;
    output: WorkflowVersionDiff;
  };
  "workflows.restoreVersion": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
      /** Id or number of a version */
      versionId: string;
    };
    query?: never;
    body?: never;
    output: Workflow;
  };
  "workflows.duplicate": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: never;
    body: WorkflowDuplicate;
    output: Workflow;
  };
  "bridge.sync": {
    params?: never;
    query?: {
      /** The calling program; not used */
      source?: string;
    };
    body: BridgeSyncIn;
    output: BridgeSync;
  };
  "comments.list": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: never;
    body?: never;
    output: StepCommentList;
  };
  "comments.create": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: never;
    body: StepCommentIn;
    output: StepComment;
  };
  "comments.update": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
      commentId: string;
    };
    query?: never;
    body: StepCommentPatch;
    output: StepComment;
  };
  "comments.delete": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
      commentId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "workflows.announceViewer": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: never;
    body: WorkflowViewerIn;
    output: WorkflowViewers;
  };
  "stepTemplates.list": {
    params?: never;
    query?: never;
    body?: never;
    output: StepTemplateList;
  };
  "stepTemplates.create": {
    params?: never;
    query?: never;
    body: StepTemplateIn;
    output: StepTemplate;
  };
  "stepTemplates.retrieve": {
    params: {
      templateId: string;
    };
    query?: never;
    body?: never;
    output: StepTemplate;
  };
  "stepTemplates.update": {
    params: {
      templateId: string;
    };
    query?: never;
    body: StepTemplatePatch;
    output: StepTemplate;
  };
  "stepTemplates.delete": {
    params: {
      templateId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "digests.list": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      /** Internal id or identifier */
      workflowId?: string;
      subscriberId?: string;
    };
    body?: never;
    output: OpenDigestList;
  };
  "digests.retrieve": {
    params: {
      id: string;
    };
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
    };
    body?: never;
    output: OpenDigestMembers;
  };
  "digests.closeOne": {
    params: {
      id: string;
    };
    query?: never;
    body?: never;
    output: DigestClosed;
  };
  "digests.close": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: never;
    body: DigestClose;
    output: DigestCloseResult;
  };
  "layouts.list": {
    params?: never;
    query?: {
      limit?: number;
      offset?: number;
      orderBy?: "createdAt" | "updatedAt" | "name";
      orderDirection?: "ASC" | "DESC";
      /** Part of the name or identifier */
      query?: string;
    };
    body?: never;
    output: LayoutList;
  };
  "layouts.create": {
    params?: never;
    query?: never;
    body: LayoutIn;
    output: Layout;
  };
  "layouts.retrieve": {
    params: {
      /** Internal id, identifier or slug */
      layoutId: string;
    };
    query?: never;
    body?: never;
    output: Layout;
  };
  "layouts.update": {
    params: {
      /** Internal id, identifier or slug */
      layoutId: string;
    };
    query?: never;
    body: LayoutUpdate;
    output: Layout;
  };
  "layouts.delete": {
    params: {
      /** Internal id, identifier or slug */
      layoutId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "layouts.duplicate": {
    params: {
      /** Internal id, identifier or slug */
      layoutId: string;
    };
    query?: never;
    body: LayoutDuplicate;
    output: Layout;
  };
  "layouts.preview": {
    params: {
      /** Internal id, identifier or slug */
      layoutId: string;
    };
    query?: never;
    body: LayoutPreviewIn;
    output: LayoutPreview;
  };
  "layouts.usage": {
    params: {
      /** Internal id, identifier or slug */
      layoutId: string;
    };
    query?: never;
    body?: never;
    output: LayoutUsage;
  };
  "assets.list": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
    };
    body?: never;
    output: AssetList;
  };
  "assets.create": {
    params?: never;
    query?: never;
    body: FormData;
    output: Asset;
  };
  "assets.delete": {
    params: {
      assetId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "brand.retrieve": {
    params?: never;
    query?: never;
    body?: never;
    output: BrandSettings;
  };
  "brand.update": {
    params?: never;
    query?: never;
    body: BrandIn;
    output: BrandSettings;
  };
  "brand.preview": {
    params?: never;
    query?: never;
    body: BrandPreviewIn;
    output: BrandPreview;
  };
  "brand.createLayout": {
    params?: never;
    query?: never;
    body?: BrandLayoutIn;
    output: Layout;
  };
  "brand.retrieveContext": {
    params: {
      type: string;
      id: string;
    };
    query?: never;
    body?: never;
    output: BrandSettings;
  };
  "brand.updateContext": {
    params: {
      type: string;
      id: string;
    };
    query?: never;
    body: BrandIn;
    output: BrandSettings;
  };
  "brand.deleteContext": {
    params: {
      type: string;
      id: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "gallery.list": {
    params?: never;
    query?: never;
    body?: never;
    output: Gallery;
  };
  "gallery.retrieve": {
    params: {
      /** `name` of `gallery.list` */
      name: string;
    };
    query?: never;
    body?: never;
    output: GalleryTemplate;
  };
  "gallery.use": {
    params: {
      /** `name` of `gallery.list` */
      name: string;
    };
    query?: never;
    body?: GalleryUse;
    output: Workflow;
  };
  "translations.create": {
    params?: never;
    query?: never;
    body: TranslationIn;
    output: Translation;
  };
  "translations.listGroups": {
    params?: never;
    query?: {
      limit?: number;
      offset?: number;
      /** Part of the name or identifier */
      query?: string;
    };
    body?: never;
    output: TranslationGroupList;
  };
  "translations.retrieveGroup": {
    params: {
      resourceType: "workflow" | "layout";
      /** Internal id, identifier or slug */
      resourceId: string;
    };
    query?: never;
    body?: never;
    output: TranslationGroup;
  };
  "translations.listKeys": {
    params: {
      resourceType: "workflow" | "layout";
      /** Internal id, identifier or slug */
      resourceId: string;
    };
    query?: never;
    body?: never;
    output: UsedTextKeys;
  };
  "translations.retrieveMaster": {
    params?: never;
    query?: {
      locale?: string;
    };
    body?: never;
    output: MasterJson;
  };
  "translations.importMaster": {
    params?: never;
    query?: never;
    body: MasterImportIn;
    output: MasterImport;
  };
  "translations.uploadMaster": {
    params?: never;
    query?: never;
    body: FormData;
    output: MasterImport;
  };
  "translations.upload": {
    params?: never;
    query?: never;
    body: FormData;
    output: TranslationUpload;
  };
  "translations.deleteGroup": {
    params: {
      resourceType: "workflow" | "layout";
      /** Internal id, identifier or slug */
      resourceId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "translations.retrieve": {
    params: {
      resourceType: "workflow" | "layout";
      /** Internal id, identifier or slug */
      resourceId: string;
      locale: string;
    };
    query?: never;
    body?: never;
    output: Translation;
  };
  "translations.delete": {
    params: {
      resourceType: "workflow" | "layout";
      /** Internal id, identifier or slug */
      resourceId: string;
      locale: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "files.export": {
    params?: never;
    query?: {
      /** Id or identifier of another environment of the organisation */
      environmentId?: string;
    };
    body?: never;
    output: FilesExport;
  };
  "files.plan": {
    params?: never;
    query?: never;
    body: FilesPlanIn;
    output: FilesPlan;
  };
  "files.apply": {
    params?: never;
    query?: never;
    body: FilesApplyIn;
    output: FilesApplied;
  };
  "subscribers.create": {
    params?: never;
    query?: {
      failIfExists?: boolean;
    };
    body: SubscriberIn;
    output: Subscriber;
  };
  "subscribers.createBulk": {
    params?: never;
    query?: never;
    body: SubscriberBulkIn;
    output: SubscriberBulkResult;
  };
  "subscribers.list": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      orderBy?: "createdAt" | "updatedAt";
      /** Exact match, ignoring case */
      subscriberId?: string;
      /** Exact match, ignoring case */
      email?: string;
      /** Exact */
      phone?: string;
      /** Part of 'first last' */
      name?: string;
      /** Beginning of the subscriberId or of the email address, or part of 'first last', ignoring case */
      search?: string;
      /** Only people of this audience */
      audienceId?: string;
    };
    body?: never;
    output: SubscriberList;
  };
  "subscribers.retrieve": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body?: never;
    output: Subscriber;
  };
  "subscribers.update": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: SubscriberPatch;
    output: Subscriber;
  };
  "subscribers.delete": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body?: never;
    output: SubscriberDeleted;
  };
  "subscribers.replaceCredentials": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: SubscriberCredentialsIn;
    output: Subscriber;
  };
  "subscribers.appendCredentials": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: SubscriberCredentialsIn;
    output: Subscriber;
  };
  "subscribers.deleteCredentials": {
    params: {
      subscriberId: string;
      providerId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "subscribers.updateOnlineStatus": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: OnlineStatusIn;
    output: Subscriber;
  };
  "subscribers.erase": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body?: EraseIn;
    output: Erasure;
  };
  "erasures.retrieve": {
    params: {
      erasureId: string;
    };
    query?: never;
    body?: never;
    output: Erasure;
  };
  "erasures.verify": {
    params?: never;
    query?: never;
    body: ErasureVerifyIn;
    output: ErasureVerification;
  };
  "imports.list": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      kind?: ImportKind;
      status?: "waiting" | "running" | "completed" | "failed";
    };
    body?: never;
    output: ImportList;
  };
  "imports.create": {
    params?: never;
    query?: never;
    body: ImportIn;
    output: Import;
  };
  "imports.preview": {
    params?: never;
    query?: never;
    body: ImportPreviewIn;
    output: ImportPreview;
  };
  "imports.retrieve": {
    params: {
      importId: string;
    };
    query?: never;
    body?: never;
    output: Import;
  };
  "imports.listErrors": {
    params: {
      importId: string;
    };
    query?: {
      page?: number;
      limit?: number;
    };
    body?: never;
    output: ImportErrorList;
  };
  "subscribers.retrievePreferences": {
    params: {
      subscriberId: string;
    };
    query?: {
      criticality?: "critical" | "nonCritical" | "all";
      /** Exact set of `<type>:<id>` keys; one empty value means without context */
      contextKeys?: string[];
    };
    body?: never;
    output: SubscriberPreferences;
  };
  "subscribers.updatePreferences": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: PreferencesPatch;
    output: SubscriberPreferences;
  };
  "subscribers.bulkUpdatePreferences": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: PreferencesBulkIn;
    output: PreferenceEntry[];
  };
  "preferences.updateMany": {
    params?: never;
    query?: never;
    body: PreferencesOfManyIn;
    output: PreferencesOfManyResult;
  };
  "subscribers.retrieveAttention": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body?: never;
    output: SubscriberAttention;
  };
  "subscribers.updateAttention": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: AttentionPatch;
    output: SubscriberAttention;
  };
  "categories.list": {
    params?: never;
    query?: never;
    body?: never;
    output: CategoryList;
  };
  "categories.create": {
    params?: never;
    query?: never;
    body: CategoryIn;
    output: PreferenceCategory;
  };
  "categories.updateOrder": {
    params?: never;
    query?: never;
    body: CategoryOrder;
    output: CategoriesInOrder;
  };
  "categories.retrieve": {
    params: {
      /** Identifier */
      categoryId: string;
    };
    query?: never;
    body?: never;
    output: PreferenceCategory;
  };
  "categories.update": {
    params: {
      /** Identifier */
      categoryId: string;
    };
    query?: never;
    body: CategoryPatch;
    output: PreferenceCategory;
  };
  "categories.delete": {
    params: {
      /** Identifier */
      categoryId: string;
    };
    query?: {
      /** Also delete the choices of subscribers */
      force?: boolean;
    };
    body?: never;
    output: undefined;
  };
  "subscribers.match": {
    params?: never;
    query?: never;
    body: ConditionMatchIn;
    output: ConditionMatch;
  };
  "subscribers.markMessages": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: MessageMarkIn;
    output: Message[];
  };
  "subscribers.markAllMessages": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: MessageMarkAllIn;
    output: number;
  };
  "subscribers.markMessageAction": {
    params: {
      subscriberId: string;
      messageId: string;
      type: string;
    };
    query?: never;
    body: MessageActionIn;
    output: Message;
  };
  "subscribers.countUnseen": {
    params: {
      subscriberId: string;
    };
    query?: {
      /** true counts seen messages instead */
      seen?: boolean;
      /** Counting stops here */
      limit?: number;
    };
    body?: never;
    output: UnseenCount;
  };
  "subscribers.listFeed": {
    params: {
      subscriberId: string;
    };
    query?: {
      page?: number;
      limit?: number;
      read?: boolean;
      seen?: boolean;
      /** Base64 of a JSON object that the payload must contain */
      payload?: string;
    };
    body?: never;
    output: FeedPage;
  };
  "subscriberNotifications.list": {
    params: {
      subscriberId: string;
    };
    query?: {
      limit?: number;
      /** Id of the last notification of the previous page */
      after?: string;
      /** Number of notifications to skip; prefer `after` */
      offset?: number;
      /** true: only read ones; false: only unread ones */
      read?: boolean;
      /** true: only seen ones; false: only unseen ones */
      seen?: boolean;
      /** true: only archived ones; without it they are left out */
      archived?: boolean;
      /** true: only snoozed ones; without it they are left out */
      snoozed?: boolean;
      /** Created at or after this time (milliseconds) */
      createdGte?: number;
      /** Created at or before this time (milliseconds) */
      createdLte?: number;
      /** Tags of the workflow, any of them; `tags[0][]=a&tags[1][]=b` for one of each group */
      tags?: (string | string[])[];
      /** JSON object: members that `data` of the notification must have, with equal values */
      data?: string;
      /** Any of these */
      severity?: Severity[];
      /** Exact set of `<type>:<id>` keys; one empty value means without context */
      contextKeys?: string[];
    };
    body?: never;
    output: InboxNotificationPage;
  };
  "subscriberNotifications.count": {
    params: {
      subscriberId: string;
    };
    query: {
      /** JSON list of 1 to 30 filters, each with the members of `NotificationFilter` */
      filters: string;
    };
    body?: never;
    output: NotificationCount[];
  };
  "subscriberNotifications.markRead": {
    params: {
      subscriberId: string;
      /** Id of an in-app message of the subscriber */
      notificationId: string;
    };
    query?: never;
    body?: never;
    output: SubscriberNotification;
  };
  "subscriberNotifications.markUnread": {
    params: {
      subscriberId: string;
      /** Id of an in-app message of the subscriber */
      notificationId: string;
    };
    query?: never;
    body?: never;
    output: SubscriberNotification;
  };
  "subscriberNotifications.archive": {
    params: {
      subscriberId: string;
      /** Id of an in-app message of the subscriber */
      notificationId: string;
    };
    query?: never;
    body?: never;
    output: SubscriberNotification;
  };
  "subscriberNotifications.unarchive": {
    params: {
      subscriberId: string;
      /** Id of an in-app message of the subscriber */
      notificationId: string;
    };
    query?: never;
    body?: never;
    output: SubscriberNotification;
  };
  "subscriberNotifications.snooze": {
    params: {
      subscriberId: string;
      /** Id of an in-app message of the subscriber */
      notificationId: string;
    };
    query?: never;
    body: SnoozeIn;
    output: SubscriberNotification;
  };
  "subscriberNotifications.unsnooze": {
    params: {
      subscriberId: string;
      /** Id of an in-app message of the subscriber */
      notificationId: string;
    };
    query?: never;
    body?: never;
    output: SubscriberNotification;
  };
  "subscriberNotifications.completeAction": {
    params: {
      subscriberId: string;
      /** Id of an in-app message of the subscriber */
      notificationId: string;
      /** `primary` or `secondary` */
      actionType: string;
    };
    query?: never;
    body?: never;
    output: SubscriberNotification;
  };
  "subscriberNotifications.revertAction": {
    params: {
      subscriberId: string;
      /** Id of an in-app message of the subscriber */
      notificationId: string;
      /** `primary` or `secondary` */
      actionType: string;
    };
    query?: never;
    body?: never;
    output: SubscriberNotification;
  };
  "subscriberNotifications.delete": {
    params: {
      subscriberId: string;
      /** Id of an in-app message of the subscriber */
      notificationId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "subscriberNotifications.markSeen": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: NotificationsSeenIn;
    output: undefined;
  };
  "subscriberNotifications.markAllRead": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: NotificationSelection;
    output: undefined;
  };
  "subscriberNotifications.archiveAll": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: NotificationSelection;
    output: undefined;
  };
  "subscriberNotifications.archiveAllRead": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: NotificationSelection;
    output: undefined;
  };
  "subscriberNotifications.deleteAll": {
    params: {
      subscriberId: string;
    };
    query?: never;
    body: NotificationSelection;
    output: undefined;
  };
  "inbox.openSession": {
    params?: never;
    query?: never;
    body: InboxSessionIn;
    output: InboxSessionAnswer;
  };
  "inbox.createToken": {
    params?: never;
    query?: never;
    body: InboxTokenIn;
    output: InboxToken;
  };
  "inbox.listNotifications": {
    params?: never;
    query?: {
      limit?: number;
      /** Id of the last notification of the previous page */
      after?: string;
      /** Number of notifications to skip; prefer `after` */
      offset?: number;
      /** true: only read ones; false: only unread ones */
      read?: boolean;
      /** true: only seen ones; false: only unseen ones */
      seen?: boolean;
      /** true: only archived ones; without it they are left out */
      archived?: boolean;
      /** true: only snoozed ones; without it they are left out */
      snoozed?: boolean;
      /** Created at or after this time (milliseconds) */
      createdGte?: number;
      /** Created at or before this time (milliseconds) */
      createdLte?: number;
      /** Tags of the workflow, any of them; `tags[0][]=a&tags[1][]=b` for one of each group */
      tags?: (string | string[])[];
      /** JSON object: members that `data` of the notification must have, with equal values */
      data?: string;
      /** Any of these */
      severity?: Severity[];
      /** Exact set of `<type>:<id>` keys; one empty value means without context */
      contextKeys?: string[];
    };
    body?: never;
    output: InboxNotificationPage;
  };
  "inbox.countNotifications": {
    params?: never;
    query: {
      /** JSON list of 1 to 30 filters, each with the members of `NotificationFilter` */
      filters: string;
    };
    body?: never;
    output: InboxCounts;
  };
  "inbox.readNotification": {
    params: {
      /** Id of an in-app message */
      notificationId: string;
    };
    query?: never;
    body?: never;
    output: InboxNotificationAnswer;
  };
  "inbox.unreadNotification": {
    params: {
      /** Id of an in-app message */
      notificationId: string;
    };
    query?: never;
    body?: never;
    output: InboxNotificationAnswer;
  };
  "inbox.archiveNotification": {
    params: {
      /** Id of an in-app message */
      notificationId: string;
    };
    query?: never;
    body?: never;
    output: InboxNotificationAnswer;
  };
  "inbox.unarchiveNotification": {
    params: {
      /** Id of an in-app message */
      notificationId: string;
    };
    query?: never;
    body?: never;
    output: InboxNotificationAnswer;
  };
  "inbox.unsnoozeNotification": {
    params: {
      /** Id of an in-app message */
      notificationId: string;
    };
    query?: never;
    body?: never;
    output: InboxNotificationAnswer;
  };
  "inbox.snoozeNotification": {
    params: {
      /** Id of an in-app message */
      notificationId: string;
    };
    query?: never;
    body: SnoozeIn;
    output: InboxNotificationAnswer;
  };
  "inbox.completeAction": {
    params: {
      /** Id of an in-app message */
      notificationId: string;
    };
    query?: never;
    body: InboxActionIn;
    output: InboxNotificationAnswer;
  };
  "inbox.revertAction": {
    params: {
      /** Id of an in-app message */
      notificationId: string;
    };
    query?: never;
    body: InboxActionIn;
    output: InboxNotificationAnswer;
  };
  "inbox.deleteNotification": {
    params: {
      /** Id of an in-app message */
      notificationId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "inbox.seeNotifications": {
    params?: never;
    query?: never;
    body: NotificationsSeenIn;
    output: undefined;
  };
  "inbox.readAllNotifications": {
    params?: never;
    query?: never;
    body: NotificationSelection;
    output: undefined;
  };
  "inbox.archiveAllNotifications": {
    params?: never;
    query?: never;
    body: NotificationSelection;
    output: undefined;
  };
  "inbox.archiveReadNotifications": {
    params?: never;
    query?: never;
    body: NotificationSelection;
    output: undefined;
  };
  "inbox.markNotifications": {
    params?: never;
    query?: never;
    body: NotificationsMarkIn;
    output: InboxMarkAnswer;
  };
  "inbox.undoMark": {
    params?: never;
    query?: never;
    body: NotificationsUndoIn;
    output: undefined;
  };
  "inbox.deleteAllNotifications": {
    params?: never;
    query?: never;
    body: NotificationSelection;
    output: undefined;
  };
  "inbox.listPreferences": {
    params?: never;
    query?: {
      criticality?: "critical" | "nonCritical" | "all";
      /** Workflows with any of these tags */
      tags?: string[];
      /** Any of these */
      severity?: Severity[];
    };
    body?: never;
    output: InboxPreferencesAnswer;
  };
  "inbox.retrieveGlobalPreference": {
    params?: never;
    query?: never;
    body?: never;
    output: InboxPreferenceAnswer;
  };
  "inbox.updateGlobalPreference": {
    params?: never;
    query?: never;
    body: InboxGlobalPreferenceIn;
    output: InboxPreferenceAnswer;
  };
  "inbox.listCategoryPreferences": {
    params?: never;
    query?: never;
    body?: never;
    output: InboxCategoryPreferences;
  };
  "inbox.updateCategoryPreference": {
    params: {
      /** Identifier */
      categoryId: string;
    };
    query?: never;
    body: InboxCategoryPreferenceIn;
    output: InboxCategoryPreference;
  };
  "inbox.bulkUpdatePreferences": {
    params?: never;
    query?: never;
    body: InboxPreferencesBulkIn;
    output: InboxPreferencesBulkAnswer;
  };
  "inbox.updateWorkflowPreference": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: never;
    body: InboxPreferenceIn;
    output: InboxPreferenceAnswer;
  };
  "inbox.retrieveAttention": {
    params?: never;
    query?: never;
    body?: never;
    output: InboxAttention;
  };
  "inbox.updateAttention": {
    params?: never;
    query?: never;
    body: AttentionPatch;
    output: InboxAttention;
  };
  "inbox.listSubscriptions": {
    params: {
      topicKey: string;
    };
    query?: never;
    body?: never;
    output: InboxSubscriptionsAnswer;
  };
  "inbox.createSubscription": {
    params: {
      topicKey: string;
    };
    query?: never;
    body: InboxSubscriptionIn;
    output: InboxSubscriptionAnswer;
  };
  "inbox.retrieveSubscription": {
    params: {
      topicKey: string;
      /** Identifier or internal id of the subscription */
      identifier: string;
    };
    query?: {
      /** Preferences for these */
      workflowIds?: string[];
      /** Preferences for workflows with these */
      tags?: string[];
    };
    body?: never;
    output: InboxSubscriptionAnswer;
  };
  "inbox.updateSubscription": {
    params: {
      topicKey: string;
      /** Identifier or internal id of the subscription */
      identifier: string;
    };
    query?: never;
    body: SubscriptionPatch;
    output: InboxSubscriptionAnswer;
  };
  "inbox.deleteSubscription": {
    params: {
      topicKey: string;
      /** Identifier or internal id of the subscription */
      identifier: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "inbox.updateSubscriptionPreference": {
    params: {
      /** Identifier or internal id of the subscription */
      identifier: string;
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: never;
    body: InboxSubscriptionPreferenceIn;
    output: InboxSubscriptionPreferenceAnswer;
  };
  "inbox.listConnections": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      orderBy?: "createdAt" | "updatedAt" | "identifier";
      channel?: "in_app" | "email" | "sms" | "chat" | "push";
      providerId?: "emailjs" | "mailgun" | "mailjet" | "mandrill" | "nodemailer" | "postmark" | "sendgrid" | "sendinblue" | "ses" | "netcore" | "infobip-email" | "resend" | "plunk" | "mailersend" | "mailtrap" | "outlook365" | "svc-email" | "sparkpost" | "email-webhook" | "braze" | "clickatell" | "nexmo" | "plivo" | "sms77" | "sms-central" | "sns" | "telnyx" | "twilio" | "gupshup" | "firetext" | "infobip-sms" | "burst-sms" | "bulk-sms" | "isend-sms" | "forty-six-elks" | "kannel" | "maqsam" | "termii" | "africas-talking" | "svc-sms" | "sendchamp" | "generic-sms" | "clicksend" | "bandwidth" | "messagebird" | "simpletexting" | "azure-sms" | "ring-central" | "brevo-sms" | "eazy-sms" | "mobishastra" | "afro-message" | "unifonic" | "smsmode" | "imedia" | "sinch" | "isendpro-sms" | "fcm" | "apns" | "expo" | "one-signal" | "pushpad" | "push-webhook" | "pusher-beams" | "appio" | "slack" | "discord" | "msteams" | "mattermost" | "ryver" | "zulip" | "grafana-on-call" | "getstream" | "rocket-chat" | "whatsapp-business" | "chat-webhook" | "svc-slack" | "web-push" | "telegram" | "svc";
      integrationIdentifier?: string;
      /** `shared`: connections that all subscribers share, instead of the subscriber's own */
      connectionMode?: "subscriber" | "shared";
    };
    body?: never;
    output: InboxConnectionList;
  };
  "inbox.createConnection": {
    params?: never;
    query?: never;
    body: InboxConnectionIn;
    output: InboxConnectionAnswer;
  };
  "inbox.retrieveConnection": {
    params: {
      identifier: string;
    };
    query?: {
      /** `shared`: connections that all subscribers share, instead of the subscriber's own */
      connectionMode?: "subscriber" | "shared";
    };
    body?: never;
    output: InboxConnection;
  };
  "inbox.deleteConnection": {
    params: {
      identifier: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "inbox.listEndpoints": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      orderBy?: "createdAt" | "updatedAt" | "identifier";
      channel?: "in_app" | "email" | "sms" | "chat" | "push";
      providerId?: "emailjs" | "mailgun" | "mailjet" | "mandrill" | "nodemailer" | "postmark" | "sendgrid" | "sendinblue" | "ses" | "netcore" | "infobip-email" | "resend" | "plunk" | "mailersend" | "mailtrap" | "outlook365" | "svc-email" | "sparkpost" | "email-webhook" | "braze" | "clickatell" | "nexmo" | "plivo" | "sms77" | "sms-central" | "sns" | "telnyx" | "twilio" | "gupshup" | "firetext" | "infobip-sms" | "burst-sms" | "bulk-sms" | "isend-sms" | "forty-six-elks" | "kannel" | "maqsam" | "termii" | "africas-talking" | "svc-sms" | "sendchamp" | "generic-sms" | "clicksend" | "bandwidth" | "messagebird" | "simpletexting" | "azure-sms" | "ring-central" | "brevo-sms" | "eazy-sms" | "mobishastra" | "afro-message" | "unifonic" | "smsmode" | "imedia" | "sinch" | "isendpro-sms" | "fcm" | "apns" | "expo" | "one-signal" | "pushpad" | "push-webhook" | "pusher-beams" | "appio" | "slack" | "discord" | "msteams" | "mattermost" | "ryver" | "zulip" | "grafana-on-call" | "getstream" | "rocket-chat" | "whatsapp-business" | "chat-webhook" | "svc-slack" | "web-push" | "telegram" | "svc";
      integrationIdentifier?: string;
      connectionIdentifier?: string;
    };
    body?: never;
    output: InboxEndpointList;
  };
  "inbox.createEndpoint": {
    params?: never;
    query?: never;
    body: InboxEndpointIn;
    output: InboxEndpointAnswer;
  };
  "inbox.retrieveEndpoint": {
    params: {
      identifier: string;
    };
    query?: never;
    body?: never;
    output: InboxEndpointAnswer;
  };
  "inbox.deleteEndpoint": {
    params: {
      identifier: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "inbox.createConnectionOauthUrl": {
    params?: never;
    query?: never;
    body: InboxConnectOauthIn;
    output: InboxOauthAnswer;
  };
  "inbox.createEndpointOauthUrl": {
    params?: never;
    query?: never;
    body: InboxLinkOauthIn;
    output: InboxOauthAnswer;
  };
  "inbox.createChatOauthUrl": {
    params?: never;
    query?: never;
    body: InboxChatOauthIn;
    output: InboxOauthAnswer;
  };
  "inbox.linkEndpoint": {
    params?: never;
    query?: never;
    body: InboxLinkIn;
    output: InboxLinkAnswer;
  };
  "inbox.retrieveWebPush": {
    params?: never;
    query?: never;
    body?: never;
    output: InboxWebPushAnswer;
  };
  "inbox.subscribeWebPush": {
    params?: never;
    query?: never;
    body: InboxPushSubscriptionIn;
    output: InboxWebPushAnswer;
  };
  "inbox.unsubscribeWebPush": {
    params: {
      /** Hex SHA-256 of the `endpoint` of a PushSubscription */
      endpointHash: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "topics.list": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      orderBy?: "createdAt" | "updatedAt";
      /** Exact */
      key?: string;
      /** Part of the name, ignoring case */
      name?: string;
    };
    body?: never;
    output: TopicList;
  };
  "topics.create": {
    params?: never;
    query?: {
      failIfExists?: boolean;
    };
    body: TopicIn;
    output: Topic;
  };
  "topics.retrieve": {
    params: {
      topicKey: string;
    };
    query?: never;
    body?: never;
    output: Topic;
  };
  "topics.update": {
    params: {
      topicKey: string;
    };
    query?: never;
    body: TopicPatch;
    output: Topic;
  };
  "topics.delete": {
    params: {
      topicKey: string;
    };
    query?: never;
    body?: never;
    output: TopicDeleted;
  };
  "topics.retrieveSubscriber": {
    params: {
      topicKey: string;
      externalSubscriberId: string;
    };
    query?: never;
    body?: never;
    output: TopicSubscriber;
  };
  "topicSubscriptions.list": {
    params: {
      topicKey: string;
    };
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      orderBy?: "createdAt" | "updatedAt" | "identifier";
      /** Exact */
      subscriberId?: string;
      /** Exact set of `<type>:<id>` keys; one empty value means without context */
      contextKeys?: string[];
    };
    body?: never;
    output: TopicSubscriptionList;
  };
  "topicSubscriptions.create": {
    params: {
      topicKey: string;
    };
    query?: never;
    body: SubscriptionsIn;
    output: SubscriptionsCreated;
  };
  "topicSubscriptions.delete": {
    params: {
      topicKey: string;
    };
    query?: never;
    body: SubscriptionsDelete;
    output: SubscriptionsDeleted;
  };
  "topicSubscriptions.retrieve": {
    params: {
      topicKey: string;
      /** Identifier or internal id of the subscription */
      identifier: string;
    };
    query?: never;
    body?: never;
    output: SubscriptionDetails;
  };
  "topicSubscriptions.update": {
    params: {
      topicKey: string;
      /** Identifier or internal id of the subscription */
      identifier: string;
    };
    query?: never;
    body: SubscriptionPatch;
    output: Subscription;
  };
  "subscribers.listSubscriptions": {
    params: {
      subscriberId: string;
    };
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      orderBy?: "createdAt" | "updatedAt" | "identifier";
      /** Topic key, exact */
      key?: string;
      /** Exact set of `<type>:<id>` keys; one empty value means without context */
      contextKeys?: string[];
    };
    body?: never;
    output: TopicSubscriptionList;
  };
  "contexts.list": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      orderBy?: "createdAt" | "updatedAt";
      /** Exact */
      type?: string;
      /** Exact */
      id?: string;
      /** Part of the type or the id */
      search?: string;
    };
    body?: never;
    output: ContextList;
  };
  "contexts.create": {
    params?: never;
    query?: never;
    body: ContextIn;
    output: Context;
  };
  "contexts.retrieve": {
    params: {
      type: string;
      id: string;
    };
    query?: never;
    body?: never;
    output: Context;
  };
  "contexts.update": {
    params: {
      type: string;
      id: string;
    };
    query?: never;
    body: ContextPatch;
    output: Context;
  };
  "contexts.delete": {
    params: {
      type: string;
      id: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "integrations.list": {
    params?: never;
    query?: never;
    body?: never;
    output: Integration[];
  };
  "integrations.create": {
    params?: never;
    query?: never;
    body: IntegrationIn;
    output: Integration;
  };
  "integrations.update": {
    params: {
      /** Internal id or identifier */
      integrationId: string;
    };
    query?: never;
    body: IntegrationPatch;
    output: Integration;
  };
  "integrations.delete": {
    params: {
      /** Internal id or identifier */
      integrationId: string;
    };
    query?: never;
    body?: never;
    output: Integration[];
  };
  "integrations.listActive": {
    params?: never;
    query?: never;
    body?: never;
    output: Integration[];
  };
  "integrations.setPrimary": {
    params: {
      /** Internal id or identifier */
      integrationId: string;
    };
    query?: never;
    body?: never;
    output: Integration;
  };
  "integrations.tryNow": {
    params: {
      /** Internal id or identifier */
      integrationId: string;
    };
    query?: never;
    body?: never;
    output: Integration;
  };
  "integrations.createChatOauthUrl": {
    params?: never;
    query?: never;
    body: ChatOauthIn;
    output: ChatOauthUrl;
  };
  "integrations.autoConfigure": {
    params: {
      /** Internal id or identifier */
      integrationId: string;
    };
    query?: never;
    body?: never;
    output: IntegrationAutoConfigured;
  };
  "providers.list": {
    params?: never;
    query?: {
      channel?: Channel;
    };
    body?: never;
    output: Provider[];
  };
  "channelConnections.list": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      orderBy?: "createdAt" | "updatedAt" | "identifier";
      subscriberId?: string;
      /** Exact set of `<type>:<id>` keys; one empty value means without context */
      contextKeys?: string[];
      channel?: "in_app" | "email" | "sms" | "chat" | "push";
      providerId?: "emailjs" | "mailgun" | "mailjet" | "mandrill" | "nodemailer" | "postmark" | "sendgrid" | "sendinblue" | "ses" | "netcore" | "infobip-email" | "resend" | "plunk" | "mailersend" | "mailtrap" | "outlook365" | "svc-email" | "sparkpost" | "email-webhook" | "braze" | "clickatell" | "nexmo" | "plivo" | "sms77" | "sms-central" | "sns" | "telnyx" | "twilio" | "gupshup" | "firetext" | "infobip-sms" | "burst-sms" | "bulk-sms" | "isend-sms" | "forty-six-elks" | "kannel" | "maqsam" | "termii" | "africas-talking" | "svc-sms" | "sendchamp" | "generic-sms" | "clicksend" | "bandwidth" | "messagebird" | "simpletexting" | "azure-sms" | "ring-central" | "brevo-sms" | "eazy-sms" | "mobishastra" | "afro-message" | "unifonic" | "smsmode" | "imedia" | "sinch" | "isendpro-sms" | "fcm" | "apns" | "expo" | "one-signal" | "pushpad" | "push-webhook" | "pusher-beams" | "appio" | "slack" | "discord" | "msteams" | "mattermost" | "ryver" | "zulip" | "grafana-on-call" | "getstream" | "rocket-chat" | "whatsapp-business" | "chat-webhook" | "svc-slack" | "web-push" | "telegram" | "svc";
      integrationIdentifier?: string;
    };
    body?: never;
    output: ChannelConnectionList;
  };
  "channelConnections.create": {
    params?: never;
    query?: never;
    body: ChannelConnectionIn;
    output: ChannelConnection;
  };
  "channelConnections.retrieve": {
    params: {
      identifier: string;
    };
    query?: never;
    body?: never;
    output: ChannelConnection;
  };
  "channelConnections.update": {
    params: {
      identifier: string;
    };
    query?: never;
    body: ChannelConnectionPatch;
    output: ChannelConnection;
  };
  "channelConnections.delete": {
    params: {
      identifier: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "channelEndpoints.list": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      orderBy?: "createdAt" | "updatedAt" | "identifier";
      subscriberId?: string;
      /** Exact set of `<type>:<id>` keys; one empty value means without context */
      contextKeys?: string[];
      channel?: "in_app" | "email" | "sms" | "chat" | "push";
      providerId?: "emailjs" | "mailgun" | "mailjet" | "mandrill" | "nodemailer" | "postmark" | "sendgrid" | "sendinblue" | "ses" | "netcore" | "infobip-email" | "resend" | "plunk" | "mailersend" | "mailtrap" | "outlook365" | "svc-email" | "sparkpost" | "email-webhook" | "braze" | "clickatell" | "nexmo" | "plivo" | "sms77" | "sms-central" | "sns" | "telnyx" | "twilio" | "gupshup" | "firetext" | "infobip-sms" | "burst-sms" | "bulk-sms" | "isend-sms" | "forty-six-elks" | "kannel" | "maqsam" | "termii" | "africas-talking" | "svc-sms" | "sendchamp" | "generic-sms" | "clicksend" | "bandwidth" | "messagebird" | "simpletexting" | "azure-sms" | "ring-central" | "brevo-sms" | "eazy-sms" | "mobishastra" | "afro-message" | "unifonic" | "smsmode" | "imedia" | "sinch" | "isendpro-sms" | "fcm" | "apns" | "expo" | "one-signal" | "pushpad" | "push-webhook" | "pusher-beams" | "appio" | "slack" | "discord" | "msteams" | "mattermost" | "ryver" | "zulip" | "grafana-on-call" | "getstream" | "rocket-chat" | "whatsapp-business" | "chat-webhook" | "svc-slack" | "web-push" | "telegram" | "svc";
      integrationIdentifier?: string;
      connectionIdentifier?: string;
    };
    body?: never;
    output: ChannelEndpointList;
  };
  "channelEndpoints.create": {
    params?: never;
    query?: never;
    body: ChannelEndpointIn;
    output: ChannelEndpoint;
  };
  "channelEndpoints.retrieve": {
    params: {
      identifier: string;
    };
    query?: never;
    body?: never;
    output: ChannelEndpoint;
  };
  "channelEndpoints.update": {
    params: {
      identifier: string;
    };
    query?: never;
    body: ChannelEndpointPatch;
    output: ChannelEndpoint;
  };
  "channelEndpoints.delete": {
    params: {
      identifier: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "environments.list": {
    params?: never;
    query?: never;
    body?: never;
    output: Environment[];
  };
  "environments.create": {
    params?: never;
    query?: never;
    body: EnvironmentIn;
    output: Environment;
  };
  "environments.update": {
    params: {
      /** Id or identifier */
      environmentId: string;
    };
    query?: never;
    body: EnvironmentUpdate;
    output: Environment;
  };
  "environments.delete": {
    params: {
      /** Id or identifier */
      environmentId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "environments.listTags": {
    params: {
      /** Id or identifier */
      environmentId: string;
    };
    query?: never;
    body?: never;
    output: EnvironmentTag[];
  };
  "environments.retrieveClock": {
    params: {
      /** Id or identifier */
      environmentId: string;
    };
    query?: never;
    body?: never;
    output: EnvironmentClock;
  };
  "environments.updateClock": {
    params: {
      /** Id or identifier */
      environmentId: string;
    };
    query?: never;
    body: EnvironmentClockIn;
    output: EnvironmentClock;
  };
  "environments.createApiKey": {
    params: {
      /** Id or identifier */
      environmentId: string;
    };
    query?: never;
    body?: NewApiKey;
    output: ApiKey;
  };
  "environments.updateApiKey": {
    params: {
      /** Id or identifier */
      environmentId: string;
      /** `_id` of the key in environments.list */
      keyId: string;
    };
    query?: never;
    body: UpdateApiKeyIn;
    output: ApiKey;
  };
  "environments.revokeApiKey": {
    params: {
      /** Id or identifier */
      environmentId: string;
      /** `_id` of the key in environments.list */
      keyId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "environmentVariables.list": {
    params?: never;
    query?: {
      /** Part of the key, in capitals or not */
      search?: string;
    };
    body?: never;
    output: EnvironmentVariable[];
  };
  "environmentVariables.create": {
    params?: never;
    query?: never;
    body: EnvironmentVariableIn;
    output: EnvironmentVariable;
  };
  "environmentVariables.retrieve": {
    params: {
      variableKey: string;
    };
    query?: never;
    body?: never;
    output: EnvironmentVariable;
  };
  "environmentVariables.update": {
    params: {
      variableKey: string;
    };
    query?: never;
    body: EnvironmentVariablePatch;
    output: EnvironmentVariable;
  };
  "environmentVariables.delete": {
    params: {
      variableKey: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "environmentVariables.usage": {
    params: {
      variableKey: string;
    };
    query?: never;
    body?: never;
    output: EnvironmentVariableUsage;
  };
  "environments.retrieveTimeline": {
    params: {
      /** Id or identifier */
      environmentId: string;
    };
    query?: {
      /** `next` of the previous page: what is waiting after it */
      after?: string;
      /** Entries in each of the two lists */
      limit?: number;
    };
    body?: never;
    output: EnvironmentTimeline;
  };
  "retention.retrieve": {
    params: {
      /** Id or identifier */
      environmentId: string;
    };
    query?: never;
    body?: never;
    output: Retention;
  };
  "retention.update": {
    params: {
      /** Id or identifier */
      environmentId: string;
    };
    query?: never;
    body: RetentionIn;
    output: Retention;
  };
  "retention.preview": {
    params: {
      /** Id or identifier */
      environmentId: string;
    };
    query?: never;
    body: RetentionPreviewIn;
    output: RetentionPreview;
  };
  "environments.diff": {
    params: {
      /** Id or identifier */
      targetEnvironmentId: string;
    };
    query?: never;
    body: EnvironmentDiffIn;
    output: EnvironmentDiff;
  };
  "environments.publish": {
    params: {
      /** Id or identifier */
      targetEnvironmentId: string;
    };
    query?: never;
    body: EnvironmentPublishIn;
    output: EnvironmentPublish;
  };
  "environments.listPublishes": {
    params: {
      /** Id or identifier of the target */
      environmentId: string;
    };
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
    };
    body?: never;
    output: PublishList;
  };
  "environments.retrievePublish": {
    params: {
      /** Id or identifier of the target */
      environmentId: string;
      publishId: string;
    };
    query?: never;
    body?: never;
    output: Publish;
  };
  "environments.planRestore": {
    params: {
      /** Id or identifier of the target */
      environmentId: string;
      publishId: string;
    };
    query?: never;
    body?: never;
    output: RestorePlan;
  };
  "environments.restorePublish": {
    params: {
      /** Id or identifier of the target */
      environmentId: string;
      publishId: string;
    };
    query?: never;
    body: PublishRestoreIn;
    output: PublishRestore;
  };
  "webhooks.list": {
    params?: never;
    query?: never;
    body?: never;
    output: Webhook[];
  };
  "webhooks.create": {
    params?: never;
    query?: never;
    body: WebhookIn;
    output: WebhookWithSecret;
  };
  "webhooks.retrieve": {
    params: {
      webhookId: string;
    };
    query?: never;
    body?: never;
    output: Webhook;
  };
  "webhooks.update": {
    params: {
      webhookId: string;
    };
    query?: never;
    body: WebhookPatch;
    output: Webhook;
  };
  "webhooks.delete": {
    params: {
      webhookId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "webhooks.rotateSecret": {
    params: {
      webhookId: string;
    };
    query?: never;
    body?: never;
    output: WebhookWithSecret;
  };
  "webhooks.listDeliveries": {
    params: {
      webhookId: string;
    };
    query?: {
      page?: number;
      limit?: number;
      status?: WebhookDeliveryStatus;
    };
    body?: never;
    output: WebhookDeliveryPage;
  };
  "webhooks.retrieveDelivery": {
    params: {
      webhookId: string;
      deliveryId: string;
    };
    query?: never;
    body?: never;
    output: WebhookDeliveryWithRequest;
  };
  "webhooks.test": {
    params: {
      webhookId: string;
    };
    query?: never;
    body?: never;
    output: WebhookDelivery;
  };
  "webhooks.replay": {
    params: {
      webhookId: string;
    };
    query?: never;
    body: WebhookReplayIn;
    output: WebhookReplayed;
  };
  "sources.list": {
    params?: never;
    query?: never;
    body?: never;
    output: Source[];
  };
  "sources.create": {
    params?: never;
    query?: never;
    body: SourceIn;
    output: Source;
  };
  "sources.retrieve": {
    params: {
      sourceId: string;
    };
    query?: never;
    body?: never;
    output: Source;
  };
  "sources.update": {
    params: {
      sourceId: string;
    };
    query?: never;
    body: SourcePatch;
    output: Source;
  };
  "sources.delete": {
    params: {
      sourceId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "sources.check": {
    params: {
      sourceId: string;
    };
    query?: never;
    body?: never;
    output: SourceCheck;
  };
  "inboundWebhooks.receive": {
    params: {
      environmentId: string;
      integrationId: string;
    };
    query?: never;
    body: unknown;
    output: InboundReceipt[];
  };
  "inboundWebhooks.receiveByGet": {
    params: {
      environmentId: string;
      integrationId: string;
    };
    query?: Record<string, string>;
    body?: never;
    output: InboundReceipt[];
  };
  "inboundReceipts.list": {
    params?: never;
    query?: {
      page?: number;
      limit?: number;
      /** Identifier or id of an integration */
      integrationIdentifier?: string;
      /** applied: it took effect; duplicate: the same report arrived before; waiting: its message is not known yet or is being sent; ignored: the request contains no report; refused: see `reason` */
      result?: InboundResult;
    };
    body?: never;
    output: StoredReceiptList;
  };
  "suppressions.list": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      channel?: SuppressedChannel;
      /** In any spelling */
      address?: string;
      reason?: "bounce" | "complaint" | "manual";
    };
    body?: never;
    output: SuppressionList;
  };
  "suppressions.create": {
    params?: never;
    query?: never;
    body: SuppressionIn;
    output: Suppression;
  };
  "suppressions.delete": {
    params: {
      suppressionId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "captured.list": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      channel?: Channel;
      transactionId?: string;
      subscriberId?: string;
      /** Part of the subject, the text, the subscriberId, the transaction id, an email address or a phone number, in any letter case; among the newest 2,000 of the other filters */
      search?: string;
      /** `summary`, for lists that are read often: without `html` and headers, `links` is empty, and `text` is its first 300 characters */
      content?: "full" | "summary";
    };
    body?: never;
    output: CapturedList;
  };
  "captured.delete": {
    params?: never;
    query?: {
      channel?: Channel;
      transactionId?: string;
      subscriberId?: string;
    };
    body?: never;
    output: CapturedDeleted;
  };
  "captured.retrieve": {
    params: {
      id: string;
    };
    query?: never;
    body?: never;
    output: CapturedMessage;
  };
  "captured.deleteOne": {
    params: {
      id: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "captured.retrieveAttachment": {
    params: {
      id: string;
      /** Index in the captured mail's `attachments`, from 0 */
      index: string;
    };
    query?: never;
    body?: never;
    output: CapturedFile;
  };
  "deadLetters.listGroups": {
    params?: never;
    query?: never;
    body?: never;
    output: DeadLetterGroupList;
  };
  "deadLetters.list": {
    params?: never;
    query?: {
      page?: number;
      limit?: number;
      status?: "open" | "replayed" | "resolved";
      channel?: Channel;
      providerId?: string;
      transactionId?: string;
      /** Identifier or internal id */
      workflowId?: string;
      integrationIdentifier?: string;
      /** transient: the provider was unavailable or overloaded; unknown: it never responded; the others: the integration */
      errorClass?: "transient" | "unknown" | "auth" | "quota" | "config";
      /** Given up after this time */
      after?: string;
      /** Given up before this time */
      before?: string;
    };
    body?: never;
    output: DeadLetterList;
  };
  "deadLetters.replay": {
    params: {
      id: string;
    };
    query?: never;
    body?: never;
    output: DeadLetter;
  };
  "deadLetters.replayMany": {
    params?: never;
    query?: never;
    body: DeadLetterReplayIn;
    output: DeadLetterReplay;
  };
  "attention.retrieve": {
    params?: never;
    query?: never;
    body?: never;
    output: Attention;
  };
  "attention.update": {
    params?: never;
    query?: never;
    body: AttentionIn;
    output: Attention;
  };
  "attention.forecast": {
    params?: never;
    query?: never;
    body: AttentionForecastIn;
    output: AttentionForecast;
  };
  "deadLetterReplays.preview": {
    params?: never;
    query?: never;
    body: DeadLetterReplayPreviewIn;
    output: DeadLetterReplayPreview;
  };
  "deadLetterReplays.create": {
    params?: never;
    query?: never;
    body: DeadLetterReplayCreateIn;
    output: DeadLetterReplayJob;
  };
  "deadLetterReplays.list": {
    params?: never;
    query?: {
      page?: number;
      limit?: number;
      status?: DeadLetterReplayStatus;
    };
    body?: never;
    output: DeadLetterReplayList;
  };
  "deadLetterReplays.retrieve": {
    params: {
      replayId: string;
    };
    query?: never;
    body?: never;
    output: DeadLetterReplayJob;
  };
  "deadLetterReplays.pause": {
    params: {
      replayId: string;
    };
    query?: never;
    body?: never;
    output: DeadLetterReplayJob;
  };
  "deadLetterReplays.resume": {
    params: {
      replayId: string;
    };
    query?: never;
    body?: never;
    output: DeadLetterReplayJob;
  };
  "deadLetterReplays.stop": {
    params: {
      replayId: string;
    };
    query?: never;
    body?: never;
    output: DeadLetterReplayJob;
  };
  "failedTasks.list": {
    params?: never;
    query?: {
      page?: number;
      limit?: number;
      status?: "open" | "replayed";
    };
    body?: never;
    output: FailedTaskList;
  };
  "failedTasks.replay": {
    params: {
      id: string;
    };
    query?: never;
    body?: never;
    output: FailedTask;
  };
  "alertRules.list": {
    params?: never;
    query?: never;
    body?: never;
    output: AlertRule[];
  };
  "alertRules.create": {
    params?: never;
    query?: never;
    body: AlertRuleIn;
    output: AlertRule;
  };
  "alertRules.retrieve": {
    params: {
      ruleId: string;
    };
    query?: never;
    body?: never;
    output: AlertRule;
  };
  "alertRules.update": {
    params: {
      ruleId: string;
    };
    query?: never;
    body: AlertRulePatch;
    output: AlertRule;
  };
  "alertRules.delete": {
    params: {
      ruleId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "alertRules.test": {
    params: {
      ruleId: string;
    };
    query?: never;
    body?: never;
    output: AlertTargetTest[];
  };
  "alerts.list": {
    params?: never;
    query?: {
      page?: number;
      limit?: number;
      status?: AlertStatus;
      kind?: "dead_letters" | "integration_failing" | "queue_age" | "webhook_failing" | "source_failing" | "storage" | "workflow_objective" | "workflow_runaway";
      ruleId?: string;
      subjectType?: "integration" | "workflow" | "webhook" | "source" | "queue" | "environment" | "installation";
      subjectId?: string;
    };
    body?: never;
    output: AlertPage;
  };
  "alerts.acknowledge": {
    params: {
      alertId: string;
    };
    query?: never;
    body?: never;
    output: Alert;
  };
  "auth.methods": {
    params?: never;
    query?: never;
    body?: never;
    output: AuthMethodsAnswer;
  };
  "auth.retrieveSession": {
    params?: never;
    query?: never;
    body?: never;
    output: SignedInAnswer;
  };
  "auth.signIn": {
    params?: never;
    query?: never;
    body: SignInIn;
    output: SignedInAnswer;
  };
  "auth.checkLink": {
    params?: never;
    query?: never;
    body: LinkCheckIn;
    output: LinkCheckAnswer;
  };
  "auth.redeemLink": {
    params?: never;
    query?: never;
    body: LinkIn;
    output: SignedInAnswer;
  };
  "auth.signOut": {
    params?: never;
    query?: never;
    body?: never;
    output: undefined;
  };
  "auth.signOutEverywhere": {
    params?: never;
    query?: never;
    body?: never;
    output: undefined;
  };
  "auth.updatePerson": {
    params?: never;
    query?: never;
    body: OwnPersonIn;
    output: SignedInAnswer;
  };
  "people.list": {
    params?: never;
    query?: never;
    body?: never;
    output: PersonList;
  };
  "people.update": {
    params: {
      personId: string;
    };
    query?: never;
    body: PersonUpdate;
    output: PersonAnswer;
  };
  "people.delete": {
    params: {
      personId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "people.createResetLink": {
    params: {
      personId: string;
    };
    query?: never;
    body?: never;
    output: ResetLinkAnswer;
  };
  "people.listResetLinks": {
    params?: never;
    query?: never;
    body?: never;
    output: ResetLinkList;
  };
  "people.deleteResetLink": {
    params: {
      resetLinkId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "people.listInvitations": {
    params?: never;
    query?: never;
    body?: never;
    output: InvitationList;
  };
  "people.createInvitation": {
    params?: never;
    query?: never;
    body: InvitationIn;
    output: InvitationAnswer;
  };
  "people.deleteInvitation": {
    params: {
      invitationId: string;
    };
    query?: never;
    body?: never;
    output: undefined;
  };
  "auditLog.list": {
    params?: never;
    query?: {
      /** Items behind this cursor */
      after?: string;
      /** Items ahead of this cursor; not together with `after` */
      before?: string;
      limit?: number;
      orderDirection?: "ASC" | "DESC";
      /** Include the cursor's own item */
      includeCursor?: boolean;
      /** Id of a member */
      person?: string;
      /** Operation id, or the resource before its dot */
      operation?: string;
      /** Id of an environment */
      environment?: string;
      /** Id of a subscriber whom the change is about */
      subscriber?: string;
      /** Not before this time */
      from?: string;
      /** Before this time */
      to?: string;
    };
    body?: never;
    output: AuditEntryList;
  };
  "auditLog.export": {
    params?: never;
    query?: {
      /** Id of a member */
      person?: string;
      /** Operation id, or the resource before its dot */
      operation?: string;
      /** Id of an environment */
      environment?: string;
      /** Id of a subscriber whom the change is about */
      subscriber?: string;
      /** Not before this time */
      from?: string;
      /** Before this time */
      to?: string;
      /** `json`: one entry per line */
      format?: "csv" | "json";
      /** `next` of the previous part */
      after?: string;
    };
    body?: never;
    output: AuditExport;
  };
  "workflows.retrieveInFlight": {
    params: {
      /** Internal id, identifier or slug */
      workflowId: string;
    };
    query?: never;
    body?: never;
    output: InFlight;
  };
  "system.retrieve": {
    params?: never;
    query?: never;
    body?: never;
    output: SystemState;
  };
};

type CallOptions = {
  /** A value of undefined removes a header, including `authorization`. */
  headers?: Record<string, string | undefined>;
  signal?: AbortSignal;
  /** Milliseconds that one try may take; 0 for no limit. */
  timeout?: number;
};

export type OperationId = keyof Operations;

/** What a caller gives: `CallInput<"events.trigger">["body"]` is an event. */
export type CallInput<Id extends OperationId> = Omit<Operations[Id], "output"> & CallOptions;

/** The arguments after the operation's id: optional where every part is. */
export type CallArguments<Id extends OperationId> =
  Record<never, never> extends CallInput<Id> ? [input?: CallInput<Id>] : [input: CallInput<Id>];

/** The body of a successful response: `Output<"subscribers.retrieve">` is a subscriber. */
export type Output<Id extends OperationId> = Operations[Id]["output"];

/** Operations as methods. */
export type Resources = {
  readonly events: {
    /** Trigger an event. `POST /v1/events/trigger` */
    readonly trigger: (...input: CallArguments<"events.trigger">) => Promise<Output<"events.trigger">>;
    /** Trigger up to 100 events. Returns one item per event, in request order. `processed` means stored: nothing is lost after it. `POST /v1/events/trigger/bulk` */
    readonly triggerBulk: (...input: CallArguments<"events.triggerBulk">) => Promise<Output<"events.triggerBulk">>;
    /** Trigger an event for every subscriber. Notifies everyone who is a subscriber of the environment when the event is processed, in the background. `POST /v1/events/trigger/broadcast` */
    readonly broadcast: (...input: CallArguments<"events.broadcast">) => Promise<Output<"events.broadcast">>;
    /** Cancel the waiting steps of an event. Returns `true` if something was canceled, `false` if nothing was waiting. `DELETE /v1/events/trigger/{transactionId}` */
    readonly cancel: (...input: CallArguments<"events.cancel">) => Promise<Output<"events.cancel">>;
  };
  readonly explain: {
    /** Explain what an event did for one subscriber. Every decision from the event to the provider, even for a subscriber whom it did not reach. See docs/explain.md. `GET /v2/explain` */
    readonly retrieve: (...input: CallArguments<"explain.retrieve">) => Promise<Output<"explain.retrieve">>;
    /** Show what an event would do. Accepts what `events.trigger` accepts, or an unsaved definition as `workflow` instead of `name`, and returns who would get what, when and through which provider, and who would not and why. Nothing is sent or written: it runs in a read-only transaction, so idempotency keys have no effect. Providers are assumed to accept every message. See docs/explain.md. `POST /v2/explain` */
    readonly dryRun: (...input: CallArguments<"explain.dryRun">) => Promise<Output<"explain.dryRun">>;
    /** Count who would take which arm. Simulates an unsaved workflow for the newest 200 subscribers, as a dry run does, and counts how many take each arm of its branches and are in each variant of its experiments. Nothing is sent or written. `POST /v2/explain/arms` */
    readonly sampleArms: (...input: CallArguments<"explain.sampleArms">) => Promise<Output<"explain.sampleArms">>;
  };
  readonly retractions: {
    /** Retract an event. Cancels what waits, removes in-app messages, and edits or deletes what providers can edit or delete; docs/retract.md has the end state for every channel. Works in the background: `retractions.retrieve` returns the progress. Returns 201, or 200 with the retraction of the same event that exists already. `POST /v2/retractions` */
    readonly create: (...input: CallArguments<"retractions.create">) => Promise<Output<"retractions.create">>;
    /** Count what a retraction would do. `POST /v2/retractions/preview` */
    readonly preview: (...input: CallArguments<"retractions.preview">) => Promise<Output<"retractions.preview">>;
    /** List retractions, newest first. `GET /v2/retractions` */
    readonly list: (...input: CallArguments<"retractions.list">) => Promise<Output<"retractions.list">>;
    /** Retrieve a retraction with its progress. `GET /v2/retractions/{retractionId}` */
    readonly retrieve: (...input: CallArguments<"retractions.retrieve">) => Promise<Output<"retractions.retrieve">>;
  };
  readonly audiences: {
    /** List audiences. `GET /v2/audiences` */
    readonly list: (...input: CallArguments<"audiences.list">) => Promise<Output<"audiences.list">>;
    /** Create an audience. With `rule`, the audience follows the rule. Without one, it is a fixed list, empty at first. `POST /v2/audiences` */
    readonly create: (...input: CallArguments<"audiences.create">) => Promise<Output<"audiences.create">>;
    /** Count the people of a rule that is not saved, with its cost. `POST /v2/audiences/preview` */
    readonly preview: (...input: CallArguments<"audiences.preview">) => Promise<Output<"audiences.preview">>;
    /** Retrieve an audience. `GET /v2/audiences/{audienceId}` */
    readonly retrieve: (...input: CallArguments<"audiences.retrieve">) => Promise<Output<"audiences.retrieve">>;
    /** Change an audience. A rule cannot become a fixed list, nor a fixed list a rule. `PATCH /v2/audiences/{audienceId}` */
    readonly update: (...input: CallArguments<"audiences.update">) => Promise<Output<"audiences.update">>;
    /** Delete an audience. Refused while another audience, a workflow or a broadcast that is not finished uses it. `DELETE /v2/audiences/{audienceId}` */
    readonly delete: (...input: CallArguments<"audiences.delete">) => Promise<Output<"audiences.delete">>;
    /** Count the people of an audience. `GET /v2/audiences/{audienceId}/count` */
    readonly count: (...input: CallArguments<"audiences.count">) => Promise<Output<"audiences.count">>;
    /** List the people of an audience. `GET /v2/audiences/{audienceId}/people` */
    readonly listPeople: (...input: CallArguments<"audiences.listPeople">) => Promise<Output<"audiences.listPeople">>;
    /** Explain why a subscriber is in an audience, or why not. `GET /v2/audiences/{audienceId}/people/{subscriberId}` */
    readonly explain: (...input: CallArguments<"audiences.explain">) => Promise<Output<"audiences.explain">>;
    /** Add subscribers to a fixed audience. `POST /v2/audiences/{audienceId}/members` */
    readonly addMembers: (...input: CallArguments<"audiences.addMembers">) => Promise<Output<"audiences.addMembers">>;
    /** Remove subscribers from a fixed audience. `DELETE /v2/audiences/{audienceId}/members` */
    readonly removeMembers: (...input: CallArguments<"audiences.removeMembers">) => Promise<Output<"audiences.removeMembers">>;
    /** Keep the people of an audience as a fixed audience. The new audience has everyone who is in this one now, and does not change with it. `POST /v2/audiences/{audienceId}/snapshot` */
    readonly snapshot: (...input: CallArguments<"audiences.snapshot">) => Promise<Output<"audiences.snapshot">>;
  };
  readonly broadcasts: {
    /** List broadcasts, newest first. `GET /v2/broadcasts` */
    readonly list: (...input: CallArguments<"broadcasts.list">) => Promise<Output<"broadcasts.list">>;
    /** Create a draft of a broadcast. Nothing is sent. A draft may be incomplete; `broadcasts.check` lists what is missing. `POST /v2/broadcasts` */
    readonly create: (...input: CallArguments<"broadcasts.create">) => Promise<Output<"broadcasts.create">>;
    /** Retrieve a broadcast with its progress. `GET /v2/broadcasts/{broadcastId}` */
    readonly retrieve: (...input: CallArguments<"broadcasts.retrieve">) => Promise<Output<"broadcasts.retrieve">>;
    /** Change a draft. Only drafts can be changed. Each field that is given replaces the stored one. `PATCH /v2/broadcasts/{broadcastId}` */
    readonly update: (...input: CallArguments<"broadcasts.update">) => Promise<Output<"broadcasts.update">>;
    /** Delete a broadcast. Refused while it is scheduled, running or paused: stop it first. What it sent stays in the activity. `DELETE /v2/broadcasts/{broadcastId}` */
    readonly delete: (...input: CallArguments<"broadcasts.delete">) => Promise<Output<"broadcasts.delete">>;
    /** Send a broadcast, or ask for its approval. The version of the workflow is fixed. Where the environment asks for approval, the status becomes `awaiting_approval`; otherwise the broadcast starts at its time. The people are those in the audience when it starts. `POST /v2/broadcasts/{broadcastId}/send` */
    readonly send: (...input: CallArguments<"broadcasts.send">) => Promise<Output<"broadcasts.send">>;
    /** Approve a broadcast. By an owner who is not the person who sent it for approval. It then starts at its time. With `revision`, it is approved only if it is still what was read. `POST /v2/broadcasts/{broadcastId}/approve` */
    readonly approve: (...input: CallArguments<"broadcasts.approve">) => Promise<Output<"broadcasts.approve">>;
    /** Return a broadcast to its author. It is a draft again. The person who sent it for approval can take it back in this way too. `POST /v2/broadcasts/{broadcastId}/reject` */
    readonly reject: (...input: CallArguments<"broadcasts.reject">) => Promise<Output<"broadcasts.reject">>;
    /** Pause a broadcast. Nobody is started after the response. People whose run has started get their messages. Pausing twice is harmless. `POST /v2/broadcasts/{broadcastId}/pause` */
    readonly pause: (...input: CallArguments<"broadcasts.pause">) => Promise<Output<"broadcasts.pause">>;
    /** Resume a paused broadcast. Continues with the people who were not started. Times that have passed in between are made up for at the same pace. `POST /v2/broadcasts/{broadcastId}/resume` */
    readonly resume: (...input: CallArguments<"broadcasts.resume">) => Promise<Output<"broadcasts.resume">>;
    /** Stop a broadcast for good. Nobody is started after the response. What was sent can be retracted with `retractions.create` and its transaction id. `POST /v2/broadcasts/{broadcastId}/stop` */
    readonly stop: (...input: CallArguments<"broadcasts.stop">) => Promise<Output<"broadcasts.stop">>;
    /** Check a draft by a dry run for its whole audience. Works in the background; `broadcasts.retrieveCheck` returns the progress. Nothing is sent. `POST /v2/broadcasts/{broadcastId}/check` */
    readonly check: (...input: CallArguments<"broadcasts.check">) => Promise<Output<"broadcasts.check">>;
    /** Retrieve the checklist of a broadcast. `GET /v2/broadcasts/{broadcastId}/check` */
    readonly retrieveCheck: (...input: CallArguments<"broadcasts.retrieveCheck">) => Promise<Output<"broadcasts.retrieveCheck">>;
    /** Preview a broadcast for sampled or named people. `POST /v2/broadcasts/{broadcastId}/preview` */
    readonly preview: (...input: CallArguments<"broadcasts.preview">) => Promise<Output<"broadcasts.preview">>;
    /** Send a draft to named people. Messages are really sent. Delays and quiet hours end at once. The events are marked with `isTest`. `POST /v2/broadcasts/{broadcastId}/test` */
    readonly test: (...input: CallArguments<"broadcasts.test">) => Promise<Output<"broadcasts.test">>;
    /** Retrieve the results of a broadcast. `GET /v2/broadcasts/{broadcastId}/results` */
    readonly retrieveResults: (...input: CallArguments<"broadcasts.retrieveResults">) => Promise<Output<"broadcasts.retrieveResults">>;
    /** List the people of one outcome. `GET /v2/broadcasts/{broadcastId}/people` */
    readonly listPeople: (...input: CallArguments<"broadcasts.listPeople">) => Promise<Output<"broadcasts.listPeople">>;
    /** Create a draft for the people of one outcome. The draft has the same content, and a fixed audience with the people who have this outcome now; `not_opened` by default. `POST /v2/broadcasts/{broadcastId}/resend` */
    readonly resend: (...input: CallArguments<"broadcasts.resend">) => Promise<Output<"broadcasts.resend">>;
  };
  readonly backtests: {
    /** Try a change on the events of the past days. Replays the stored events, signals and marks of the period person by person, with and without the change, and compares the messages. Works in the background; `backtests.get` returns the progress and the report. No provider, bridge or address of an HTTP step is called. One backtest of an environment runs at a time. `POST /v2/backtests` */
    readonly create: (...input: CallArguments<"backtests.create">) => Promise<Output<"backtests.create">>;
    /** List backtests, newest first. Kept for 14 days. Without their reports, which `backtests.get` returns. `GET /v2/backtests` */
    readonly list: (...input: CallArguments<"backtests.list">) => Promise<Output<"backtests.list">>;
    /** Retrieve a backtest with its progress and report. `GET /v2/backtests/{backtestId}` */
    readonly get: (...input: CallArguments<"backtests.get">) => Promise<Output<"backtests.get">>;
    /** Cancel a backtest that runs. Its rows are deleted at once: it is returned here for the last time. `POST /v2/backtests/{backtestId}/cancel` */
    readonly cancel: (...input: CallArguments<"backtests.cancel">) => Promise<Output<"backtests.cancel">>;
    /** Delete a backtest. With everything that belongs to it. One that runs is canceled. `DELETE /v2/backtests/{backtestId}` */
    readonly delete: (...input: CallArguments<"backtests.delete">) => Promise<Output<"backtests.delete">>;
    /** List the people of whom a message differs. In the order of their ids. At most 20,000 messages of a backtest are listed; all are counted. `GET /v2/backtests/{backtestId}/people` */
    readonly people: (...input: CallArguments<"backtests.people">) => Promise<Output<"backtests.people">>;
    /** Show the messages of one person with and without the change. The person is replayed again, so contents are those of today's data and are stored nowhere. At most 200 messages, those that differ first. `GET /v2/backtests/{backtestId}/people/{subscriberId}` */
    readonly person: (...input: CallArguments<"backtests.person">) => Promise<Output<"backtests.person">>;
  };
  readonly signals: {
    /** Send a signal to waiting runs. Every run of these subscribers that waits for a signal of this name, and of this key where it names one, continues. A signal that no run waits for is stored for waits that look back. `POST /v2/signals` */
    readonly send: (...input: CallArguments<"signals.send">) => Promise<Output<"signals.send">>;
    /** Send up to 100 signals. Returns one item per signal, in request order. `POST /v2/signals/bulk` */
    readonly sendBulk: (...input: CallArguments<"signals.sendBulk">) => Promise<Output<"signals.sendBulk">>;
  };
  readonly scenarios: {
    /** Export past events as a test scenario. One event, with the events that share a digest with it, by `transactionId`; or all events between `from` and `to`, both included. At most 100 events and 100 subscribers. Subscribers and preferences are the current ones. `tidings test` runs scenarios: see docs/testing.md. `GET /v1/scenarios` */
    readonly export: (...input: CallArguments<"scenarios.export">) => Promise<Output<"scenarios.export">>;
  };
  readonly notifications: {
    /** List all events (triggered notifications). `GET /v1/notifications` */
    readonly list: (...input: CallArguments<"notifications.list">) => Promise<Output<"notifications.list">>;
    /** Retrieve one notification. `GET /v1/notifications/{notificationId}` */
    readonly retrieve: (...input: CallArguments<"notifications.retrieve">) => Promise<Output<"notifications.retrieve">>;
    /** Send one step of a notification again. Creates the message of one channel step again and sends it, with the same payload and workflow version and the subscriber's current data (such as a corrected address). No other step is repeated. For a step that failed, was skipped, was sent but never arrived, or is waiting: for a schedule, for a retry or for an integration that is paused after failures, which is then tried immediately. Preferences, suppressed addresses and the condition of a skipped step still apply: if they prevent sending, the error explains why. The subscriber's schedule is ignored. A step can be sent again 10 times, once in 10 seconds. `POST /v1/notifications/{notificationId}/steps/{stepId}/resend` */
    readonly resendStep: (...input: CallArguments<"notifications.resendStep">) => Promise<Output<"notifications.resendStep">>;
  };
  readonly messages: {
    /** List all messages. `GET /v1/messages` */
    readonly list: (...input: CallArguments<"messages.list">) => Promise<Output<"messages.list">>;
    /** Delete a message. A message that is still waiting for its provider is not sent. `DELETE /v1/messages/{messageId}` */
    readonly delete: (...input: CallArguments<"messages.delete">) => Promise<Output<"messages.delete">>;
    /** Delete the messages of a transaction. `DELETE /v1/messages/transaction/{transactionId}` */
    readonly deleteByTransaction: (...input: CallArguments<"messages.deleteByTransaction">) => Promise<Output<"messages.deleteByTransaction">>;
  };
  readonly activity: {
    /** List events with their outcomes. Newest first. One request scans a limited number of events (20,000; 2,000 when filtering by outcome or text) for about a second, so a page may have fewer items than `limit`, or none, even though `next` is not null. Continue with `next`; `scannedTo` shows how far back events have been scanned. Events that have the text of `search` at one of their workflow's `searchKeys` come first, however old they are. `GET /v1/activity/events` */
    readonly listEvents: (...input: CallArguments<"activity.listEvents">) => Promise<Output<"activity.listEvents">>;
  };
  readonly statistics: {
    /** Retrieve statistics by hour or by day. Messages are counted in the hour in which they were created, in real time (UTC). Every hour is counted when it has ended and again a day later, to include what providers and readers have reported since. The current hour is counted on request, from its newest 50,000 messages. `GET /v1/statistics` */
    readonly list: (...input: CallArguments<"statistics.list">) => Promise<Output<"statistics.list">>;
  };
  readonly workflows: {
    /** List workflows. `GET /v2/workflows` */
    readonly list: (...input: CallArguments<"workflows.list">) => Promise<Output<"workflows.list">>;
    /** Create a workflow. Strict about structure, tolerant about content: an incomplete step is stored, and its `issues` list what is missing. `POST /v2/workflows` */
    readonly create: (...input: CallArguments<"workflows.create">) => Promise<Output<"workflows.create">>;
    /** Retrieve a workflow. `GET /v2/workflows/{workflowId}` */
    readonly retrieve: (...input: CallArguments<"workflows.retrieve">) => Promise<Output<"workflows.retrieve">>;
    /** Update a workflow. `steps` are replaced; omitted settings do not change. Events in progress keep the version that started them. `PUT /v2/workflows/{workflowId}` */
    readonly update: (...input: CallArguments<"workflows.update">) => Promise<Output<"workflows.update">>;
    /** Update settings of a workflow. `PATCH /v2/workflows/{workflowId}` */
    readonly patch: (...input: CallArguments<"workflows.patch">) => Promise<Output<"workflows.patch">>;
    /** Delete a workflow. New triggers are refused immediately; waiting jobs are canceled. `DELETE /v2/workflows/{workflowId}` */
    readonly delete: (...input: CallArguments<"workflows.delete">) => Promise<Output<"workflows.delete">>;
    /** Retrieve a step of a workflow. `GET /v2/workflows/{workflowId}/steps/{stepId}` */
    readonly retrieveStep: (...input: CallArguments<"workflows.retrieveStep">) => Promise<Output<"workflows.retrieveStep">>;
    /** Publish one workflow from another environment. Requires a key of the target. Copies the workflow and its translations from the source to the target, replacing a workflow with the same identifier. Returns the target's current workflow. `PUT /v2/workflows/{workflowId}/sync` */
    readonly sync: (...input: CallArguments<"workflows.sync">) => Promise<Output<"workflows.sync">>;
    /** Retrieve how a workflow meets its objectives. Messages are counted in the hour in which they were created, as in the statistics; the latest hours from the newest 50,000 messages of the environment. A message that was not reported as delivered counts as bad a day after it was sent, one that failed at once. `GET /v2/workflows/{workflowId}/objectives` */
    readonly retrieveObjectives: (...input: CallArguments<"workflows.retrieveObjectives">) => Promise<Output<"workflows.retrieveObjectives">>;
    /** Retrieve statistics of a workflow's experiments. A person counts once, in the variant of the first run in the range. Counted from the newest 50,000 runs, divided between the experiments of the workflow. Tests of drafts do not count. `GET /v2/workflows/{workflowId}/experiments` */
    readonly retrieveExperiments: (...input: CallArguments<"workflows.retrieveExperiments">) => Promise<Output<"workflows.retrieveExperiments">>;
    /** Render the content of an unsaved step. Renders the control values as an event would, for a real subscriber and payload, and stores nothing. The response includes template errors, with line and column. Templates have the same limits as in a real step. With `context`, the brand of the first context that has one is shown; unknown contexts are not created. Steps that send nothing (digest, delay, throttle, custom) have an empty `result`; their templates are checked. `POST /v1/workflows/preview` */
    readonly preview: (...input: CallArguments<"workflows.preview">) => Promise<Output<"workflows.preview">>;
    /** Send a test of an unsaved workflow. Runs the given definition for one person: messages are really sent, through the integrations of the environment. Delays, digests and quiet hours end at once. The saved workflow and its versions do not change. The event is marked with `isTest`. See docs/testing.md. `POST /v2/workflows/{workflowId}/test` */
    readonly test: (...input: CallArguments<"workflows.test">) => Promise<Output<"workflows.test">>;
    /** Send the request of an HTTP request step once. Fills in the templates of the step as a run would, sends the request for real, once, and returns the response. Nothing is stored. With `controlValues` the step need not be saved. See docs/http-requests.md. `POST /v2/workflows/{workflowId}/steps/{stepId}/request` */
    readonly sendRequest: (...input: CallArguments<"workflows.sendRequest">) => Promise<Output<"workflows.sendRequest">>;
    /** List the versions of a workflow. `GET /v1/workflows/{workflowId}/versions` */
    readonly listVersions: (...input: CallArguments<"workflows.listVersions">) => Promise<Output<"workflows.listVersions">>;
    /** Retrieve a version of a workflow. `GET /v1/workflows/{workflowId}/versions/{versionId}` */
    readonly retrieveVersion: (...input: CallArguments<"workflows.retrieveVersion">) => Promise<Output<"workflows.retrieveVersion">>;
    /** Compare two versions of a workflow. Compares by meaning: steps are matched by id, and each change names the fields with both values. `GET /v1/workflows/{workflowId}/versions/{fromVersionId}/diff/{toVersionId}` */
    readonly diffVersions: (...input: CallArguments<"workflows.diffVersions">) => Promise<Output<"workflows.diffVersions">>;
    /** Restore a version of a workflow. Saves the version's content as a new version. The workflow's identifier, its translations and whether it is active do not change. Events in progress keep the version that started them. `POST /v1/workflows/{workflowId}/versions/{versionId}/restore` */
    readonly restoreVersion: (...input: CallArguments<"workflows.restoreVersion">) => Promise<Output<"workflows.restoreVersion">>;
    /** Duplicate a workflow. The copy has new step ids and the original's translations, and is not active. `POST /v2/workflows/{workflowId}/duplicate` */
    readonly duplicate: (...input: CallArguments<"workflows.duplicate">) => Promise<Output<"workflows.duplicate">>;
    /** Say that a workflow is open, and learn who else has it open. For the dashboard, which repeats it every 15 seconds; a tab counts as closed 45 seconds after the last time. An API key has nothing open: it only learns who has. `POST /v2/workflows/{workflowId}/viewers` */
    readonly announceViewer: (...input: CallArguments<"workflows.announceViewer">) => Promise<Output<"workflows.announceViewer">>;
    /** Count a workflow's runs in progress. By version, step and what they are waiting for. The newest 20,000 notifications of the workflow are counted; `isCapped` is true if older ones exist, which may be waiting too. `GET /v1/workflows/{workflowId}/in-flight` */
    readonly retrieveInFlight: (...input: CallArguments<"workflows.retrieveInFlight">) => Promise<Output<"workflows.retrieveInFlight">>;
  };
  readonly bridge: {
    /** Sync the workflows defined in your code. Requests the bridge's workflows and creates or updates them, all or nothing. Syncing again without a code change has no effect. See docs/bridge.md. `POST /v1/bridge/sync` */
    readonly sync: (...input: CallArguments<"bridge.sync">) => Promise<Output<"bridge.sync">>;
  };
  readonly comments: {
    /** List the comments on the steps of a workflow. Oldest first; of more than 200, the newest 200. `GET /v2/workflows/{workflowId}/comments` */
    readonly list: (...input: CallArguments<"comments.list">) => Promise<Output<"comments.list">>;
    /** Comment on a step. `POST /v2/workflows/{workflowId}/comments` */
    readonly create: (...input: CallArguments<"comments.create">) => Promise<Output<"comments.create">>;
    /** Resolve a comment, or open it again. `PATCH /v2/workflows/{workflowId}/comments/{commentId}` */
    readonly update: (...input: CallArguments<"comments.update">) => Promise<Output<"comments.update">>;
    /** Delete a comment. `DELETE /v2/workflows/{workflowId}/comments/{commentId}` */
    readonly delete: (...input: CallArguments<"comments.delete">) => Promise<Output<"comments.delete">>;
  };
  readonly stepTemplates: {
    /** List step templates. All of them by name, without their content. An environment has up to 200. `GET /v2/step-templates` */
    readonly list: (...input: CallArguments<"stepTemplates.list">) => Promise<Output<"stepTemplates.list">>;
    /** Save a step as a template. The content is that of the step now: it does not follow later changes of a workflow. `POST /v2/step-templates` */
    readonly create: (...input: CallArguments<"stepTemplates.create">) => Promise<Output<"stepTemplates.create">>;
    /** Retrieve a step template. `GET /v2/step-templates/{templateId}` */
    readonly retrieve: (...input: CallArguments<"stepTemplates.retrieve">) => Promise<Output<"stepTemplates.retrieve">>;
    /** Rename a step template. `PATCH /v2/step-templates/{templateId}` */
    readonly update: (...input: CallArguments<"stepTemplates.update">) => Promise<Output<"stepTemplates.update">>;
    /** Delete a step template. Steps that were inserted from it stay. `DELETE /v2/step-templates/{templateId}` */
    readonly delete: (...input: CallArguments<"stepTemplates.delete">) => Promise<Output<"stepTemplates.delete">>;
  };
  readonly digests: {
    /** List open digests. Sorted by closing time, soonest first. `GET /v1/digests` */
    readonly list: (...input: CallArguments<"digests.list">) => Promise<Output<"digests.list">>;
    /** Retrieve an open digest with its members. Members are in order of arrival. A closed digest is no longer found. `GET /v1/digests/{id}` */
    readonly retrieve: (...input: CallArguments<"digests.retrieve">) => Promise<Output<"digests.retrieve">>;
    /** Close one open digest early. It releases its events immediately, and only once, even if it was about to close. `POST /v1/digests/{id}/close` */
    readonly closeOne: (...input: CallArguments<"digests.closeOne">) => Promise<Output<"digests.closeOne">>;
    /** Close open digests early. Their events continue immediately, exactly as they would when due; events that arrive later open new digests. Closes up to 1,000 per call. `POST /v2/workflows/{workflowId}/digests/close` */
    readonly close: (...input: CallArguments<"digests.close">) => Promise<Output<"digests.close">>;
  };
  readonly layouts: {
    /** List layouts. `GET /v2/layouts` */
    readonly list: (...input: CallArguments<"layouts.list">) => Promise<Output<"layouts.list">>;
    /** Create a layout. The first layout of an environment becomes its default. A new layout shows only the content. `POST /v2/layouts` */
    readonly create: (...input: CallArguments<"layouts.create">) => Promise<Output<"layouts.create">>;
    /** Retrieve a layout. `GET /v2/layouts/{layoutId}` */
    readonly retrieve: (...input: CallArguments<"layouts.retrieve">) => Promise<Output<"layouts.retrieve">>;
    /** Update a layout. Omitted fields do not change; `controlValues: null` removes the body. `PUT /v2/layouts/{layoutId}` */
    readonly update: (...input: CallArguments<"layouts.update">) => Promise<Output<"layouts.update">>;
    /** Delete a layout. `DELETE /v2/layouts/{layoutId}` */
    readonly delete: (...input: CallArguments<"layouts.delete">) => Promise<Output<"layouts.delete">>;
    /** Duplicate a layout. The copy gets an identifier derived from its name, and the original's translations. `POST /v2/layouts/{layoutId}/duplicate` */
    readonly duplicate: (...input: CallArguments<"layouts.duplicate">) => Promise<Output<"layouts.duplicate">>;
    /** Preview a layout. Renders the layout, or the control values given, around sample content. Nothing is stored. `POST /v2/layouts/{layoutId}/preview` */
    readonly preview: (...input: CallArguments<"layouts.preview">) => Promise<Output<"layouts.preview">>;
    /** List the workflows that use a layout. Emails without a layout use the default one and count as its users. `GET /v2/layouts/{layoutId}/usage` */
    readonly usage: (...input: CallArguments<"layouts.usage">) => Promise<Output<"layouts.usage">>;
  };
  readonly assets: {
    /** List uploaded images. `GET /v2/assets` */
    readonly list: (...input: CallArguments<"assets.list">) => Promise<Output<"assets.list">>;
    /** Upload an image for emails. PNG, JPEG, GIF or WebP, at most 5 MB. An image that is already stored is returned with status 200. The address of an image is public, and its content never changes. `POST /v2/assets` */
    readonly create: (...input: CallArguments<"assets.create">) => Promise<Output<"assets.create">>;
    /** Delete an uploaded image. Emails that show the image, including those already sent, then show its alternative text. `DELETE /v2/assets/{assetId}` */
    readonly delete: (...input: CallArguments<"assets.delete">) => Promise<Output<"assets.delete">>;
  };
  readonly brand: {
    /** Retrieve the brand of the environment. `GET /v2/brand` */
    readonly retrieve: (...input: CallArguments<"brand.retrieve">) => Promise<Output<"brand.retrieve">>;
    /** Replace the brand of the environment. Members that are not given have their defaults. Applies to messages that are created from now on. `PUT /v2/brand` */
    readonly update: (...input: CallArguments<"brand.update">) => Promise<Output<"brand.update">>;
    /** Show what a brand would look like. Renders a sample mail with the brand given. Nothing is stored. `POST /v2/brand/preview` */
    readonly preview: (...input: CallArguments<"brand.preview">) => Promise<Output<"brand.preview">>;
    /** Create a layout from the brand. A layout with logo, content card and footer that follows the brand, in light and dark mode and on phones. It becomes the default if the environment has no layout, or with `isDefault`; other layouts are not changed. `POST /v2/brand/layout` */
    readonly createLayout: (...input: CallArguments<"brand.createLayout">) => Promise<Output<"brand.createLayout">>;
    /** Retrieve the brand of a context. `GET /v2/contexts/{type}/{id}/brand` */
    readonly retrieveContext: (...input: CallArguments<"brand.retrieveContext">) => Promise<Output<"brand.retrieveContext">>;
    /** Override the brand for a context. Members that are not given are inherited from the environment. Used for events with this context, and for events whose `tenant` has the id of a context of type `tenant`. `PUT /v2/contexts/{type}/{id}/brand` */
    readonly updateContext: (...input: CallArguments<"brand.updateContext">) => Promise<Output<"brand.updateContext">>;
    /** Remove the brand of a context. The context has the brand of the environment again. `DELETE /v2/contexts/{type}/{id}/brand` */
    readonly deleteContext: (...input: CallArguments<"brand.deleteContext">) => Promise<Output<"brand.deleteContext">>;
  };
  readonly gallery: {
    /** List the gallery's workflows. `GET /v2/gallery` */
    readonly list: (...input: CallArguments<"gallery.list">) => Promise<Output<"gallery.list">>;
    /** Retrieve a workflow of the gallery. With a preview of each message in the brand of the environment, a sample payload and a scenario. `GET /v2/gallery/{name}` */
    readonly retrieve: (...input: CallArguments<"gallery.retrieve">) => Promise<Output<"gallery.retrieve">>;
    /** Create a workflow from the gallery. The workflow is like any other afterwards. If the environment has no layout and the workflow sends email, the layout of the brand is created as well. Nothing that exists is changed. `POST /v2/gallery/{name}/use` */
    readonly use: (...input: CallArguments<"gallery.use">) => Promise<Output<"gallery.use">>;
  };
  readonly translations: {
    /** Store the texts of one locale. Replaces the resource's texts in this locale, if any. `POST /v2/translations` */
    readonly create: (...input: CallArguments<"translations.create">) => Promise<Output<"translations.create">>;
    /** List the workflows and layouts that have texts. Sorted by name. `GET /v2/translations/groups` */
    readonly listGroups: (...input: CallArguments<"translations.listGroups">) => Promise<Output<"translations.listGroups">>;
    /** List the locales of a workflow or layout. `GET /v2/translations/group/{resourceType}/{resourceId}` */
    readonly retrieveGroup: (...input: CallArguments<"translations.retrieveGroup">) => Promise<Output<"translations.retrieveGroup">>;
    /** List the keys that templates use. Keys that the templates of a workflow or layout read as `t.<key>`, whether they have texts or not. A key of plural forms is listed without the form. Computed keys are not known before a template is rendered. `GET /v2/translations/keys/{resourceType}/{resourceId}` */
    readonly listKeys: (...input: CallArguments<"translations.listKeys">) => Promise<Output<"translations.listKeys">>;
    /** Retrieve all texts of one locale. `GET /v2/translations/master-json` */
    readonly retrieveMaster: (...input: CallArguments<"translations.retrieveMaster">) => Promise<Output<"translations.retrieveMaster">>;
    /** Store the texts of many workflows and layouts in one locale. Resources that the object does not name keep their texts. `POST /v2/translations/master-json` */
    readonly importMaster: (...input: CallArguments<"translations.importMaster">) => Promise<Output<"translations.importMaster">>;
    /** Upload the texts of many workflows and layouts in one locale. `POST /v2/translations/master-json/upload` */
    readonly uploadMaster: (...input: CallArguments<"translations.uploadMaster">) => Promise<Output<"translations.uploadMaster">>;
    /** Upload the texts of one workflow or layout, one file per locale. Files are checked one by one: an invalid file is listed in `errors` and does not affect the others. `POST /v2/translations/upload` */
    readonly upload: (...input: CallArguments<"translations.upload">) => Promise<Output<"translations.upload">>;
    /** Delete all texts of a workflow or layout. `DELETE /v2/translations/{resourceType}/{resourceId}` */
    readonly deleteGroup: (...input: CallArguments<"translations.deleteGroup">) => Promise<Output<"translations.deleteGroup">>;
    /** Retrieve the texts of one locale. `GET /v2/translations/{resourceType}/{resourceId}/{locale}` */
    readonly retrieve: (...input: CallArguments<"translations.retrieve">) => Promise<Output<"translations.retrieve">>;
    /** Delete the texts of one locale. `DELETE /v2/translations/{resourceType}/{resourceId}/{locale}` */
    readonly delete: (...input: CallArguments<"translations.delete">) => Promise<Output<"translations.delete">>;
  };
  readonly files: {
    /** Export the configuration of an environment. Workflows and layouts with their texts, integrations without secrets, topics that have a name, categories, audiences that follow a rule, and the brand and the attention budget where they are set, each with a fingerprint by which a later plan shows what has changed since. Topics are omitted if more than 1,000 have a name. `GET /v1/files` */
    readonly export: (...input: CallArguments<"files.export">) => Promise<Output<"files.export">>;
    /** Show what applying resources would change. Compares by meaning and changes nothing. Settings that a resource omits have their defaults. A list that is not given is not compared. Each changed or deleted workflow shows what happens to its runs in progress. `POST /v1/files/plan` */
    readonly plan: (...input: CallArguments<"files.plan">) => Promise<Output<"files.plan">>;
    /** Apply resources. Carries out the plan in one transaction, all or nothing. Returns 409 if the environment's fingerprint differs from the plan's, unless there is nothing to change, and 422 if a workflow or layout that would be written has a blocking issue, unless `allowIssues` is true. Applying the same resources again changes nothing and creates no versions. `POST /v1/files/apply` */
    readonly apply: (...input: CallArguments<"files.apply">) => Promise<Output<"files.apply">>;
  };
  readonly subscribers: {
    /** Create or update a subscriber. If the id exists, the given fields are updated, unless `failIfExists` is true. `POST /v2/subscribers` */
    readonly create: (...input: CallArguments<"subscribers.create">) => Promise<Output<"subscribers.create">>;
    /** Create or update up to 500 subscribers. Entries are checked one by one: an invalid entry is listed in `failed` and does not affect the others. `POST /v1/subscribers/bulk` */
    readonly createBulk: (...input: CallArguments<"subscribers.createBulk">) => Promise<Output<"subscribers.createBulk">>;
    /** Search subscribers. `GET /v2/subscribers` */
    readonly list: (...input: CallArguments<"subscribers.list">) => Promise<Output<"subscribers.list">>;
    /** Retrieve a subscriber. `GET /v2/subscribers/{subscriberId}` */
    readonly retrieve: (...input: CallArguments<"subscribers.retrieve">) => Promise<Output<"subscribers.retrieve">>;
    /** Update a subscriber. The given fields are changed, null clears a field, and `data` is replaced as a whole. `PATCH /v2/subscribers/{subscriberId}` */
    readonly update: (...input: CallArguments<"subscribers.update">) => Promise<Output<"subscribers.update">>;
    /** Delete a subscriber. Waiting jobs are canceled; past messages are kept with their content, without their addresses. `subscribers.erase` also removes the content, before or after the deletion. `DELETE /v2/subscribers/{subscriberId}` */
    readonly delete: (...input: CallArguments<"subscribers.delete">) => Promise<Output<"subscribers.delete">>;
    /** Replace a subscriber's credentials for a provider. `PUT /v1/subscribers/{subscriberId}/credentials` */
    readonly replaceCredentials: (...input: CallArguments<"subscribers.replaceCredentials">) => Promise<Output<"subscribers.replaceCredentials">>;
    /** Add to a subscriber's credentials for a provider. Device tokens are added without duplicates, up to 100; any other given members replace the stored ones. `PATCH /v1/subscribers/{subscriberId}/credentials` */
    readonly appendCredentials: (...input: CallArguments<"subscribers.appendCredentials">) => Promise<Output<"subscribers.appendCredentials">>;
    /** Delete a subscriber's credentials for a provider. For all the provider's integrations. It is not an error if nothing is stored. `DELETE /v1/subscribers/{subscriberId}/credentials/{providerId}` */
    readonly deleteCredentials: (...input: CallArguments<"subscribers.deleteCredentials">) => Promise<Output<"subscribers.deleteCredentials">>;
    /** Set whether a subscriber is online. Going offline sets `lastOnlineAt`. `PATCH /v1/subscribers/{subscriberId}/online-status` */
    readonly updateOnlineStatus: (...input: CallArguments<"subscribers.updateOnlineStatus">) => Promise<Output<"subscribers.updateOnlineStatus">>;
    /** Erase a person's data. Removes or pseudonymises the subscriber in every table, in the background. The profile is gone and open runs are canceled when the request returns; `erasures.retrieve` returns the progress and, at the end, a signed receipt. Also works for a subscriber that was deleted before. Returns 202, or 200 with the erasure that is already running. `POST /v2/subscribers/{subscriberId}/erase` */
    readonly erase: (...input: CallArguments<"subscribers.erase">) => Promise<Output<"subscribers.erase">>;
    /** Retrieve a subscriber's preferences. Values are resolved: they show what applies to a channel when an event arrives, at whichever level it was decided. `global` shows the channels that the environment's workflows have steps for. `GET /v2/subscribers/{subscriberId}/preferences` */
    readonly retrievePreferences: (...input: CallArguments<"subscribers.retrievePreferences">) => Promise<Output<"subscribers.retrievePreferences">>;
    /** Update a subscriber's preferences. For one workflow, for one category, or globally. The given channels are merged into the stored ones; `schedule` is replaced as a whole and only exists globally, `digestFrequency` only for a workflow. `PATCH /v2/subscribers/{subscriberId}/preferences` */
    readonly updatePreferences: (...input: CallArguments<"subscribers.updatePreferences">) => Promise<Output<"subscribers.updatePreferences">>;
    /** Update up to 100 of a subscriber's workflow preferences. All or nothing. The given channels are merged into the stored ones; if a workflow appears twice, the last item wins. `PATCH /v2/subscribers/{subscriberId}/preferences/bulk` */
    readonly bulkUpdatePreferences: (...input: CallArguments<"subscribers.bulkUpdatePreferences">) => Promise<Output<"subscribers.bulkUpdatePreferences">>;
    /** Retrieve how many messages a subscriber wants at most. `GET /v2/subscribers/{subscriberId}/attention` */
    readonly retrieveAttention: (...input: CallArguments<"subscribers.retrieveAttention">) => Promise<Output<"subscribers.retrieveAttention">>;
    /** Update how many messages a subscriber wants at most. Only for channels with an attention budget of the environment, and only lower than it. The given channels are merged into the stored ones. Applies to messages from now on. `PATCH /v2/subscribers/{subscriberId}/attention` */
    readonly updateAttention: (...input: CallArguments<"subscribers.updateAttention">) => Promise<Output<"subscribers.updateAttention">>;
    /** Count the subscribers that match a condition. Evaluates an unsaved condition for the newest 200 subscribers and stores nothing. Results of earlier steps, contexts and the tenant are empty, because no event has happened. `POST /v2/subscribers/match` */
    readonly match: (...input: CallArguments<"subscribers.match">) => Promise<Output<"subscribers.match">>;
    /** Mark messages as seen, read, unread or unseen. All or nothing: if one message is unknown, none are changed. `POST /v1/subscribers/{subscriberId}/messages/mark-as` */
    readonly markMessages: (...input: CallArguments<"subscribers.markMessages">) => Promise<Output<"subscribers.markMessages">>;
    /** Mark all of a subscriber's in-app messages. Returns the number of messages that changed. `POST /v1/subscribers/{subscriberId}/messages/mark-all` */
    readonly markAllMessages: (...input: CallArguments<"subscribers.markAllMessages">) => Promise<Output<"subscribers.markAllMessages">>;
    /** Record that a button of a message was pressed. `type` is `primary` or `secondary`. `POST /v1/subscribers/{subscriberId}/messages/{messageId}/actions/{type}` */
    readonly markMessageAction: (...input: CallArguments<"subscribers.markMessageAction">) => Promise<Output<"subscribers.markMessageAction">>;
    /** Count a subscriber's unseen in-app messages. `GET /v1/subscribers/{subscriberId}/notifications/unseen` */
    readonly countUnseen: (...input: CallArguments<"subscribers.countUnseen">) => Promise<Output<"subscribers.countUnseen">>;
    /** Retrieve a subscriber's in-app feed. Newest first. Reading the feed marks nothing as seen. `GET /v1/subscribers/{subscriberId}/notifications/feed` */
    readonly listFeed: (...input: CallArguments<"subscribers.listFeed">) => Promise<Output<"subscribers.listFeed">>;
    /** List the topic subscriptions of a subscriber. `GET /v2/subscribers/{subscriberId}/subscriptions` */
    readonly listSubscriptions: (...input: CallArguments<"subscribers.listSubscriptions">) => Promise<Output<"subscribers.listSubscriptions">>;
  };
  readonly erasures: {
    /** Retrieve an erasure with its progress and its receipt. `GET /v2/erasures/{erasureId}` */
    readonly retrieve: (...input: CallArguments<"erasures.retrieve">) => Promise<Output<"erasures.retrieve">>;
    /** Verify the receipt of an erasure. Checks the signature, which only this installation can make. With `subscriberId`, also whether the receipt is about this subscriber. `POST /v2/erasures/verify` */
    readonly verify: (...input: CallArguments<"erasures.verify">) => Promise<Output<"erasures.verify">>;
  };
  readonly imports: {
    /** List imports of CSV files. Kept for 30 days. `GET /v1/imports` */
    readonly list: (...input: CallArguments<"imports.list">) => Promise<Output<"imports.list">>;
    /** Import subscribers or subscriptions from CSV. Rows are imported in the background; `imports.retrieve` returns the progress. A row that cannot be imported is skipped and listed by `imports.listErrors`. With `dryRun`, everything is checked and counted, and nothing is written. `POST /v1/imports` */
    readonly create: (...input: CallArguments<"imports.create">) => Promise<Output<"imports.create">>;
    /** Preview how a CSV text would be read. Returns the separator, the columns and the first rows. The beginning of a file is enough. `POST /v1/imports/preview` */
    readonly preview: (...input: CallArguments<"imports.preview">) => Promise<Output<"imports.preview">>;
    /** Retrieve an import with its progress. `GET /v1/imports/{importId}` */
    readonly retrieve: (...input: CallArguments<"imports.retrieve">) => Promise<Output<"imports.retrieve">>;
    /** List the invalid rows of an import. In file order, the first 1,000. `GET /v1/imports/{importId}/errors` */
    readonly listErrors: (...input: CallArguments<"imports.listErrors">) => Promise<Output<"imports.listErrors">>;
  };
  readonly preferences: {
    /** Update a preference for up to 500 subscribers. Sets the same channels for each subscriber, for one workflow, or globally without `workflowId`. The given channels are merged into the stored ones. Unknown subscribers are listed and do not affect the others. `POST /v2/preferences/bulk` */
    readonly updateMany: (...input: CallArguments<"preferences.updateMany">) => Promise<Output<"preferences.updateMany">>;
  };
  readonly categories: {
    /** List categories. All of them, in the order in which subscribers see them. An environment has up to 100. `GET /v2/preference-categories` */
    readonly list: (...input: CallArguments<"categories.list">) => Promise<Output<"categories.list">>;
    /** Create a category. It becomes the last one. Workflows join it with their `categoryId`. `channels` applies until a subscriber chooses; a channel that is left out is decided by the workflow. `POST /v2/preference-categories` */
    readonly create: (...input: CallArguments<"categories.create">) => Promise<Output<"categories.create">>;
    /** Order the categories. The list names every category of the environment once. `PUT /v2/preference-categories/order` */
    readonly updateOrder: (...input: CallArguments<"categories.updateOrder">) => Promise<Output<"categories.updateOrder">>;
    /** Retrieve a category. `GET /v2/preference-categories/{categoryId}` */
    readonly retrieve: (...input: CallArguments<"categories.retrieve">) => Promise<Output<"categories.retrieve">>;
    /** Update a category. Omitted members do not change; `channels` is replaced as a whole. `PATCH /v2/preference-categories/{categoryId}` */
    readonly update: (...input: CallArguments<"categories.update">) => Promise<Output<"categories.update">>;
    /** Delete a category. Refused while workflows are in it. If subscribers have made choices for it, it is refused with their number; `force` deletes their choices too. `DELETE /v2/preference-categories/{categoryId}` */
    readonly delete: (...input: CallArguments<"categories.delete">) => Promise<Output<"categories.delete">>;
  };
  readonly subscriberNotifications: {
    /** List the notifications of an inbox. Newest first. Listing marks nothing as seen. `GET /v2/subscribers/{subscriberId}/notifications` */
    readonly list: (...input: CallArguments<"subscriberNotifications.list">) => Promise<Output<"subscriberNotifications.list">>;
    /** Count the notifications of an inbox. One count per filter, in the order of the filters, each up to 100. `GET /v2/subscribers/{subscriberId}/notifications/count` */
    readonly count: (...input: CallArguments<"subscriberNotifications.count">) => Promise<Output<"subscriberNotifications.count">>;
    /** Mark a notification as read. It is also marked as seen. A snoozed notification is refused. `PATCH /v2/subscribers/{subscriberId}/notifications/{notificationId}/read` */
    readonly markRead: (...input: CallArguments<"subscriberNotifications.markRead">) => Promise<Output<"subscriberNotifications.markRead">>;
    /** Mark a notification as unread. It is also unarchived. A snoozed notification is refused. `PATCH /v2/subscribers/{subscriberId}/notifications/{notificationId}/unread` */
    readonly markUnread: (...input: CallArguments<"subscriberNotifications.markUnread">) => Promise<Output<"subscriberNotifications.markUnread">>;
    /** Archive a notification. It is also marked as read and seen. A snoozed notification is refused. `PATCH /v2/subscribers/{subscriberId}/notifications/{notificationId}/archive` */
    readonly archive: (...input: CallArguments<"subscriberNotifications.archive">) => Promise<Output<"subscriberNotifications.archive">>;
    /** Unarchive a notification. It stays read. `PATCH /v2/subscribers/{subscriberId}/notifications/{notificationId}/unarchive` */
    readonly unarchive: (...input: CallArguments<"subscriberNotifications.unarchive">) => Promise<Output<"subscriberNotifications.unarchive">>;
    /** Snooze an in-app message. It is hidden from the feed and its counts, and returns unread and unseen at the given time. Snoozing it again changes the time. `PATCH /v2/subscribers/{subscriberId}/notifications/{notificationId}/snooze` */
    readonly snooze: (...input: CallArguments<"subscriberNotifications.snooze">) => Promise<Output<"subscriberNotifications.snooze">>;
    /** Unsnooze a message. Restores the state it had when it was snoozed, read or unread. A message that is not snoozed does not change. `PATCH /v2/subscribers/{subscriberId}/notifications/{notificationId}/unsnooze` */
    readonly unsnooze: (...input: CallArguments<"subscriberNotifications.unsnooze">) => Promise<Output<"subscriberNotifications.unsnooze">>;
    /** Complete an action of a notification. Records that the button was pressed. `PATCH /v2/subscribers/{subscriberId}/notifications/{notificationId}/actions/{actionType}/complete` */
    readonly completeAction: (...input: CallArguments<"subscriberNotifications.completeAction">) => Promise<Output<"subscriberNotifications.completeAction">>;
    /** Revert an action of a notification. The button can be pressed again. `PATCH /v2/subscribers/{subscriberId}/notifications/{notificationId}/actions/{actionType}/revert` */
    readonly revertAction: (...input: CallArguments<"subscriberNotifications.revertAction">) => Promise<Output<"subscriberNotifications.revertAction">>;
    /** Delete a notification. It is deleted permanently. `DELETE /v2/subscribers/{subscriberId}/notifications/{notificationId}` */
    readonly delete: (...input: CallArguments<"subscriberNotifications.delete">) => Promise<Output<"subscriberNotifications.delete">>;
    /** Mark notifications as seen. Those with the given ids, or all that match and are neither archived nor snoozed. `POST /v2/subscribers/{subscriberId}/notifications/seen` */
    readonly markSeen: (...input: CallArguments<"subscriberNotifications.markSeen">) => Promise<Output<"subscriberNotifications.markSeen">>;
    /** Mark all notifications as read. Snoozed ones do not change. `POST /v2/subscribers/{subscriberId}/notifications/read` */
    readonly markAllRead: (...input: CallArguments<"subscriberNotifications.markAllRead">) => Promise<Output<"subscriberNotifications.markAllRead">>;
    /** Archive all notifications. Snoozed ones do not change. `POST /v2/subscribers/{subscriberId}/notifications/archive` */
    readonly archiveAll: (...input: CallArguments<"subscriberNotifications.archiveAll">) => Promise<Output<"subscriberNotifications.archiveAll">>;
    /** Archive all notifications that are read. Snoozed ones do not change. `POST /v2/subscribers/{subscriberId}/notifications/read-archive` */
    readonly archiveAllRead: (...input: CallArguments<"subscriberNotifications.archiveAllRead">) => Promise<Output<"subscriberNotifications.archiveAllRead">>;
    /** Delete all notifications. Includes archived and snoozed ones. `POST /v2/subscribers/{subscriberId}/notifications/delete` */
    readonly deleteAll: (...input: CallArguments<"subscriberNotifications.deleteAll">) => Promise<Output<"subscriberNotifications.deleteAll">>;
  };
  readonly inbox: {
    /** Open a session for a subscriber's inbox. With a valid `subscriberHash`, and without one in development environments, the subscriber is created or updated. In production the hash is required (`TIDINGS_INBOX_REQUIRE_HASH`). `POST /v1/inbox/session` */
    readonly openSession: (...input: CallArguments<"inbox.openSession">) => Promise<Output<"inbox.openSession">>;
    /** Create a token for a subscriber's inbox. For pages that get their token from your server. It is valid for 15 minutes; create a new one after that. `POST /v2/inbox/tokens` */
    readonly createToken: (...input: CallArguments<"inbox.createToken">) => Promise<Output<"inbox.createToken">>;
    /** List the notifications of an inbox. Newest first. Listing marks nothing as seen. `GET /v1/inbox/notifications` */
    readonly listNotifications: (...input: CallArguments<"inbox.listNotifications">) => Promise<Output<"inbox.listNotifications">>;
    /** Count the notifications of an inbox. One count per filter, in the order of the filters, each up to 100. `GET /v1/inbox/notifications/count` */
    readonly countNotifications: (...input: CallArguments<"inbox.countNotifications">) => Promise<Output<"inbox.countNotifications">>;
    /** Mark a notification as read. It is also marked as seen. A snoozed notification is refused. `PATCH /v1/inbox/notifications/{notificationId}/read` */
    readonly readNotification: (...input: CallArguments<"inbox.readNotification">) => Promise<Output<"inbox.readNotification">>;
    /** Mark a notification as unread. It is also unarchived. A snoozed notification is refused. `PATCH /v1/inbox/notifications/{notificationId}/unread` */
    readonly unreadNotification: (...input: CallArguments<"inbox.unreadNotification">) => Promise<Output<"inbox.unreadNotification">>;
    /** Archive a notification. It is also marked as read and seen. A snoozed notification is refused. `PATCH /v1/inbox/notifications/{notificationId}/archive` */
    readonly archiveNotification: (...input: CallArguments<"inbox.archiveNotification">) => Promise<Output<"inbox.archiveNotification">>;
    /** Unarchive a notification. It stays read. `PATCH /v1/inbox/notifications/{notificationId}/unarchive` */
    readonly unarchiveNotification: (...input: CallArguments<"inbox.unarchiveNotification">) => Promise<Output<"inbox.unarchiveNotification">>;
    /** Unsnooze a message. Restores the state it had when it was snoozed, read or unread. A message that is not snoozed does not change. `PATCH /v1/inbox/notifications/{notificationId}/unsnooze` */
    readonly unsnoozeNotification: (...input: CallArguments<"inbox.unsnoozeNotification">) => Promise<Output<"inbox.unsnoozeNotification">>;
    /** Snooze an in-app message. It is hidden from the feed and its counts, and returns unread and unseen at the given time. Snoozing it again changes the time. `PATCH /v1/inbox/notifications/{notificationId}/snooze` */
    readonly snoozeNotification: (...input: CallArguments<"inbox.snoozeNotification">) => Promise<Output<"inbox.snoozeNotification">>;
    /** Complete an action of a notification. Records that the button was pressed. `PATCH /v1/inbox/notifications/{notificationId}/complete` */
    readonly completeAction: (...input: CallArguments<"inbox.completeAction">) => Promise<Output<"inbox.completeAction">>;
    /** Revert an action of a notification. The button can be pressed again. `PATCH /v1/inbox/notifications/{notificationId}/revert` */
    readonly revertAction: (...input: CallArguments<"inbox.revertAction">) => Promise<Output<"inbox.revertAction">>;
    /** Delete a notification. It is deleted permanently. `DELETE /v1/inbox/notifications/{notificationId}/delete` */
    readonly deleteNotification: (...input: CallArguments<"inbox.deleteNotification">) => Promise<Output<"inbox.deleteNotification">>;
    /** Mark notifications as seen. Those with the given ids, or all that match and are neither archived nor snoozed. `POST /v1/inbox/notifications/seen` */
    readonly seeNotifications: (...input: CallArguments<"inbox.seeNotifications">) => Promise<Output<"inbox.seeNotifications">>;
    /** Mark all notifications as read. Snoozed ones do not change. `POST /v1/inbox/notifications/read` */
    readonly readAllNotifications: (...input: CallArguments<"inbox.readAllNotifications">) => Promise<Output<"inbox.readAllNotifications">>;
    /** Archive all notifications. Snoozed ones do not change. `POST /v1/inbox/notifications/archive` */
    readonly archiveAllNotifications: (...input: CallArguments<"inbox.archiveAllNotifications">) => Promise<Output<"inbox.archiveAllNotifications">>;
    /** Archive all notifications that are read. Snoozed ones do not change. `POST /v1/inbox/notifications/read-archive` */
    readonly archiveReadNotifications: (...input: CallArguments<"inbox.archiveReadNotifications">) => Promise<Output<"inbox.archiveReadNotifications">>;
    /** Mark all notifications as read or archived, with undo. Like the separate operations for each mark, and returns the time of the mark. Snoozed ones do not change. `POST /v1/inbox/notifications/mark` */
    readonly markNotifications: (...input: CallArguments<"inbox.markNotifications">) => Promise<Output<"inbox.markNotifications">>;
    /** Undo marking all notifications. Notifications that were marked at this time, and not since, return to their earlier state: unread if they were unread, and out of the archive. A time at which nothing was marked has no effect. While a test clock is stopped, all marks of that time are undone. `POST /v1/inbox/notifications/undo` */
    readonly undoMark: (...input: CallArguments<"inbox.undoMark">) => Promise<Output<"inbox.undoMark">>;
    /** Delete all notifications. Includes archived and snoozed ones. `POST /v1/inbox/notifications/delete` */
    readonly deleteAllNotifications: (...input: CallArguments<"inbox.deleteAllNotifications">) => Promise<Output<"inbox.deleteAllNotifications">>;
    /** List the subscriber's own preferences. The global entry first, then one entry per workflow. Filters apply to the workflows. `GET /v1/inbox/preferences` */
    readonly listPreferences: (...input: CallArguments<"inbox.listPreferences">) => Promise<Output<"inbox.listPreferences">>;
    /** Retrieve the subscriber's own global preference. Includes the schedule if there is one. `GET /v1/inbox/preferences/global` */
    readonly retrieveGlobalPreference: (...input: CallArguments<"inbox.retrieveGlobalPreference">) => Promise<Output<"inbox.retrieveGlobalPreference">>;
    /** Update the subscriber's own global preference. The given channels are merged into the stored ones; `schedule` is replaced as a whole. `PATCH /v1/inbox/preferences` */
    readonly updateGlobalPreference: (...input: CallArguments<"inbox.updateGlobalPreference">) => Promise<Output<"inbox.updateGlobalPreference">>;
    /** List the subscriber's own preferences for categories. The categories with workflows, in their order. `GET /v1/inbox/preferences/categories` */
    readonly listCategoryPreferences: (...input: CallArguments<"inbox.listCategoryPreferences">) => Promise<Output<"inbox.listCategoryPreferences">>;
    /** Update the subscriber's own preference for a category. The given channels are merged into the stored ones. `PATCH /v1/inbox/preferences/categories/{categoryId}` */
    readonly updateCategoryPreference: (...input: CallArguments<"inbox.updateCategoryPreference">) => Promise<Output<"inbox.updateCategoryPreference">>;
    /** Update the subscriber's own preferences for up to 100 workflows. All or nothing. The given channels are merged into the stored ones; if a workflow appears twice, the last item wins. With `subscriptionIdentifier`, which must be the same in all items, the preferences of that topic subscription are changed instead: `enabled` or `condition`. `PATCH /v1/inbox/preferences/bulk` */
    readonly bulkUpdatePreferences: (...input: CallArguments<"inbox.bulkUpdatePreferences">) => Promise<Output<"inbox.bulkUpdatePreferences">>;
    /** Update the subscriber's own preference for a workflow. The given channels are merged into the stored ones. `PATCH /v1/inbox/preferences/{workflowId}` */
    readonly updateWorkflowPreference: (...input: CallArguments<"inbox.updateWorkflowPreference">) => Promise<Output<"inbox.updateWorkflowPreference">>;
    /** Retrieve how many messages the subscriber wants at most. Channels with an attention budget of the environment or an own limit. `GET /v1/inbox/attention` */
    readonly retrieveAttention: (...input: CallArguments<"inbox.retrieveAttention">) => Promise<Output<"inbox.retrieveAttention">>;
    /** Update how many messages the subscriber wants at most. The given channels are merged into the stored ones; null removes a limit. `PATCH /v1/inbox/attention` */
    readonly updateAttention: (...input: CallArguments<"inbox.updateAttention">) => Promise<Output<"inbox.updateAttention">>;
    /** List the subscriber's own subscriptions to a topic. Empty when the topic does not exist. `GET /v1/inbox/topics/{topicKey}/subscriptions` */
    readonly listSubscriptions: (...input: CallArguments<"inbox.listSubscriptions">) => Promise<Output<"inbox.listSubscriptions">>;
    /** Subscribe to a topic. The topic is created if it does not exist. If the subscriber is already subscribed, the subscription is returned unchanged. `POST /v1/inbox/topics/{topicKey}/subscriptions` */
    readonly createSubscription: (...input: CallArguments<"inbox.createSubscription">) => Promise<Output<"inbox.createSubscription">>;
    /** Retrieve the subscriber's own topic subscription. Returns 204 if there is none. `GET /v1/inbox/topics/{topicKey}/subscriptions/{identifier}` */
    readonly retrieveSubscription: (...input: CallArguments<"inbox.retrieveSubscription">) => Promise<Output<"inbox.retrieveSubscription">>;
    /** Update the subscriber's own topic subscription. Only the given fields are changed; `preferences` are replaced as a whole. `PATCH /v1/inbox/topics/{topicKey}/subscriptions/{identifier}` */
    readonly updateSubscription: (...input: CallArguments<"inbox.updateSubscription">) => Promise<Output<"inbox.updateSubscription">>;
    /** Unsubscribe from a topic. `DELETE /v1/inbox/topics/{topicKey}/subscriptions/{identifier}` */
    readonly deleteSubscription: (...input: CallArguments<"inbox.deleteSubscription">) => Promise<Output<"inbox.deleteSubscription">>;
    /** Update a topic subscription's preference for a workflow. If subscriptions in different topics have the same identifier, the oldest one is updated. `PATCH /v1/inbox/subscriptions/{identifier}/preferences/{workflowId}` */
    readonly updateSubscriptionPreference: (...input: CallArguments<"inbox.updateSubscriptionPreference">) => Promise<Output<"inbox.updateSubscriptionPreference">>;
    /** List the subscriber's own channel connections. Excludes connections that all subscribers share, unless `connectionMode` requests them. `GET /v1/inbox/channel-connections` */
    readonly listConnections: (...input: CallArguments<"inbox.listConnections">) => Promise<Output<"inbox.listConnections">>;
    /** Create the subscriber's own channel connection. `POST /v1/inbox/channel-connections` */
    readonly createConnection: (...input: CallArguments<"inbox.createConnection">) => Promise<Output<"inbox.createConnection">>;
    /** Retrieve the subscriber's own channel connection. Not wrapped in `data`: existing clients read the whole response. `GET /v1/inbox/channel-connections/{identifier}` */
    readonly retrieveConnection: (...input: CallArguments<"inbox.retrieveConnection">) => Promise<Output<"inbox.retrieveConnection">>;
    /** Delete the subscriber's own channel connection. Endpoints that use the connection are deleted with it. `DELETE /v1/inbox/channel-connections/{identifier}` */
    readonly deleteConnection: (...input: CallArguments<"inbox.deleteConnection">) => Promise<Output<"inbox.deleteConnection">>;
    /** List the subscriber's own channel endpoints. `GET /v1/inbox/channel-endpoints` */
    readonly listEndpoints: (...input: CallArguments<"inbox.listEndpoints">) => Promise<Output<"inbox.listEndpoints">>;
    /** Create the subscriber's own channel endpoint. The connection must belong to the subscriber or be shared by all subscribers. `POST /v1/inbox/channel-endpoints` */
    readonly createEndpoint: (...input: CallArguments<"inbox.createEndpoint">) => Promise<Output<"inbox.createEndpoint">>;
    /** Retrieve the subscriber's own channel endpoint. `GET /v1/inbox/channel-endpoints/{identifier}` */
    readonly retrieveEndpoint: (...input: CallArguments<"inbox.retrieveEndpoint">) => Promise<Output<"inbox.retrieveEndpoint">>;
    /** Delete the subscriber's own channel endpoint. `DELETE /v1/inbox/channel-endpoints/{identifier}` */
    readonly deleteEndpoint: (...input: CallArguments<"inbox.deleteEndpoint">) => Promise<Output<"inbox.deleteEndpoint">>;
    /** Create the URL that connects the subscriber's chat workspace. For `slack` and `msteams`. The connection belongs to the session's subscriber; connecting a workspace for all subscribers requires an API key. The URL is valid for 10 minutes and works once. `POST /v1/inbox/channel-connections/oauth` */
    readonly createConnectionOauthUrl: (...input: CallArguments<"inbox.createConnectionOauthUrl">) => Promise<Output<"inbox.createConnectionOauthUrl">>;
    /** Create the URL that links the subscriber's chat account. For `slack` and `msteams`. The user signs in at the provider and becomes an endpoint. It uses the given connection, otherwise the subscriber's own for the same workspace, otherwise one that all subscribers share. The URL is valid for 10 minutes and works once. `POST /v1/inbox/channel-endpoints/oauth` */
    readonly createEndpointOauthUrl: (...input: CallArguments<"inbox.createEndpointOauthUrl">) => Promise<Output<"inbox.createEndpointOauthUrl">>;
    /** Create the URL that connects a chat workspace or links a chat account. The older form of both operations above; `mode` selects one. `POST /v1/inbox/chat/oauth` */
    readonly createChatOauthUrl: (...input: CallArguments<"inbox.createChatOauthUrl">) => Promise<Output<"inbox.createChatOauthUrl">>;
    /** Create the URL that links the subscriber's chat account, for any provider. As above. The user signs in at the provider and becomes an endpoint. It uses the given connection, otherwise the subscriber's own for the same workspace, otherwise one that all subscribers share. The URL is valid for 10 minutes and works once. `POST /v1/inbox/channel-endpoints/link` */
    readonly linkEndpoint: (...input: CallArguments<"inbox.linkEndpoint">) => Promise<Output<"inbox.linkEndpoint">>;
    /** Retrieve the key for push to the subscriber's browser. The public key of the active Web Push integration, and the subscribed browsers as hashes: their addresses are never shown. Returns 404 `INTEGRATION_NOT_FOUND` if the environment has no such integration. `GET /v1/inbox/web-push` */
    readonly retrieveWebPush: (...input: CallArguments<"inbox.retrieveWebPush">) => Promise<Output<"inbox.retrieveWebPush">>;
    /** Subscribe the subscriber's browser to push. The body is a PushSubscription as `JSON.stringify` writes it. The same `endpoint` is stored once, with its newest keys. A subscriber has at most 20 browsers: an additional one replaces the oldest. `POST /v1/inbox/web-push/browsers` */
    readonly subscribeWebPush: (...input: CallArguments<"inbox.subscribeWebPush">) => Promise<Output<"inbox.subscribeWebPush">>;
    /** Unsubscribe the subscriber's browser from push. A browser that is not subscribed is not an error. `DELETE /v1/inbox/web-push/browsers/{endpointHash}` */
    readonly unsubscribeWebPush: (...input: CallArguments<"inbox.unsubscribeWebPush">) => Promise<Output<"inbox.unsubscribeWebPush">>;
  };
  readonly topics: {
    /** List topics. `GET /v2/topics` */
    readonly list: (...input: CallArguments<"topics.list">) => Promise<Output<"topics.list">>;
    /** Create or update a topic. Returns 201 if the topic is new, or 200 if the key exists; a `name` then replaces the topic's name. With `failIfExists`, an existing key is refused. `POST /v2/topics` */
    readonly create: (...input: CallArguments<"topics.create">) => Promise<Output<"topics.create">>;
    /** Retrieve a topic. `GET /v2/topics/{topicKey}` */
    readonly retrieve: (...input: CallArguments<"topics.retrieve">) => Promise<Output<"topics.retrieve">>;
    /** Rename a topic. The key cannot be changed. `PATCH /v2/topics/{topicKey}` */
    readonly update: (...input: CallArguments<"topics.update">) => Promise<Output<"topics.update">>;
    /** Delete a topic. Its subscriptions are deleted with it; the subscribers are not. `DELETE /v2/topics/{topicKey}` */
    readonly delete: (...input: CallArguments<"topics.delete">) => Promise<Output<"topics.delete">>;
    /** Check whether a subscriber belongs to a topic. `GET /v1/topics/{topicKey}/subscribers/{externalSubscriberId}` */
    readonly retrieveSubscriber: (...input: CallArguments<"topics.retrieveSubscriber">) => Promise<Output<"topics.retrieveSubscriber">>;
  };
  readonly topicSubscriptions: {
    /** List the subscriptions of a topic. `GET /v2/topics/{topicKey}/subscriptions` */
    readonly list: (...input: CallArguments<"topicSubscriptions.list">) => Promise<Output<"topicSubscriptions.list">>;
    /** Subscribe up to 100 subscribers to a topic. The topic is created if it does not exist. Entries are checked one by one: failures are listed in `errors`, and the status is still 201. An existing subscription is returned unchanged. `POST /v2/topics/{topicKey}/subscriptions` */
    readonly create: (...input: CallArguments<"topicSubscriptions.create">) => Promise<Output<"topicSubscriptions.create">>;
    /** Remove up to 100 subscribers or subscriptions from a topic. Entries are checked one by one: failures are listed in `errors`, and the status is still 200. `data` contains every deleted subscription and may have more items than `meta.successful`, which counts entries. `DELETE /v2/topics/{topicKey}/subscriptions` */
    readonly delete: (...input: CallArguments<"topicSubscriptions.delete">) => Promise<Output<"topicSubscriptions.delete">>;
    /** Retrieve a topic subscription. `GET /v2/topics/{topicKey}/subscriptions/{identifier}` */
    readonly retrieve: (...input: CallArguments<"topicSubscriptions.retrieve">) => Promise<Output<"topicSubscriptions.retrieve">>;
    /** Update a topic subscription. Only the given fields are changed; `preferences` are replaced as a whole, and an empty list clears them. `PATCH /v2/topics/{topicKey}/subscriptions/{identifier}` */
    readonly update: (...input: CallArguments<"topicSubscriptions.update">) => Promise<Output<"topicSubscriptions.update">>;
  };
  readonly contexts: {
    /** List contexts. `GET /v2/contexts` */
    readonly list: (...input: CallArguments<"contexts.list">) => Promise<Output<"contexts.list">>;
    /** Create a context. `POST /v2/contexts` */
    readonly create: (...input: CallArguments<"contexts.create">) => Promise<Output<"contexts.create">>;
    /** Retrieve a context. `GET /v2/contexts/{type}/{id}` */
    readonly retrieve: (...input: CallArguments<"contexts.retrieve">) => Promise<Output<"contexts.retrieve">>;
    /** Replace a context's data. `PATCH /v2/contexts/{type}/{id}` */
    readonly update: (...input: CallArguments<"contexts.update">) => Promise<Output<"contexts.update">>;
    /** Delete a context. Records with its key keep it; a later request that names the context creates it again. `DELETE /v2/contexts/{type}/{id}` */
    readonly delete: (...input: CallArguments<"contexts.delete">) => Promise<Output<"contexts.delete">>;
  };
  readonly integrations: {
    /** List integrations. `GET /v1/integrations` */
    readonly list: (...input: CallArguments<"integrations.list">) => Promise<Output<"integrations.list">>;
    /** Create an integration. `POST /v1/integrations` */
    readonly create: (...input: CallArguments<"integrations.create">) => Promise<Output<"integrations.create">>;
    /** Update an integration. Only the given fields are changed; `credentials`, `conditions` and `configurations` are replaced. `PUT /v1/integrations/{integrationId}` */
    readonly update: (...input: CallArguments<"integrations.update">) => Promise<Output<"integrations.update">>;
    /** Delete an integration. Returns the integrations that remain. Irreversible: the credentials are erased. `DELETE /v1/integrations/{integrationId}` */
    readonly delete: (...input: CallArguments<"integrations.delete">) => Promise<Output<"integrations.delete">>;
    /** List active integrations. `GET /v1/integrations/active` */
    readonly listActive: (...input: CallArguments<"integrations.listActive">) => Promise<Output<"integrations.listActive">>;
    /** Set the primary integration of a channel. Email and SMS only. It becomes active and loses its conditions; the previous primary stays active. `POST /v1/integrations/{integrationId}/set-primary` */
    readonly setPrimary: (...input: CallArguments<"integrations.setPrimary">) => Promise<Output<"integrations.setPrimary">>;
    /** Retry a failing integration now. Sends one of the waiting messages immediately, as the probe that would otherwise be due later. If none is waiting, the provider is asked whether the credentials work, where it supports that. The first response closes the circuit, and waiting messages are sent. Nothing happens to an integration that works. `POST /v1/integrations/{integrationId}/try-now` */
    readonly tryNow: (...input: CallArguments<"integrations.tryNow">) => Promise<Output<"integrations.tryNow">>;
    /** Create the URL that connects a chat workspace. For `slack` and `msteams`. The URL is valid for 10 minutes and for one connection. The provider redirects the user to `/v1/integrations/chat/oauth/callback` under `TIDINGS_PUBLIC_URL`, which stores the connection (or, if a webhook was requested, an endpoint of the subscriber) and shows the outcome, or redirects to the integration's `redirectUrl`. `POST /v1/integrations/chat/oauth` */
    readonly createChatOauthUrl: (...input: CallArguments<"integrations.createChatOauthUrl">) => Promise<Output<"integrations.createChatOauthUrl">>;
    /** Register the delivery webhook with the provider. For providers with `autoConfigure`. The webhook is registered once, however often this is called; the integration's `configurations` then contain what is needed to verify reports. `success` is false if the provider refuses or must be set up by hand; `message` explains why and how. `POST /v1/integrations/{integrationId}/auto-configure` */
    readonly autoConfigure: (...input: CallArguments<"integrations.autoConfigure">) => Promise<Output<"integrations.autoConfigure">>;
  };
  readonly providers: {
    /** List the providers. All of them, in a fixed order, with what a form for a new integration needs. `GET /v1/providers` */
    readonly list: (...input: CallArguments<"providers.list">) => Promise<Output<"providers.list">>;
  };
  readonly channelConnections: {
    /** List channel connections. With `subscriberId`, connections that all subscribers share are left out. `GET /v1/channel-connections` */
    readonly list: (...input: CallArguments<"channelConnections.list">) => Promise<Output<"channelConnections.list">>;
    /** Create a channel connection. A subscriber has one connection with an integration for each set of contexts. `POST /v1/channel-connections` */
    readonly create: (...input: CallArguments<"channelConnections.create">) => Promise<Output<"channelConnections.create">>;
    /** Retrieve a channel connection. `GET /v1/channel-connections/{identifier}` */
    readonly retrieve: (...input: CallArguments<"channelConnections.retrieve">) => Promise<Output<"channelConnections.retrieve">>;
    /** Replace a connection's workspace and credentials. `PATCH /v1/channel-connections/{identifier}` */
    readonly update: (...input: CallArguments<"channelConnections.update">) => Promise<Output<"channelConnections.update">>;
    /** Delete a channel connection. Endpoints that use the connection are deleted with it. `DELETE /v1/channel-connections/{identifier}` */
    readonly delete: (...input: CallArguments<"channelConnections.delete">) => Promise<Output<"channelConnections.delete">>;
  };
  readonly channelEndpoints: {
    /** List channel endpoints. `GET /v1/channel-endpoints` */
    readonly list: (...input: CallArguments<"channelEndpoints.list">) => Promise<Output<"channelEndpoints.list">>;
    /** Create a channel endpoint. `type` must be supported by the integration's provider, and `endpoint` must have the shape of its type. `POST /v1/channel-endpoints` */
    readonly create: (...input: CallArguments<"channelEndpoints.create">) => Promise<Output<"channelEndpoints.create">>;
    /** Retrieve a channel endpoint. `GET /v1/channel-endpoints/{identifier}` */
    readonly retrieve: (...input: CallArguments<"channelEndpoints.retrieve">) => Promise<Output<"channelEndpoints.retrieve">>;
    /** Replace the destination of an endpoint. `endpoint` keeps the shape of the endpoint's type. `PATCH /v1/channel-endpoints/{identifier}` */
    readonly update: (...input: CallArguments<"channelEndpoints.update">) => Promise<Output<"channelEndpoints.update">>;
    /** Delete a channel endpoint. `DELETE /v1/channel-endpoints/{identifier}` */
    readonly delete: (...input: CallArguments<"channelEndpoints.delete">) => Promise<Output<"channelEndpoints.delete">>;
  };
  readonly environments: {
    /** List all environments of the organisation. `GET /v1/environments` */
    readonly list: (...input: CallArguments<"environments.list">) => Promise<Output<"environments.list">>;
    /** Create an environment. A `dev` environment with an API key, an in-app integration and the capture providers. Only this response shows the new key to a key of another environment. `POST /v1/environments` */
    readonly create: (...input: CallArguments<"environments.create">) => Promise<Output<"environments.create">>;
    /** Update an environment. Omitted fields do not change. A key can only change its own environment. `PUT /v1/environments/{environmentId}` */
    readonly update: (...input: CallArguments<"environments.update">) => Promise<Output<"environments.update">>;
    /** Delete an environment. Requires a key of this environment. Its keys stop working immediately and everything in progress is canceled. This cannot be undone. `DELETE /v1/environments/{environmentId}` */
    readonly delete: (...input: CallArguments<"environments.delete">) => Promise<Output<"environments.delete">>;
    /** List the tags of an environment's workflows. `GET /v2/environments/{environmentId}/tags` */
    readonly listTags: (...input: CallArguments<"environments.listTags">) => Promise<Output<"environments.listTags">>;
    /** Retrieve the clock of an environment. `GET /v2/environments/{environmentId}/clock` */
    readonly retrieveClock: (...input: CallArguments<"environments.retrieveClock">) => Promise<Output<"environments.retrieveClock">>;
    /** Start or move an environment's test clock. Only for `dev` environments. A test clock does not run until it is moved, and only moves forward. On its way it stops at every moment something is waiting for (delays, digests, schedules, retries, snoozes) and continues once that is done. Returns 200 when it has arrived, or 202 with `status: moving` if that takes longer than 15 seconds, or immediately with an `idempotency-key`. See docs/testing.md. `PUT /v2/environments/{environmentId}/clock` */
    readonly updateClock: (...input: CallArguments<"environments.updateClock">) => Promise<Output<"environments.updateClock">>;
    /** Create an API key. Without a body: a key that may do everything. To rotate: create a key, deploy it, then revoke the old one. A key creates only keys with no more rights than its own: scope, expiry and networks. An environment has at most 20 live keys. `POST /v1/environments/{environmentId}/api-keys` */
    readonly createApiKey: (...input: CallArguments<"environments.createApiKey">) => Promise<Output<"environments.createApiKey">>;
    /** Change what an API key may do. Omitted fields do not change. The change holds from the next request on. A key changes only keys with no more rights than its own, and gives no more than it has. `PATCH /v1/environments/{environmentId}/api-keys/{keyId}` */
    readonly updateApiKey: (...input: CallArguments<"environments.updateApiKey">) => Promise<Output<"environments.updateApiKey">>;
    /** Revoke an API key. The last live key with the scope `full` cannot be revoked, nor one with more rights than the caller's. `DELETE /v1/environments/{environmentId}/api-keys/{keyId}` */
    readonly revokeApiKey: (...input: CallArguments<"environments.revokeApiKey">) => Promise<Output<"environments.revokeApiKey">>;
    /** Retrieve what is waiting in an environment, and what was sent last. On a test clock, runs that wait for the same moment in the same step are one entry; in real time, those for the same minute. One request reads the first 2,000 waiting runs and messages, and the newest 500 messages. See docs/testing.md. `GET /v2/environments/{environmentId}/timeline` */
    readonly retrieveTimeline: (...input: CallArguments<"environments.retrieveTimeline">) => Promise<Output<"environments.retrieveTimeline">>;
    /** Compare two environments. Requires a key of the target. Compares workflows and layouts, with their translations, categories, audiences with a rule, the brand and the attention budget by identifier, and lists those that differ. The identifier of the brand is `brand`, that of the attention budget `attention`. `POST /v2/environments/{targetEnvironmentId}/diff` */
    readonly diff: (...input: CallArguments<"environments.diff">) => Promise<Output<"environments.diff">>;
    /** Copy workflows, layouts, categories, audiences, brand and attention budget to another environment. Requires a key of the target. Copies all of them, or those named in `resources`, in one transaction, with the categories of workflows that the target lacks, and with the workflow that an attention budget sends roll-ups through. What exists only in the target is deleted there if `resources` names it, and kept otherwise. `results` has an entry for workflows and for layouts, and for others where there are any. Integrations, keys, subscribers, topics and fixed audiences are never copied. A resource that has issues of severity `error` in the target is copied, and the response lists them. `POST /v2/environments/{targetEnvironmentId}/publish` */
    readonly publish: (...input: CallArguments<"environments.publish">) => Promise<Output<"environments.publish">>;
    /** List what was published to an environment, newest first. Requires a key of the target. Kept for `TIDINGS_AUDIT_DAYS`. `GET /v2/environments/{environmentId}/publishes` */
    readonly listPublishes: (...input: CallArguments<"environments.listPublishes">) => Promise<Output<"environments.listPublishes">>;
    /** Retrieve a publish with what it changed. `GET /v2/environments/{environmentId}/publishes/{publishId}` */
    readonly retrievePublish: (...input: CallArguments<"environments.retrievePublish">) => Promise<Output<"environments.retrievePublish">>;
    /** Preview undoing a publish. `GET /v2/environments/{environmentId}/publishes/{publishId}/restore` */
    readonly planRestore: (...input: CallArguments<"environments.planRestore">) => Promise<Output<"environments.planRestore">>;
    /** Undo a publish. Requires a key of the target. Everything of the publish gets its previous content back, in one transaction; runs in progress finish with the version that started them. If resources were changed since, the error names them and nothing is changed, unless `overwriteChanges` is true. The restore is itself a publish, which can be undone too. Choices of subscribers for a deleted category do not come back. `POST /v2/environments/{environmentId}/publishes/{publishId}/restore` */
    readonly restorePublish: (...input: CallArguments<"environments.restorePublish">) => Promise<Output<"environments.restorePublish">>;
  };
  readonly environmentVariables: {
    /** List environment variables. By key. An API key sees the values that its environment has, a member those of all environments. Values of secrets are never returned. `GET /v1/environment-variables` */
    readonly list: (...input: CallArguments<"environmentVariables.list">) => Promise<Output<"environmentVariables.list">>;
    /** Create an environment variable. Templates and conditions read it as `env.<key>`. Without `values`, it is empty in the caller's environment. An environment has up to 100. `POST /v1/environment-variables` */
    readonly create: (...input: CallArguments<"environmentVariables.create">) => Promise<Output<"environmentVariables.create">>;
    /** Retrieve an environment variable. `GET /v1/environment-variables/{variableKey}` */
    readonly retrieve: (...input: CallArguments<"environmentVariables.retrieve">) => Promise<Output<"environmentVariables.retrieve">>;
    /** Update an environment variable. Omitted fields do not change, and environments that `values` does not name keep their value. A secret becomes plain only together with new values. The key changes only while nothing uses the variable. `PATCH /v1/environment-variables/{variableKey}` */
    readonly update: (...input: CallArguments<"environmentVariables.update">) => Promise<Output<"environmentVariables.update">>;
    /** Delete an environment variable. With an API key from its environment, for a member from all environments. Refused while a workflow or layout uses it. `DELETE /v1/environment-variables/{variableKey}` */
    readonly delete: (...input: CallArguments<"environmentVariables.delete">) => Promise<Output<"environmentVariables.delete">>;
    /** List the workflows and layouts that use an environment variable. `GET /v1/environment-variables/{variableKey}/usage` */
    readonly usage: (...input: CallArguments<"environmentVariables.usage">) => Promise<Output<"environmentVariables.usage">>;
  };
  readonly retention: {
    /** Retrieve how long an environment keeps its data. For each class: the days that apply and where they come from, the limits, its size, and what goes next. Also the stored months and the last runs, which concern the whole installation. See docs/retention.md. `GET /v2/environments/{environmentId}/retention` */
    readonly retrieve: (...input: CallArguments<"retention.retrieve">) => Promise<Output<"retention.retrieve">>;
    /** Change how long an environment keeps its data. `null` returns a class to the default of the installation; omitted classes do not change. Applies from the next run; what it deletes cannot be restored, so preview it first. 422 with the numbers if a class would be shorter than others need, or longer than the installation allows. `PATCH /v2/environments/{environmentId}/retention` */
    readonly update: (...input: CallArguments<"retention.update">) => Promise<Output<"retention.update">>;
    /** Show what other retentions would delete. With the given days, and those that apply now for all other classes. Nothing is changed or deleted; refused like an update. `POST /v2/environments/{environmentId}/retention/preview` */
    readonly preview: (...input: CallArguments<"retention.preview">) => Promise<Output<"retention.preview">>;
  };
  readonly webhooks: {
    /** List webhooks. All of them, oldest first, with their health: consecutive failures and waiting deliveries. `GET /v2/webhooks` */
    readonly list: (...input: CallArguments<"webhooks.list">) => Promise<Output<"webhooks.list">>;
    /** Create a webhook. An environment can have at most 20. Only this response contains the secret. `POST /v2/webhooks` */
    readonly create: (...input: CallArguments<"webhooks.create">) => Promise<Output<"webhooks.create">>;
    /** Retrieve a webhook. `GET /v2/webhooks/{webhookId}` */
    readonly retrieve: (...input: CallArguments<"webhooks.retrieve">) => Promise<Output<"webhooks.retrieve">>;
    /** Update a webhook. `active: true` also re-enables a webhook that the service disabled. `PATCH /v2/webhooks/{webhookId}` */
    readonly update: (...input: CallArguments<"webhooks.update">) => Promise<Output<"webhooks.update">>;
    /** Delete a webhook. Pending deliveries are dropped. `DELETE /v2/webhooks/{webhookId}` */
    readonly delete: (...input: CallArguments<"webhooks.delete">) => Promise<Output<"webhooks.delete">>;
    /** Rotate a webhook's secret. For 24 hours, deliveries are signed with both the new and the previous secret. `POST /v2/webhooks/{webhookId}/rotate-secret` */
    readonly rotateSecret: (...input: CallArguments<"webhooks.rotateSecret">) => Promise<Output<"webhooks.rotateSecret">>;
    /** List deliveries to a webhook. Newest first. Kept for 30 days. `GET /v2/webhooks/{webhookId}/deliveries` */
    readonly listDeliveries: (...input: CallArguments<"webhooks.listDeliveries">) => Promise<Output<"webhooks.listDeliveries">>;
    /** Retrieve a delivery with its request. `GET /v2/webhooks/{webhookId}/deliveries/{deliveryId}` */
    readonly retrieveDelivery: (...input: CallArguments<"webhooks.retrieveDelivery">) => Promise<Output<"webhooks.retrieveDelivery">>;
    /** Send a test event. Immediately sends the receiver one request, even when the webhook is disabled, with an event of type `webhook.test` that is signed like all others. Returns the delivery; `failed` when the receiver did not return 2xx. A test is not retried and does not count for disabling the webhook. `POST /v2/webhooks/{webhookId}/test` */
    readonly test: (...input: CallArguments<"webhooks.test">) => Promise<Output<"webhooks.test">>;
    /** Repeat deliveries. With `ids`, repeats these deliveries, even those that succeeded. With `since`, repeats those that failed permanently since then, up to the oldest 1,000, including what a webhook missed while the service had disabled it. Give one of the two. Events keep their id. Pending deliveries are not affected. `POST /v2/webhooks/{webhookId}/replay` */
    readonly replay: (...input: CallArguments<"webhooks.replay">) => Promise<Output<"webhooks.replay">>;
  };
  readonly sources: {
    /** List sources. Databases whose transactions trigger events by SQL, with their lag and health. See docs/sql-trigger.md. `GET /v2/sources` */
    readonly list: (...input: CallArguments<"sources.list">) => Promise<Output<"sources.list">>;
    /** Create a source. An outbox in another PostgreSQL, which `tidings outbox install` created there. Its connection and permissions are checked first. An environment can have at most 20. The local source is created by `tidings grant-sql`. `POST /v2/sources` */
    readonly create: (...input: CallArguments<"sources.create">) => Promise<Output<"sources.create">>;
    /** Retrieve a source. `GET /v2/sources/{sourceId}` */
    readonly retrieve: (...input: CallArguments<"sources.retrieve">) => Promise<Output<"sources.retrieve">>;
    /** Update a source. A new address or schema is checked like that of a new source. `paused: true` takes nothing more from it; rows that were claimed before are still accepted. `PATCH /v2/sources/{sourceId}` */
    readonly update: (...input: CallArguments<"sources.update">) => Promise<Output<"sources.update">>;
    /** Delete a source. What waits in its outbox stays there. The local source cannot be deleted: `tidings grant-sql --revoke` ends the calls of its roles. `DELETE /v2/sources/{sourceId}` */
    readonly delete: (...input: CallArguments<"sources.delete">) => Promise<Output<"sources.delete">>;
    /** Check a source. Connects to its database now, and says whether the outbox can be read, emptied and listened to. `POST /v2/sources/{sourceId}/check` */
    readonly check: (...input: CallArguments<"sources.check">) => Promise<Output<"sources.check">>;
  };
  readonly inboundWebhooks: {
    /** Receive delivery reports from a provider. The address to enter at the provider. The integration's `configurations.inboundWebhookEnabled` must be true, and the report must be signed with `inboundWebhookSigningKey`: by the provider's own scheme if it has one, otherwise by Standard Webhooks or with the key as the password of HTTP basic authentication. The body is JSON or a form, as the provider sends it. A repeated report has no additional effect. `POST /v2/inbound-webhooks/delivery-providers/{environmentId}/{integrationId}` */
    readonly receive: (...input: CallArguments<"inboundWebhooks.receive">) => Promise<Output<"inboundWebhooks.receive">>;
    /** Receive a delivery report by GET. The same address for providers that report in the query string. A report is verified, read and deduplicated like one sent by POST; a Standard Webhooks signature covers the query string instead of the body. A provider that verifies the address first (WhatsApp: `hub.mode`, `hub.verify_token`, `hub.challenge`) gets its challenge back as plain text if it sends the integration's verify token. `GET /v2/inbound-webhooks/delivery-providers/{environmentId}/{integrationId}` */
    readonly receiveByGet: (...input: CallArguments<"inboundWebhooks.receiveByGet">) => Promise<Output<"inboundWebhooks.receiveByGet">>;
  };
  readonly inboundReceipts: {
    /** List what providers reported. Newest first. Kept for 7 days, up to the newest 50,000 per environment and the newest 1,000 refused ones. If many requests are refused at once, only some of them are kept. `GET /v1/receipts` */
    readonly list: (...input: CallArguments<"inboundReceipts.list">) => Promise<Output<"inboundReceipts.list">>;
  };
  readonly suppressions: {
    /** List suppressed addresses. `GET /v2/suppressions` */
    readonly list: (...input: CallArguments<"suppressions.list">) => Promise<Output<"suppressions.list">>;
    /** Suppress an address. Returns 201, or 200 with the existing record if the address is already suppressed. `POST /v2/suppressions` */
    readonly create: (...input: CallArguments<"suppressions.create">) => Promise<Output<"suppressions.create">>;
    /** Lift a suppression. Identified by its id or by the address. `DELETE /v2/suppressions/{suppressionId}` */
    readonly delete: (...input: CallArguments<"suppressions.delete">) => Promise<Output<"suppressions.delete">>;
  };
  readonly captured: {
    /** List captured messages. Newest first by default. Captured messages never left the service. Kept for 30 days, up to the newest 10,000 per environment. `GET /v2/captured` */
    readonly list: (...input: CallArguments<"captured.list">) => Promise<Output<"captured.list">>;
    /** Empty the mailbox of the capture providers. Deletes everything, or what the filters match: at most 10,000 per call, oldest first; repeat while `hasMore` is true. The messages themselves are kept. `DELETE /v2/captured` */
    readonly delete: (...input: CallArguments<"captured.delete">) => Promise<Output<"captured.delete">>;
    /** Retrieve a captured message. `GET /v2/captured/{id}` */
    readonly retrieve: (...input: CallArguments<"captured.retrieve">) => Promise<Output<"captured.retrieve">>;
    /** Delete a captured message. Deletes it from the mailbox; the message itself is kept. `DELETE /v2/captured/{id}` */
    readonly deleteOne: (...input: CallArguments<"captured.deleteOne">) => Promise<Output<"captured.deleteOne">>;
    /** Retrieve an attachment of a captured mail. Attachments are stored with the event: they are available for as long as the event is kept. `GET /v2/captured/{id}/attachments/{index}` */
    readonly retrieveAttachment: (...input: CallArguments<"captured.retrieveAttachment">) => Promise<Output<"captured.retrieveAttachment">>;
  };
  readonly deadLetters: {
    /** Group open dead letters by their cause. One group per integration and error class, largest first, at most 100, with the workflows it affects. The newest 50,000 open letters are counted. `integrationIdentifier` and `errorClass` of a group select its letters; `workflowId` narrows them to one workflow. `GET /v1/dead-letters/groups` */
    readonly listGroups: (...input: CallArguments<"deadLetters.listGroups">) => Promise<Output<"deadLetters.listGroups">>;
    /** List messages that could not be delivered. Newest first. Kept for 30 days by default. `GET /v1/dead-letters` */
    readonly list: (...input: CallArguments<"deadLetters.list">) => Promise<Output<"deadLetters.list">>;
    /** Send one dead letter again. Its job runs again, starting with the choice of the integration, with the stored content. `POST /v1/dead-letters/{id}/replay` */
    readonly replay: (...input: CallArguments<"deadLetters.replay">) => Promise<Output<"deadLetters.replay">>;
    /** Send many dead letters again. Selected by `ids` or by `filter`, at most 1,000 per call. Letters that were already replayed are skipped. `POST /v1/dead-letters/replay` */
    readonly replayMany: (...input: CallArguments<"deadLetters.replayMany">) => Promise<Output<"deadLetters.replayMany">>;
  };
  readonly attention: {
    /** Retrieve the attention budget of the environment. `GET /v2/attention` */
    readonly retrieve: (...input: CallArguments<"attention.retrieve">) => Promise<Output<"attention.retrieve">>;
    /** Replace the attention budget of the environment. Applies to messages from now on; what is held waits for its time. The first budget that rolls up creates the workflow `roll-up`, whose steps are the template of roll-ups. `PUT /v2/attention` */
    readonly update: (...input: CallArguments<"attention.update">) => Promise<Output<"attention.update">>;
    /** Show what a budget would have done. Replays the messages of the last days with these budgets, message by message and person by person. Nothing is stored or sent. `POST /v2/attention/forecast` */
    readonly forecast: (...input: CallArguments<"attention.forecast">) => Promise<Output<"attention.forecast">>;
  };
  readonly deadLetterReplays: {
    /** Show what a replay would do. Nothing is sent or changed. `POST /v1/dead-letters/replays/preview` */
    readonly preview: (...input: CallArguments<"deadLetterReplays.preview">) => Promise<Output<"deadLetterReplays.preview">>;
    /** Replay dead letters at a fixed pace. The service sends `perSecond` messages per second until all are sent, even across a restart. Every letter is replayed once, even if other replays run at the same time. Letters that appear later are not included. An environment can have at most 10 running or paused replays. `POST /v1/dead-letters/replays` */
    readonly create: (...input: CallArguments<"deadLetterReplays.create">) => Promise<Output<"deadLetterReplays.create">>;
    /** List replays. Newest first. Kept as long as dead letters, 30 days by default. `GET /v1/dead-letters/replays` */
    readonly list: (...input: CallArguments<"deadLetterReplays.list">) => Promise<Output<"deadLetterReplays.list">>;
    /** Retrieve a replay with its progress. `GET /v1/dead-letters/replays/{replayId}` */
    readonly retrieve: (...input: CallArguments<"deadLetterReplays.retrieve">) => Promise<Output<"deadLetterReplays.retrieve">>;
    /** Pause a replay. Messages of the current second are still sent. The replay stays paused until it is resumed. `POST /v1/dead-letters/replays/{replayId}/pause` */
    readonly pause: (...input: CallArguments<"deadLetterReplays.pause">) => Promise<Output<"deadLetterReplays.pause">>;
    /** Resume a paused replay. `POST /v1/dead-letters/replays/{replayId}/resume` */
    readonly resume: (...input: CallArguments<"deadLetterReplays.resume">) => Promise<Output<"deadLetterReplays.resume">>;
    /** Stop a replay permanently. Letters that have not been replayed stay open. `POST /v1/dead-letters/replays/{replayId}/stop` */
    readonly stop: (...input: CallArguments<"deadLetterReplays.stop">) => Promise<Output<"deadLetterReplays.stop">>;
  };
  readonly failedTasks: {
    /** List pipeline tasks that were set aside. Newest first. Kept as long as dead letters, 30 days by default. See docs/delivery.md. `GET /v1/failed-tasks` */
    readonly list: (...input: CallArguments<"failedTasks.list">) => Promise<Output<"failedTasks.list">>;
    /** Put a failed task back into the queue. It starts over. A task that fails again is set aside again, with a new id. `POST /v1/failed-tasks/{id}/replay` */
    readonly replay: (...input: CallArguments<"failedTasks.replay">) => Promise<Output<"failedTasks.replay">>;
  };
  readonly alertRules: {
    /** List alert rules. All of them, oldest first. A new environment has rules that show their alerts in the dashboard. `GET /v2/alert-rules` */
    readonly list: (...input: CallArguments<"alertRules.list">) => Promise<Output<"alertRules.list">>;
    /** Create an alert rule. An environment can have at most 50. `POST /v2/alert-rules` */
    readonly create: (...input: CallArguments<"alertRules.create">) => Promise<Output<"alertRules.create">>;
    /** Retrieve an alert rule. `GET /v2/alert-rules/{ruleId}` */
    readonly retrieve: (...input: CallArguments<"alertRules.retrieve">) => Promise<Output<"alertRules.retrieve">>;
    /** Update an alert rule. `active: false` closes its open alerts without a message. The kind cannot change: `parameters` are those of the rule's kind. `PATCH /v2/alert-rules/{ruleId}` */
    readonly update: (...input: CallArguments<"alertRules.update">) => Promise<Output<"alertRules.update">>;
    /** Delete an alert rule. Its open alerts are closed without a message. `DELETE /v2/alert-rules/{ruleId}` */
    readonly delete: (...input: CallArguments<"alertRules.delete">) => Promise<Output<"alertRules.delete">>;
    /** Send a test message to the targets of a rule. Sends each target one message at once, without retries, and returns what each said. `POST /v2/alert-rules/{ruleId}/test` */
    readonly test: (...input: CallArguments<"alertRules.test">) => Promise<Output<"alertRules.test">>;
  };
  readonly alerts: {
    /** List alerts. Newest first. Kept for 90 days after they ended. `GET /v2/alerts` */
    readonly list: (...input: CallArguments<"alerts.list">) => Promise<Output<"alerts.list">>;
    /** Acknowledge an alert. Somebody has taken it on: it is not repeated. It stays open until its cause is gone. `POST /v2/alerts/{alertId}/acknowledge` */
    readonly acknowledge: (...input: CallArguments<"alerts.acknowledge">) => Promise<Output<"alerts.acknowledge">>;
  };
  readonly auth: {
    /** List the ways to sign in. `GET /v1/auth/methods` */
    readonly methods: (...input: CallArguments<"auth.methods">) => Promise<Output<"auth.methods">>;
    /** Retrieve the signed-in member and what their requests need. `GET /v1/auth/session` */
    readonly retrieveSession: (...input: CallArguments<"auth.retrieveSession">) => Promise<Output<"auth.retrieveSession">>;
    /** Sign in with email and password. The response sets the session cookie. Attempts are limited per address and per account. `POST /v1/auth/sign-in` */
    readonly signIn: (...input: CallArguments<"auth.signIn">) => Promise<Output<"auth.signIn">>;
    /** Retrieve the purpose of a one-time link. `POST /v1/auth/link/check` */
    readonly checkLink: (...input: CallArguments<"auth.checkLink">) => Promise<Output<"auth.checkLink">>;
    /** Use a one-time link and sign in. For links from `npm start` and `npm run sign-in`, invitations and password resets. `email` is used for a `first` link only. A password is required unless sign-in with OpenID Connect is configured. All earlier sessions of the member end. `POST /v1/auth/link` */
    readonly redeemLink: (...input: CallArguments<"auth.redeemLink">) => Promise<Output<"auth.redeemLink">>;
    /** Sign out. `DELETE /v1/auth/session` */
    readonly signOut: (...input: CallArguments<"auth.signOut">) => Promise<Output<"auth.signOut">>;
    /** Sign out everywhere. `DELETE /v1/auth/sessions` */
    readonly signOutEverywhere: (...input: CallArguments<"auth.signOutEverywhere">) => Promise<Output<"auth.signOutEverywhere">>;
    /** Change your name or password. A new password requires the current one or, if there is none, a sign-in within the last 10 minutes. It ends all the member's other sessions. Attempts are limited per account, and ten wrong ones end the session. `PATCH /v1/auth/person` */
    readonly updatePerson: (...input: CallArguments<"auth.updatePerson">) => Promise<Output<"auth.updatePerson">>;
  };
  readonly people: {
    /** List the members of the installation. Sorted by name; there are at most 1,000. `GET /v1/people` */
    readonly list: (...input: CallArguments<"people.list">) => Promise<Output<"people.list">>;
    /** Change a member's role. Invitations and reset links created by a member who is no longer an owner stop working. `PATCH /v1/people/{personId}` */
    readonly update: (...input: CallArguments<"people.update">) => Promise<Output<"people.update">>;
    /** Remove a member. All the member's sessions end immediately, and invitations and reset links that the member created stop working. API keys that the member created keep working. `DELETE /v1/people/{personId}` */
    readonly delete: (...input: CallArguments<"people.delete">) => Promise<Output<"people.delete">>;
    /** Create a link for a member to set a new password. It works once, within 24 hours. The member's earlier links stop working. `POST /v1/people/{personId}/reset-link` */
    readonly createResetLink: (...input: CallArguments<"people.createResetLink">) => Promise<Output<"people.createResetLink">>;
    /** List open reset links. Newest first; a member has at most one. The links themselves are not shown again. `GET /v1/people/reset-links` */
    readonly listResetLinks: (...input: CallArguments<"people.listResetLinks">) => Promise<Output<"people.listResetLinks">>;
    /** Revoke a reset link. `DELETE /v1/people/reset-links/{resetLinkId}` */
    readonly deleteResetLink: (...input: CallArguments<"people.deleteResetLink">) => Promise<Output<"people.deleteResetLink">>;
    /** List open invitations. Newest first; there are at most 100. `GET /v1/people/invitations` */
    readonly listInvitations: (...input: CallArguments<"people.listInvitations">) => Promise<Output<"people.listInvitations">>;
    /** Invite a member. The link works once, within 7 days. A new invitation for the same address replaces the earlier one. If the installation has a mail server (`TIDINGS_MAIL_URL`), the link is mailed; integrations are not used for it. `POST /v1/people/invitations` */
    readonly createInvitation: (...input: CallArguments<"people.createInvitation">) => Promise<Output<"people.createInvitation">>;
    /** Revoke an invitation. `DELETE /v1/people/invitations/{invitationId}` */
    readonly deleteInvitation: (...input: CallArguments<"people.deleteInvitation">) => Promise<Output<"people.deleteInvitation">>;
  };
  readonly auditLog: {
    /** List changes, newest first. Changes by members, configuration changes by API keys, and calls of the tools for assistants. Kept for `TIDINGS_AUDIT_DAYS`. `GET /v1/audit-log` */
    readonly list: (...input: CallArguments<"auditLog.list">) => Promise<Output<"auditLog.list">>;
    /** Export changes as CSV or JSON lines, newest first. Returns a part of the file with at most 100 entries, and the cursor of the next part; the parts in sequence form the file. The first part of a CSV starts with the column names. A cell that a spreadsheet would read as a formula starts with an apostrophe. `GET /v1/audit-log/export` */
    readonly export: (...input: CallArguments<"auditLog.export">) => Promise<Output<"auditLog.export">>;
  };
  readonly system: {
    /** Retrieve the state of the system. Figures for the whole installation reveal no details of other environments. `GET /v1/system` */
    readonly retrieve: (...input: CallArguments<"system.retrieve">) => Promise<Output<"system.retrieve">>;
  };
};

export type ErrorCode =
  | "MALFORMED_JSON"
  | "MALFORMED_REQUEST"
  | "MALFORMED_FORM"
  | "IDEMPOTENCY_KEY_TOO_LONG"
  | "PAYLOAD_VALIDATION_ERROR"
  | "BRIDGE_SYNC_FAILED"
  | "PROVIDER_CHECK_FAILED"
  | "PROVIDER_HOST_UNRESOLVED"
  | "PRIMARY_NOT_SUPPORTED"
  | "OAUTH_NOT_SUPPORTED"
  | "SAME_ENVIRONMENT"
  | "DUPLICATE_TAG"
  | "PUBLIC_URL_MISSING"
  | "ENVIRONMENT_HEADER_MISSING"
  | "CRITICAL_WORKFLOW"
  | "REQUIRED_CATEGORY"
  | "ACTION_NOT_FOUND"
  | "MISSING_AUTHORIZATION"
  | "INVALID_AUTH_SCHEME"
  | "UNAUTHORIZED"
  | "API_KEY_NOT_FOUND"
  | "API_KEY_EXPIRED"
  | "LIVE_CONNECTION_LIMIT"
  | "SIGN_IN_REQUIRED"
  | "SIGN_IN_FAILED"
  | "INVALID_SIGNATURE"
  | "INBOX_TOKEN_INVALID"
  | "INBOX_HASH_MISSING"
  | "INBOX_HASH_WRONG"
  | "ORIGIN_NOT_ALLOWED"
  | "FORBIDDEN"
  | "API_KEY_SCOPE"
  | "API_KEY_NETWORK"
  | "API_KEY_RIGHTS"
  | "ROLE_NOT_ALLOWED"
  | "RECENT_SIGN_IN_REQUIRED"
  | "CSRF_TOKEN_WRONG"
  | "WRONG_VERIFY_TOKEN"
  | "LINK_NOT_VALID"
  | "PERSON_NOT_FOUND"
  | "INVITATION_NOT_FOUND"
  | "RESET_LINK_NOT_FOUND"
  | "NOT_SUPPORTED"
  | "ROUTE_NOT_FOUND"
  | "CONNECTION_NOT_FOUND"
  | "DEAD_LETTER_NOT_FOUND"
  | "DEAD_LETTER_NOT_OPEN"
  | "STEP_NOT_RESENDABLE"
  | "RESEND_REFUSED"
  | "RESEND_IN_PROGRESS"
  | "RESEND_LIMIT"
  | "REPLAY_NOT_FOUND"
  | "REPLAY_ENDED"
  | "REPLAY_LIMIT"
  | "IMPORT_NOT_FOUND"
  | "IMPORT_TOO_LARGE"
  | "IMPORT_LIMIT_REACHED"
  | "ASSET_NOT_FOUND"
  | "ASSET_TOO_LARGE"
  | "ASSET_LIMIT_REACHED"
  | "FAILED_TASK_NOT_FOUND"
  | "FAILED_TASK_NOT_OPEN"
  | "CONTEXT_NOT_FOUND"
  | "ENDPOINT_NOT_FOUND"
  | "ENVIRONMENT_NOT_FOUND"
  | "GALLERY_TEMPLATE_NOT_FOUND"
  | "INTEGRATION_NOT_FOUND"
  | "MESSAGE_NOT_FOUND"
  | "NOTIFICATION_NOT_FOUND"
  | "SUBSCRIBER_NOT_FOUND"
  | "ERASURE_NOT_FOUND"
  | "SUBSCRIPTION_NOT_FOUND"
  | "TOPIC_NOT_FOUND"
  | "TRANSACTION_NOT_FOUND"
  | "AUDIENCE_NOT_FOUND"
  | "BROADCAST_NOT_FOUND"
  | "BACKTEST_NOT_FOUND"
  | "BROADCAST_NOT_CHECKED"
  | "RETRACTION_NOT_FOUND"
  | "SUPERSEDE_KEY_NOT_FOUND"
  | "WORKFLOW_NOT_FOUND"
  | "STEP_NOT_FOUND"
  | "PUBLISH_NOT_FOUND"
  | "WORKFLOW_VERSION_NOT_FOUND"
  | "DIGEST_NOT_FOUND"
  | "CAPTURED_NOT_FOUND"
  | "CAPTURED_ATTACHMENT_NOT_FOUND"
  | "CATEGORY_NOT_FOUND"
  | "LAYOUT_NOT_FOUND"
  | "COMMENT_NOT_FOUND"
  | "TOO_MANY_COMMENTS"
  | "STEP_TEMPLATE_NOT_FOUND"
  | "STEP_TEMPLATE_NAME_TAKEN"
  | "STEP_TEMPLATE_LIMIT"
  | "VARIABLE_NOT_FOUND"
  | "VARIABLE_KEY_TAKEN"
  | "VARIABLE_LIMIT"
  | "VARIABLE_IN_USE"
  | "TRANSLATION_NOT_FOUND"
  | "TRANSLATION_GROUP_NOT_FOUND"
  | "SUPPRESSION_NOT_FOUND"
  | "ALERT_RULE_NOT_FOUND"
  | "ALERT_NOT_FOUND"
  | "WEBHOOK_NOT_FOUND"
  | "SOURCE_NOT_FOUND"
  | "WEBHOOK_DELIVERY_NOT_FOUND"
  | "KEY_NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "CONNECTION_EXISTS"
  | "CONTEXT_EXISTS"
  | "ENDPOINT_EXISTS"
  | "ENVIRONMENT_PROTECTED"
  | "ENVIRONMENT_LIMIT"
  | "ENVIRONMENT_IDENTIFIER_TAKEN"
  | "TEST_CLOCK_REFUSED"
  | "TEST_CLOCK_BACKWARDS"
  | "PUBLISH_RESTORED"
  | "PUBLISH_CHANGED_SINCE"
  | "PERSON_EXISTS"
  | "PEOPLE_LIMIT"
  | "LAST_OWNER"
  | "API_KEY_LIMIT"
  | "LAST_API_KEY"
  | "CATEGORY_ID_TAKEN"
  | "CATEGORY_LIMIT"
  | "CATEGORY_IN_USE"
  | "CATEGORY_HAS_CHOICES"
  | "LAYOUT_ID_TAKEN"
  | "LAYOUT_IS_DEFAULT"
  | "LAYOUT_IN_USE"
  | "LAYOUT_MISSING_IN_TARGET"
  | "AUDIENCE_MISSING_IN_TARGET"
  | "IDEMPOTENCY_IN_PROGRESS"
  | "INTEGRATION_IDENTIFIER_TAKEN"
  | "IN_APP_INTEGRATION_EXISTS"
  | "SUBSCRIBER_EXISTS"
  | "SUBSCRIBER_BEING_ERASED"
  | "TOPIC_EXISTS"
  | "AUDIENCE_EXISTS"
  | "AUDIENCE_LIMIT"
  | "AUDIENCE_IN_USE"
  | "AUDIENCE_KIND"
  | "AUDIENCE_MATCHES_EVERYONE"
  | "AUDIENCE_TOO_SLOW"
  | "BROADCAST_LIMIT"
  | "BROADCAST_STATE"
  | "BROADCAST_CHANGED"
  | "BROADCAST_INCOMPLETE"
  | "BROADCAST_OWN_APPROVAL"
  | "BACKTEST_RUNNING"
  | "BACKTEST_TEST_CLOCK"
  | "BACKTEST_EMPTY"
  | "BACKTEST_ENDED"
  | "ALERT_RULE_LIMIT"
  | "ALERT_RULE_NAME_TAKEN"
  | "WEBHOOK_LIMIT"
  | "SOURCE_LIMIT"
  | "SOURCE_LOCAL"
  | "WEBHOOK_INACTIVE"
  | "NOTIFICATION_SNOOZED"
  | "WORKFLOW_ID_TAKEN"
  | "WORKFLOW_IN_CODE"
  | "BRIDGE_WORKFLOW_TAKEN"
  | "LAYOUT_CHANGED"
  | "WORKFLOW_CHANGED"
  | "FILES_CHANGED"
  | "FILES_HAVE_ISSUES"
  | "TOO_MANY_FILES"
  | "SCENARIO_TOO_LARGE"
  | "PAYLOAD_TOO_LARGE"
  | "REQUEST_TIMEOUT"
  | "HEADERS_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "MULTIPART_REQUIRED"
  | "VALIDATION_ERROR"
  | "IDEMPOTENCY_KEY_REUSED"
  | "RATE_LIMITED"
  | "QUERY_TOO_EXPENSIVE"
  | "INTERNAL_ERROR"
  | "DATABASE_FULL"
  | "DATABASE_LOCKED"
  | "DATABASE_SLOW"
  | "DATABASE_EXHAUSTED"
  | "UNAVAILABLE";

export type ActivityEvent = {
  id: string;
  transactionId: string;
  workflow: ActivityWorkflow;
  /** When the event was accepted (ISO 8601, UTC) */
  createdAt: string;
  /** A test of a draft (`workflows.test`); absent otherwise */
  isTest?: boolean;
  startedBy?: ActivityStarter;
  /** The first 300 characters of its JSON */
  payload: string;
  searchKey?: SearchKeyValue;
  /** Notifications it became, counted up to 500 */
  recipients: number;
  /** It has more recipients than were counted */
  isCapped: boolean;
  outcomes: ActivityOutcomes;
  /** `accepted`: has no notifications yet; `expanding`: more are being created; `refused`: the workflow was not active (`trigger_not_active`), and nothing was sent */
  status: "accepted" | "expanding" | "expanded" | "canceled" | "refused";
  /** The outcomes in a sentence; for an event with one recipient, what its steps did */
  verdict: string;
  recipient?: ActivityRecipient;
};

export type ActivityEventList = {
  data: ActivityEvent[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** All events later than this have been scanned (ISO 8601, UTC) */
  scannedTo?: string;
  /** The newest event that this request has scanned, while `next` is not null (ISO 8601, UTC) */
  scannedFrom?: string;
};

export type ActivityOutcomes = {
  /** At least one message was accepted by a provider or is in the feed; none failed */
  delivered: number;
  /** A step failed, and the subscriber got nothing */
  failed: number;
  /** A step failed, and at least one message was sent */
  partly: number;
  /** Steps are waiting or being sent */
  pending: number;
  /** Joined the digest of another event */
  merged: number;
  canceled: number;
  /** Nothing was sent, because of conditions or preferences, or because an address or a channel step was missing */
  skipped: number;
};

/** For an event with one recipient */
export type ActivityRecipient = {
  subscriberId: string;
  firstName?: string;
  lastName?: string;
};

/** The step `start_workflow` of another run that started it; absent for an event of a request */
export type ActivityStarter = {
  workflowId: string;
  stepId: string;
  notificationId: string;
};

export type ActivityWorkflow = {
  _id: string;
  workflowId: string;
  name: string;
  /** Channels of its active steps */
  channels: Channel[];
};

export type Alert = {
  _id: string;
  ruleId: string;
  ruleName: string;
  kind: "dead_letters" | "integration_failing" | "queue_age" | "webhook_failing" | "source_failing" | "storage" | "workflow_objective" | "workflow_runaway";
  /** What was found, as a word for programs, such as `breaker_open` */
  code: string;
  status: AlertStatus;
  subject: AlertSubject;
  /** The figures behind it, from the last evaluation that found it */
  facts: Record<string, string | number>;
  /** One line, such as the subject of a mail */
  title: string;
  /** What was found, with the figures */
  text: string;
  /** What to do about it */
  advice: string;
  /** The dashboard's screen that fixes it, below the address of the service */
  path: string;
  /** When it was first seen (ISO 8601, UTC) */
  openedAt: string;
  /** When it was last seen (ISO 8601, UTC) */
  lastSeenAt: string;
  /** When it ended (ISO 8601, UTC) */
  resolvedAt?: string;
  /** Why it ended */
  ending?: "recovered" | "rule_paused" | "rule_deleted";
  /** When somebody took it on; no more repeats since (ISO 8601, UTC) */
  acknowledgedAt?: string;
  /** Name of the member, or `API key` */
  acknowledgedBy?: string;
  /** The newest 20 messages about it, newest first */
  messages: AlertMessage[];
};

export type AlertKind = "dead_letters" | "integration_failing" | "queue_age" | "webhook_failing" | "source_failing" | "storage" | "workflow_objective" | "workflow_runaway";

export type AlertMessage = {
  target: AlertTarget;
  /** `passed`: the alert opened and ended within a quiet time, and is reported afterwards */
  notice: "opened" | "repeated" | "resolved" | "passed";
  status: "pending" | "sent" | "failed";
  /** Sent to the owners, because a target of the rule failed */
  isFallback: boolean;
  attempts: number;
  /** What the receiver said last, or why the message was not sent */
  detail?: string;
  /** When the message was written (ISO 8601, UTC) */
  createdAt: string;
  /** Last attempt (ISO 8601, UTC) */
  lastAttemptAt?: string;
};

export type AlertPage = {
  /** Counted up to 50,000 */
  totalCount: number;
  /** Open alerts of the environment, whatever the filters */
  openCount: number;
  /** More items follow this page */
  hasMore: boolean;
  data: Alert[];
  /** Number of items in this page */
  pageSize: number;
  page: number;
};

export type AlertQuietTimes = {
  timezone: string;
  days: number[];
  from: string;
  to: string;
};

export type AlertQuietTimesIn = {
  /** IANA name */
  timezone: string;
  /** Days on which the quiet time begins: 1 is Monday, 7 is Sunday */
  days: number[];
  /** Local time, such as `22:00` */
  from: string;
  /** Local time; at or before `from`, it is on the next day */
  to: string;
};

export type AlertRule = {
  _id: string;
  name: string;
  kind: AlertKind;
  /** The parameters that belong to `kind` */
  parameters: Record<string, unknown>;
  targets: AlertTarget[];
  /** Messages wait until it is over */
  quiet: AlertQuietTimes | null;
  /** null: an alert is sent once */
  repeatAfterMinutes: number | null;
  active: boolean;
  /** Alerts of the rule that are open */
  openAlerts: number;
  /** When the rule was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
};

export type AlertRuleIn = {
  /** Unique in the environment */
  name: string;
  kind: "dead_letters" | "integration_failing" | "queue_age" | "webhook_failing" | "source_failing" | "storage" | "workflow_objective" | "workflow_runaway";
  /** The parameters that belong to `kind` */
  parameters: Record<string, unknown>;
  /** In addition to the dashboard. A webhook that is kept without its `secret` keeps the stored one */
  targets?: AlertTargetIn[];
  /** Messages wait until it is over */
  quiet?: AlertQuietTimesIn | null;
  /** An alert that is still open is sent again after so long; null: once */
  repeatAfterMinutes?: number | null;
  active?: boolean;
};

export type AlertRulePatch = {
  /** Unique in the environment */
  name?: string;
  /** The parameters that belong to `kind` */
  parameters?: Record<string, unknown>;
  /** In addition to the dashboard. A webhook that is kept without its `secret` keeps the stored one */
  targets?: AlertTargetIn[];
  /** Messages wait until it is over */
  quiet?: AlertQuietTimesIn | null;
  /** An alert that is still open is sent again after so long; null: once */
  repeatAfterMinutes?: number | null;
  active?: boolean;
};

export type AlertStatus = "open" | "resolved";

export type AlertSubject = {
  type: "integration" | "workflow" | "webhook" | "source" | "queue" | "environment" | "installation";
  id: string;
  name: string;
};

export type AlertTarget = {
  type: AlertTargetType;
  to?: string[];
  integrationIdentifier?: string;
  url?: string;
  /** The host of `url` */
  host?: string;
  secret?: string;
};

export type AlertTargetIn = {
  type: AlertTargetType;
  /** Email addresses, for `email` */
  to?: string[];
  /** For `email`: the integration to send through. Another one is used while it fails, and for alerts about itself */
  integrationIdentifier?: string;
  /** For `webhook` and `slack`: HTTPS, or HTTP in development environments; private addresses are refused */
  url?: string;
  /** For `webhook`: signs the messages as Standard Webhooks says. Generated if it is left out */
  secret?: string;
};

export type AlertTargetTest = {
  target: AlertTarget;
  status: "sent" | "failed";
  /** What the receiver said, or which way the email took */
  detail: string;
};

/** `owners`: the members with the role owner, by email. `slack`: an incoming webhook of Slack. The dashboard shows every alert in any case */
export type AlertTargetType = "email" | "owners" | "webhook" | "slack";

export type ApiKey = {
  /** The id for environments.updateApiKey and environments.revokeApiKey */
  _id?: string;
  /** Hidden from an API key that has fewer rights than this one */
  key: string;
  /** Who created the key */
  _userId: string;
  hash?: string;
  /** What the key is for; null: it has no name */
  name?: string | null;
  /** Who is responsible for it; null: nobody was named */
  owner?: string | null;
  /** Which operations it may call (docs/api-keys.md) */
  scope?: "full" | "send" | "read" | "operations";
  /** The operations that it may call, in the scope `operations` only */
  operations?: string[];
  /** From when on it is refused (ISO 8601, UTC); null: never */
  expiresAt?: string | null;
  allowedNetworks?: string[] | null;
  /** When it was created (ISO 8601, UTC) */
  createdAt?: string;
  /** Time of its last request, to the minute; null if it was never used */
  lastUsedAt?: string | null;
  /** Whether its events may have a higher priority than their workflow */
  mayRaisePriority?: boolean;
};

export type ArmSample = {
  data: {
    /** Subscribers that were simulated: the newest ones, at most 200 */
    sampled: number;
    steps: SampledStep[];
  };
};

export type ArmSampleIn = {
  workflow: WorkflowDraft;
  payload?: Record<string, unknown>;
  assume?: DryRunAssumptions;
};

export type Asset = {
  id: string;
  /** Public address; a path of this service where `TIDINGS_PUBLIC_URL` is not set */
  url: string;
  /** Read from the bytes, not from the name of the file */
  contentType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** Bytes */
  size: number;
  /** Pixels */
  width: number;
  /** Pixels */
  height: number;
  fileName?: string;
  /** When the image was first uploaded (ISO 8601, UTC) */
  createdAt: string;
};

export type AssetList = {
  data: Asset[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type Attention = {
  budgets: AttentionBudget[];
  /** The workflow with the template of roll-ups, which is created with the first budget that rolls up */
  rollUpWorkflowId: string | null;
};

export type AttentionBudget = {
  channel: "in_app" | "email" | "sms" | "chat" | "push";
  /** The classes of workflows that it counts; default: both. Critical workflows never count */
  classes?: ("transactional" | "promotional")[];
  /** Messages for one person in a window */
  limit: number;
  window: AttentionWindow;
  /** What happens to a message that is over the budget. `roll_up`: it becomes an item of one message, sent when a place is free. `delay`: it waits for a place. `drop`: it is not sent */
  overflow?: "roll_up" | "delay" | "drop";
  /** Roll-ups wait for this time of day of the person, such as `18:00`; null: for the next free place */
  rollUpAt?: string | null;
};

export type AttentionBudgetFile = {
  channel: "in_app" | "email" | "sms" | "chat" | "push";
  /** The classes of workflows that it counts; default: both. Critical workflows never count */
  classes?: ("transactional" | "promotional")[];
  /** Messages for one person in a window */
  limit: number;
  window: AttentionWindowFile;
  /** What happens to a message that is over the budget. `roll_up`: it becomes an item of one message, sent when a place is free. `delay`: it waits for a place. `drop`: it is not sent */
  overflow?: "roll_up" | "delay" | "drop";
  /** Roll-ups wait for this time of day of the person, such as `18:00`; null: for the next free place */
  rollUpAt?: string | null;
};

export type AttentionFile = {
  budgets: AttentionBudgetFile[];
};

export type AttentionForecast = {
  /** The first moment that it covers (ISO 8601, UTC) */
  from: string;
  /** The last moment that it covers (ISO 8601, UTC) */
  to: string;
  /** true: there were too many messages, and only those of the first people by id are counted */
  isPartial: boolean;
  channels: ForecastChannel[];
  /** The most affected first, at most 20 */
  workflows: ForecastWorkflow[];
  sentences: string[];
};

export type AttentionForecastIn = {
  /** All of them apply. The first one that is full decides what happens to a message */
  budgets: AttentionBudget[];
  days?: number;
};

export type AttentionIn = {
  /** All of them apply. The first one that is full decides what happens to a message */
  budgets: AttentionBudget[];
};

export type AttentionPatch = {
  channels: OwnLimits;
};

export type AttentionWindow = {
  /** At most 90 days in all */
  amount: number;
  unit: "hour" | "day" | "week";
};

export type AttentionWindowFile = {
  /** At most 90 days in all */
  amount: number;
  unit: "hour" | "day" | "week";
};

export type Audience = {
  _id: string;
  /** Unique in the environment */
  audienceId: string;
  name: string;
  description: string | null;
  kind: AudienceKind;
  /** null for a fixed audience */
  rule: Record<string, unknown> | null;
  /** The rule in words */
  sentence: string;
  /** When it was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
};

export type AudienceCost = {
  level: AudienceCostLevel;
  /** Rows that PostgreSQL expects to read */
  rows: number;
  /** What makes it so, in a sentence */
  reason: string;
};

/** low: an index finds the people; medium: one pass over all subscribers; high: more work for each */
export type AudienceCostLevel = "low" | "medium" | "high";

export type AudienceCount = {
  people: number;
  /** true: there are more than 100,000, and the number is an estimate */
  isEstimated: boolean;
};

export type AudienceExplanation = {
  subscriberId: string;
  isMember: boolean;
  /** Why the person is in the audience, or why not */
  sentence: string;
  /** The parts of the rule that decide */
  reasons: AudienceReason[];
};

export type AudienceFile = {
  audienceId: string;
  name: string;
  description?: string;
  /** JSON Logic over subscribers, as in audiences.create */
  rule: Record<string, unknown>;
};

export type AudienceIn = {
  audienceId: string;
  name: string;
  description?: string | null;
  /** JSON Logic over `subscriber`, `topics`, `audiences`, `preferences` and `activity` (docs/audiences.md), with the operators of conditions; at most 200 parts */
  rule?: Record<string, unknown>;
  /** Must be true for a rule that matches every subscriber */
  allowEveryone?: boolean;
};

export type AudienceKind = "rule" | "fixed";

export type AudienceList = {
  data: Audience[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type AudienceMembersAdded = {
  /** Those that were not in it before */
  added: number;
  /** Ids without a subscriber, which are not added */
  unknown: string[];
};

export type AudienceMembersIn = {
  /** Up to 500 ids of subscribers that exist */
  subscriberIds: string[];
};

export type AudienceMembersOut = {
  /** Up to 500 ids of subscribers that exist */
  subscriberIds: string[];
};

export type AudienceMembersRemoved = {
  removed: number;
};

export type AudiencePatch = {
  name?: string;
  description?: string | null;
  /** JSON Logic over `subscriber`, `topics`, `audiences`, `preferences` and `activity` (docs/audiences.md), with the operators of conditions; at most 200 parts */
  rule?: Record<string, unknown>;
  /** Must be true for a rule that matches every subscriber */
  allowEveryone?: boolean;
};

export type AudiencePeople = {
  data: AudiencePerson[];
  /** `after` of the next page; null on the last one */
  next: string | null;
};

export type AudiencePerson = {
  subscriberId: string;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  locale: string | null;
  timezone: string | null;
};

export type AudiencePreview = {
  count: AudienceCount;
  /** Subscribers of the environment, counted as `count` is */
  everyone: number;
  /** The rule in words */
  sentence: string;
  cost: AudienceCost;
  /** Such as a rule that matches nobody */
  warnings: string[];
  /** Up to 10 people */
  sample: AudiencePerson[];
};

export type AudiencePreviewIn = {
  /** JSON Logic over `subscriber`, `topics`, `audiences`, `preferences` and `activity` (docs/audiences.md), with the operators of conditions; at most 200 parts */
  rule: Record<string, unknown>;
  /** The audience that the rule is for, if it exists */
  audienceId?: string;
};

export type AudienceReason = {
  /** A part of the rule, in words */
  text: string;
  holds: boolean;
  /** What the rule found */
  value?: unknown;
};

export type AudienceSnapshotIn = {
  /** Id of the new audience */
  audienceId: string;
  name?: string;
};

export type AuditActor = {
  /** `machine`: the service itself, such as the runaway guard or a workflow with a step `update_subscriber`, or somebody who has not signed in yet, such as the user of a first link */
  type: "person" | "key" | "machine";
  /** Id of the member or of the API key */
  _id: string | null;
  /** At that time */
  name: string;
};

export type AuditEntry = {
  _id: string;
  /** When (ISO 8601, UTC) */
  createdAt: string;
  actor: AuditActor;
  /** Operation id, such as `workflows.update` */
  operation: string;
  /** What was done, such as `changed the workflow` */
  action: string;
  environmentId: string | null;
  /** Its name today; null when it was deleted */
  environmentName: string | null;
  /** Id of what was changed */
  target: string | null;
  /** Its name at that time, such as that of a workflow, an integration or a member, or a suppressed address */
  targetName: string | null;
  /** Changed fields only; secrets are masked, long values are cut */
  before: Record<string, unknown> | null;
  /** Changed fields only; secrets are masked, long values are cut */
  after: Record<string, unknown> | null;
  /** IP address of the request */
  address: string | null;
  userAgent: string | null;
};

export type AuditEntryList = {
  data: AuditEntry[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type AuditExport = {
  format: "csv" | "json";
  /** The part of the file */
  text: string;
  /** Entries in this part */
  count: number;
  /** Cursor of the next part; null when this is the last */
  next: string | null;
};

export type AuthMethods = {
  /** Sign-in with OpenID Connect; null if it is not configured */
  oidc: {
    /** For the button, such as `Google` */
    name: string;
  } | null;
  /** No member can sign in yet: the first link is in the output of npm start, or in the file that it names */
  isFirstStart: boolean;
};

export type AuthMethodsAnswer = {
  data: AuthMethods;
};

export type Backtest = {
  _id: string;
  name: string | null;
  status: BacktestStatus;
  /** Why it failed, and what to do */
  failure: string | null;
  /** Beginning of the period (ISO 8601, UTC) */
  from: string;
  /** End of the period, exclusive (ISO 8601, UTC) */
  to: string;
  /** Workflows of which the change has another definition */
  workflowIds: string[];
  /** Nothing is changed */
  isCalibrationOnly: boolean;
  /** null: everyone is replayed */
  sample: BacktestSample | null;
  progress: BacktestProgress;
  /** null until it is completed */
  report: BacktestReport | null;
  /** When it was requested (ISO 8601, UTC) */
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  /** The address of a member, or the environment of an API key */
  createdBy: string;
};

export type BacktestCalibration = {
  /** Steps of the period that the unchanged replay reproduces; null: there were none */
  percent: number | null;
  /** false: below 95 %, or nothing to compare, so the report does not show what would have happened */
  isTrusted: boolean;
  /** Steps that were compared */
  compared: number;
  /** Those with the same outcome */
  equal: number;
  deviations: BacktestDeviation[];
};

export type BacktestCause = "person_changed" | "preferences_changed" | "payload_erased" | "answer_assumed" | "provider_failed" | "canceled" | "integration_changed" | "workflow_changed" | "configuration_changed" | "open_before" | "unknown";

/** Without any member, a backtest has only its calibration */
export type BacktestChange = {
  /** Unsaved workflows, as `explain.dryRun` takes them. Each replaces the version that events had */
  workflows?: ({
    name: string;
    /** The workflow that it would replace */
    workflowId: string;
    steps: StepIn[];
    preferences?: WorkflowPreferencesIn;
    description?: string;
    tags?: string[];
    active?: boolean;
    validatePayload?: boolean;
    /** JSON Schema, draft-07 or 2020-12 */
    payloadSchema?: Record<string, unknown> | null;
    isTranslationEnabled?: boolean;
    severity?: Severity;
    outsideSchedule?: "hold" | "skip";
    onUnknownOutcome?: "may_duplicate" | "may_delay";
    /** Payload paths, such as `order` or `invoice.number`, by whose texts and numbers events can be found in the activity, however old they are. Applies to events from now on. The first one is shown next to each event */
    searchKeys?: string[];
    objectives?: WorkflowObjectives;
    /** Identifier of an existing category; null: none */
    categoryId?: string | null;
    /** Advertising: it can be unsubscribed from */
    isCommercial?: boolean;
    /** What its messages are to readers. Critical ones are never held by an attention budget, transactional ones go before promotional ones. A workflow that subscribers cannot switch off is critical in any case */
    messageClass?: "critical" | "transactional" | "promotional";
    /** Which messages go first when many wait. A critical workflow is always high */
    priority?: "high" | "normal" | "low";
  })[];
  files?: FileResources;
  /** Attention budgets instead of those of the environment; an empty list removes them */
  attention?: {
    budgets: AttentionBudget[];
  };
  /** What subscribers get who have not chosen; replaces `preferences.user` of the workflow */
  preferenceDefaults?: BacktestPreferenceDefault[];
  /** Integrations in the order in which they are tried; those not named follow in their own order */
  integrationOrder?: BacktestIntegrationOrder[];
};

export type BacktestChannelTotals = {
  channel: Channel;
  /** Messages of the unchanged replay */
  before: number;
  /** Messages of the changed replay */
  after: number;
  /** Messages by effect, such as `{ removed: 12, content: 3 }` */
  effects: Record<string, number>;
};

export type BacktestDeletedWorkflow = {
  workflowId: string;
  notifications: number;
};

export type BacktestDeviation = {
  cause: BacktestCause;
  steps: number;
  sentence: string;
  examples: BacktestExample[];
};

/** `removed`: no longer sent. `added`: sent, and was not. `render_failed`: its template fails now. `digested`: with other events than before. `channel`: through another channel. `provider`: through another integration. `earlier`, `later`: by a minute or more. `content`: with different content */
export type BacktestEffect = "removed" | "added" | "render_failed" | "digested" | "channel" | "provider" | "earlier" | "later" | "content";

export type BacktestExample = {
  transactionId: string;
  subscriberId: string;
  workflowId: string;
  stepId: string;
  /** What happened */
  was: string;
  /** What the replay returned */
  replayed: string;
};

export type BacktestIn = {
  /** Events from this time on; with `to` (ISO 8601, UTC) */
  from?: string;
  /** Events before this time; default: now (ISO 8601, UTC) */
  to?: string;
  /** Instead of `from` and `to`; default: 7 */
  lastDays?: number;
  /** Where the period has more, a sample of its people is replayed, with everything they got */
  maxNotifications?: number;
  /** Shown in the list */
  name?: string;
  change?: BacktestChange;
};

export type BacktestIntegrationOrder = {
  channel: "in_app" | "email" | "sms" | "chat" | "push";
  identifiers: string[];
};

export type BacktestList = {
  /** More items follow this page */
  hasMore: boolean;
  data: Backtest[];
  /** Number of items in this page */
  pageSize: number;
  page: number;
};

export type BacktestMessage = {
  transactionId: string;
  notificationId: string;
  /** When the event was accepted (ISO 8601, UTC) */
  time: string;
  workflowId: string;
  stepId: string;
  stepName: string;
  stepType: string;
  /** null: no difference */
  effect: BacktestEffect | null;
  /** The difference in words */
  sentence: string;
  /** null: the workflow had no such step */
  before: BacktestVersion | null;
  /** null: the workflow has no such step */
  after: BacktestVersion | null;
};

export type BacktestOfPerson = {
  subscriberId: string;
  /** First and last name */
  name: string | null;
  messages: BacktestMessage[];
  /** true: the person has more messages */
  isTruncated: boolean;
};

/** `waiting`: when the period ended. `merged`: its event is in the digest of another event */
export type BacktestOutcome = "sent" | "failed" | "not_sent" | "waiting" | "merged";

export type BacktestPeople = {
  data: BacktestPerson[];
  /** For `after`; null: this is the last page */
  next: string | null;
  /** true: more messages differ than are listed */
  isCapped: boolean;
};

export type BacktestPerson = {
  subscriberId: string;
  /** First and last name; null: unknown, or the person was deleted since */
  name: string | null;
  /** Messages by effect, such as `{ removed: 12, content: 3 }` */
  effects: Record<string, number>;
  /** Workflows of the messages that differ */
  workflowIds: string[];
  /** Messages among those that differ which the unchanged replay sent */
  before: number;
  /** Messages among those that differ which the changed replay sends */
  after: number;
};

export type BacktestPreferenceDefault = {
  workflowId: string;
  preference: WorkflowPreference | null;
};

export type BacktestProgress = {
  /** To replay, an estimate where people are sampled */
  notifications: number;
  /** Replayed so far */
  done: number;
  /** Replayed so far */
  people: number;
  percent: number;
  /** An estimate; null before the first page */
  secondsLeft: number | null;
};

export type BacktestReason = {
  /** Why the step sent nothing */
  text: string;
  /** Runs of the unchanged replay */
  before: number;
  /** Runs of the changed replay */
  after: number;
};

export type BacktestRenderFault = {
  workflowId: string;
  stepId: string;
  reason: string;
  messages: number;
};

export type BacktestReport = {
  /** What would have been different; the calibration where it is low */
  sentences: string[];
  totals: BacktestTotals;
  channels: BacktestChannelTotals[];
  /** Those with the most differences first */
  workflows: BacktestWorkflow[];
  renderFaults: BacktestRenderFault[];
  calibration: BacktestCalibration;
  skipped: BacktestSkipped;
  /** What this replay could not take into account, in sentences */
  limits: string[];
};

export type BacktestSample = {
  /** Share of the people of the period */
  percent: number;
  /** In the period; above 2,000,000 an estimate */
  notifications: number;
  sentence: string;
};

export type BacktestSkipped = {
  /** Their events are not replayed */
  deletedWorkflows: BacktestDeletedWorkflow[];
  /** Notifications whose payload was erased; they are not replayed */
  erasedPayloads: number;
  /** People who were deleted since; their notifications are not replayed */
  deletedPeople: number;
  /** Stored responses of bridges and HTTP requests that were used again */
  storedAnswers: number;
  /** Steps without a stored response: a sample response was used */
  assumedAnswers: number;
};

export type BacktestStatus = "queued" | "running" | "completed" | "failed" | "canceled";

export type BacktestStep = {
  stepId: string;
  type: string;
  name: string;
  /** Messages of the unchanged replay */
  before: number;
  /** Messages of the changed replay */
  after: number;
  /** Messages by effect, such as `{ removed: 12, content: 3 }` */
  effects: Record<string, number>;
  reasons: BacktestReason[];
};

export type BacktestTotals = {
  /** Notifications that were replayed */
  runs: number;
  /** People that were replayed */
  people: number;
  /** Messages of the unchanged replay */
  before: number;
  /** Messages of the changed replay */
  after: number;
  /** Messages without a difference */
  same: number;
  /** Messages by effect, such as `{ removed: 12, content: 3 }` */
  effects: Record<string, number>;
  /** People of whom at least one message differs */
  differing: number;
  /** People who got something and would get nothing */
  silenced: number;
  /** People who got nothing and would get something */
  reached: number;
  /** Messages added, in percent of `before` */
  addedPercent: number;
  /** Messages removed, in percent of `before` */
  removedPercent: number;
  /** Messages with any effect, in percent of `before` */
  differingPercent: number;
};

export type BacktestVersion = {
  outcome: BacktestOutcome;
  /** The outcome in a sentence */
  reason: string;
  at: string | null;
  /** null: nothing was sent */
  channel: Channel | null;
  /** Identifiers of those it was sent through */
  integrations: string[];
  /** Events in its digest; 1 without a digest */
  events: number;
  content: Record<string, unknown> | null;
};

export type BacktestWorkflow = {
  workflowId: string;
  name: string;
  /** The change has another definition of it */
  isChanged: boolean;
  /** Notifications of the period */
  runs: number;
  /** Messages of the unchanged replay */
  before: number;
  /** Messages of the changed replay */
  after: number;
  /** People of whom at least one message differs */
  people: number;
  /** Messages by effect, such as `{ removed: 12, content: 3 }` */
  effects: Record<string, number>;
  steps: BacktestStep[];
};

export type Brand = {
  /** The sender as readers know it */
  name: string;
  /** The logo on a light background */
  logoUrl: string | null;
  /** The logo on a dark background; without it, `logoUrl` is used there as well */
  logoDarkUrl: string | null;
  colors: BrandColors;
  /** Font families in order of preference, such as `Inter, Arial, sans-serif` */
  fontStack: string;
  /** Rounding of buttons and cards, in pixels */
  cornerRadius: number;
  /** Postal address for the footer of mails; line breaks are kept */
  address: string;
  socialLinks: ShownBrandLink[];
};

export type BrandColors = {
  /** Buttons and links */
  primary: string;
  /** Text on `primary`; white or black, whichever is easier to read, unless given */
  primaryText: string;
  /** Text */
  text: string;
  /** Headings; as `text`, if that is given */
  heading: string;
  /** Behind the content */
  background: string;
  /** The content itself: the card of a mail or page */
  surface: string;
  /** As `primary`, in dark mode */
  primaryDark: string;
  /** As `primaryText`, in dark mode */
  primaryTextDark: string;
  /** As `text`, in dark mode */
  textDark: string;
  /** As `heading`, in dark mode */
  headingDark: string;
  /** As `background`, in dark mode */
  backgroundDark: string;
  /** As `surface`, in dark mode */
  surfaceDark: string;
};

export type BrandColorsIn = {
  /** Buttons and links */
  primary?: string;
  /** Text on `primary`; white or black, whichever is easier to read, unless given */
  primaryText?: string;
  /** Text */
  text?: string;
  /** Headings; as `text`, if that is given */
  heading?: string;
  /** Behind the content */
  background?: string;
  /** The content itself: the card of a mail or page */
  surface?: string;
  /** As `primary`, in dark mode */
  primaryDark?: string;
  /** As `primaryText`, in dark mode */
  primaryTextDark?: string;
  /** As `text`, in dark mode */
  textDark?: string;
  /** As `heading`, in dark mode */
  headingDark?: string;
  /** As `background`, in dark mode */
  backgroundDark?: string;
  /** As `surface`, in dark mode */
  surfaceDark?: string;
};

export type BrandFile = {
  /** The sender as readers know it */
  name?: string;
  /** The logo on a light background. A web address (http or https), or the path of an uploaded image that `assets.create` returns */
  logoUrl?: string | null;
  /** The logo on a dark background; without it, `logoUrl` is used there as well. A web address (http or https), or the path of an uploaded image that `assets.create` returns */
  logoDarkUrl?: string | null;
  colors?: BrandColorsIn;
  /** Font families in order of preference, such as `Inter, Arial, sans-serif` */
  fontStack?: string;
  /** Rounding of buttons and cards, in pixels */
  cornerRadius?: number;
  /** Postal address for the footer of mails; line breaks are kept */
  address?: string;
  socialLinks?: BrandLink[];
  /** Own texts of the hosted pages by locale, such as `de` or `pt_BR` */
  pageTexts?: Record<string, PageTexts>;
};

export type BrandIn = {
  /** The sender as readers know it */
  name?: string;
  /** The logo on a light background. A web address (http or https), or the path of an uploaded image that `assets.create` returns */
  logoUrl?: string | null;
  /** The logo on a dark background; without it, `logoUrl` is used there as well. A web address (http or https), or the path of an uploaded image that `assets.create` returns */
  logoDarkUrl?: string | null;
  colors?: BrandColorsIn;
  /** Font families in order of preference, such as `Inter, Arial, sans-serif` */
  fontStack?: string;
  /** Rounding of buttons and cards, in pixels */
  cornerRadius?: number;
  /** Postal address for the footer of mails; line breaks are kept */
  address?: string;
  socialLinks?: BrandLink[];
  /** Own texts of the hosted pages by locale, such as `de` or `pt_BR` */
  pageTexts?: Record<string, PageTexts>;
};

export type BrandLayoutIn = {
  /** Make it the default layout */
  isDefault?: boolean;
};

export type BrandLink = {
  network: "bluesky" | "discord" | "facebook" | "github" | "instagram" | "linkedin" | "mastodon" | "pinterest" | "reddit" | "telegram" | "threads" | "tiktok" | "website" | "whatsapp" | "x" | "youtube";
  /** A web address (http or https) */
  url: string;
};

export type BrandPreview = {
  brand: Brand;
  /** What readers may not be able to read or see, such as a contrast below 4.5. The brand is saved all the same */
  warnings: BrandWarning[];
  /** A mail in the layout of `brand.createLayout`, as HTML */
  mail: string;
};

export type BrandPreviewIn = {
  brand: BrandIn;
  /** Members that are not given come from the stored brand */
  isOverride?: boolean;
};

export type BrandSettings = {
  brand: Brand;
  own: BrandIn;
  /** false: nothing is set here */
  isSet: boolean;
  /** What readers may not be able to read or see, such as a contrast below 4.5. The brand is saved all the same */
  warnings: BrandWarning[];
};

export type BrandWarning = {
  /** The field to change, such as `colors.text` */
  field: string;
  message: string;
};

export type BridgeSync = {
  bridgeUrl: string;
  /** Identifiers of new workflows */
  created: string[];
  /** Workflows that changed in the code: each has a new version */
  updated: string[];
  /** Unchanged workflows */
  unchanged: string[];
  /** Workflows of this bridge that are no longer in its code. They are kept, and their events fail at the first step: delete them, or add them back to the code. */
  missing: string[];
};

export type BridgeSyncIn = {
  /** Address of the code, such as https://example.com/api/novu */
  bridgeUrl: string;
};

export type Broadcast = {
  _id: string;
  name: string;
  status: BroadcastStatus;
  content: BroadcastContent;
  audience: BroadcastAudience;
  time: BroadcastTime;
  pace: BroadcastPace;
  expiresAt: string | null;
  /** Counts changes of the draft, and requests for approval */
  revision: number;
  approval: BroadcastApproval | null;
  progress: BroadcastProgress;
  /** Its event; null until it is sent */
  transactionId: string | null;
  /** Why it failed, or why it was paused by the service */
  failure: string | null;
  checkedAt: string | null;
  /** The broadcast whose people it reaches again */
  resendOf: string | null;
  createdBy: string;
  /** When it was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
  startedAt: string | null;
  finishedAt: string | null;
};

export type BroadcastApproval = {
  requestedBy: string;
  /** When it was sent for approval (ISO 8601, UTC) */
  requestedAt: string;
  decidedBy: string | null;
  decidedAt: string | null;
  isApproved: boolean | null;
  /** Why it was rejected */
  note: string | null;
};

export type BroadcastApprovalIn = {
  /** That of the broadcast that was read */
  revision?: number;
};

export type BroadcastAudience = {
  /** People in at least one of these audiences */
  include: string[];
  /** Minus the people in at least one of these */
  exclude?: string[];
  /** Every subscriber, instead of `include` */
  everyone?: boolean;
};

export type BroadcastCause = {
  kind: "failed" | "skipped";
  /** Code of the reason */
  reason: string;
  sentence: string;
  stepId: string | null;
  people: number;
};

export type BroadcastCheck = {
  status: BroadcastCheckStatus;
  /** false: the draft has changed since */
  isCurrent: boolean;
  /** People in the audience when the check began */
  people: number;
  /** People checked so far */
  checked: number;
  items: BroadcastCheckItem[];
  steps: BroadcastStepForecast[];
  /** When it began (ISO 8601, UTC) */
  startedAt: string;
  finishedAt: string | null;
};

export type BroadcastCheckItem = {
  /** Such as `people`, `no_address`, `suppressed`, `over_budget`, `links` */
  code: string;
  level: BroadcastCheckLevel;
  /** Such as "412 people have no email address" */
  sentence: string;
  people?: number;
  /** The field of the draft that it is about */
  field?: string;
};

/** problem: it cannot be sent like this */
export type BroadcastCheckLevel = "ok" | "warning" | "problem";

export type BroadcastCheckStatus = "running" | "completed" | "failed";

export type BroadcastContent = {
  /** A saved workflow; or `steps`. Its version is fixed when the broadcast is sent */
  workflowId?: string;
  /** Steps written in place, as in a workflow. Preferences for the workflow `broadcast` hold for them */
  steps?: StepIn[];
  /** `payload` of the templates; at most 512 KB of JSON */
  payload?: Record<string, unknown>;
};

export type BroadcastEvent = {
  /** Identifier of the workflow */
  name: string;
  /** What this event sends differently; docs/overrides.md lists precedence, members and errors */
  overrides?: Record<string, unknown>;
  /** An event with this id is accepted once */
  transactionId?: string;
  /** A later event with the same key replaces this one for the same subscriber: what waits is canceled, an in-app message is replaced (docs/retract.md) */
  supersedeKey?: string;
  actor?: string | RecipientSubscriber;
  /** What the event is about, at most 5 contexts: maps a context type to the context's id, or to `{id, data}` to give a new context its data. Unknown contexts are created, known ones are used unchanged. */
  context?: Record<string, unknown>;
  /** The identifier of a tenant that exists, or `{identifier, name?, data?}`, which creates the tenant or updates the members given. Templates use it as `tenant`. */
  tenant?: string | Record<string, unknown>;
  /** In a development environment: the bridge that provides the content of the steps, instead of the one that the workflow was synced from */
  bridgeUrl?: string;
  /** Which messages go first, instead of the priority of the workflow; critical workflows stay high. An API key may only lower it, unless it may raise priorities (environments.updateApiKey). */
  priority?: "high" | "normal" | "low";
  /** At most 512 KB of JSON */
  payload: Record<string, unknown>;
};

export type BroadcastIn = {
  name: string;
  content?: BroadcastContent;
  audience?: BroadcastAudience;
  time?: BroadcastTime;
  pace?: BroadcastPace;
  expiresAt?: string | null;
};

export type BroadcastList = {
  /** More items follow this page */
  hasMore: boolean;
  data: Broadcast[];
  /** Number of items in this page */
  pageSize: number;
  page: number;
};

export type BroadcastOutcome = "sent" | "delivered" | "opened" | "clicked" | "not_opened" | "failed" | "skipped" | "unsubscribed" | "complained";

export type BroadcastPace = {
  /** People per minute at most */
  perMinute?: number;
  /** People per minute while the integration with this identifier is active; the lowest of all limits holds */
  integrations?: Record<string, number>;
};

export type BroadcastPatch = {
  name?: string;
  content?: BroadcastContent;
  audience?: BroadcastAudience;
  time?: BroadcastTime;
  pace?: BroadcastPace;
  expiresAt?: string | null;
};

export type BroadcastPeople = {
  data: AudiencePerson[];
  /** `after` of the next page; null on the last one */
  next: string | null;
};

export type BroadcastPreview = {
  subscriberId: string;
  /** First and last name */
  name: string | null;
  messages: BroadcastPreviewMessage[];
};

export type BroadcastPreviewIn = {
  /** Up to 10 people; without it, 5 people of the audience are sampled */
  subscriberIds?: string[];
};

export type BroadcastPreviewMessage = {
  stepId: string;
  type: string;
  /** `sends`, or the reason why not */
  outcome: string;
  /** The outcome in words */
  sentence: string;
  content: Record<string, unknown> | null;
};

export type BroadcastPreviews = {
  data: BroadcastPreview[];
};

export type BroadcastProgress = {
  /** Fixed when the broadcast starts */
  people: number | null;
  /** People whose run has started */
  started: number;
  /** People who were deleted before their turn */
  gone: number;
  /** People whose turn would have been after `expiresAt` */
  expired: number;
  /** People whose start failed; `failedTasks.replay` starts them */
  failed: number;
  /** People started in the last minute */
  perMinute: number;
  nextAt: string | null;
  lastAt: string | null;
};

export type BroadcastRejection = {
  note?: string;
};

export type BroadcastResendIn = {
  outcome?: BroadcastOutcome;
};

export type BroadcastResults = {
  /** People that were counted */
  counted: number;
  /** true: there are more people. Send the request again within a minute: counting continues */
  isCapped: boolean;
  /** People by outcome */
  outcomes: Record<string, number>;
  /** Failures and skipped steps by cause, the most frequent first */
  causes: BroadcastCause[];
  /** By variant of each experiment */
  variants: BroadcastVariant[];
  /** When counting began (ISO 8601, UTC) */
  countedAt: string;
};

export type BroadcastStatus = "draft" | "awaiting_approval" | "scheduled" | "running" | "paused" | "completed" | "stopped" | "failed";

export type BroadcastStepForecast = {
  stepId: string;
  type: string;
  /** People by outcome: `sends`, or the reason why not */
  outcomes: Record<string, number>;
};

export type BroadcastTest = {
  transactionId: string;
  subscriberId: string;
};

export type BroadcastTestIn = {
  subscriberIds: string[];
};

export type BroadcastTests = {
  data: BroadcastTest[];
};

export type BroadcastTime = {
  kind: BroadcastTimeKind;
  /** With the kind `at` */
  at?: string;
  /** With the kind `local`: the day, YYYY-MM-DD */
  date?: string;
  /** With the kind `local`: HH:MM */
  localTime?: string;
  /** For people without a time zone (IANA name); UTC by default */
  timezone?: string;
  /** Spreads the people evenly over these hours */
  spreadHours?: number;
};

/** now: when it is sent; at: at the moment `at`; local: at `localTime` in each person's time zone */
export type BroadcastTimeKind = "now" | "at" | "local";

export type BroadcastVariant = {
  /** The experiment */
  stepId: string;
  variant: string;
  name: string | null;
  people: number;
  outcomes: Record<string, number>;
};

export type CapturedAttachment = {
  name: string;
  mime: string;
  /** In bytes */
  size: number;
};

export type CapturedDeleted = {
  deleted: number;
  hasMore: boolean;
};

export type CapturedFile = {
  name: string;
  mime: string;
  /** In bytes */
  size: number;
  /** As base64 */
  content: string;
};

export type CapturedList = {
  data: CapturedMessage[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type CapturedMessage = {
  id: string;
  /** The message as `messages.list` shows it */
  messageId: string;
  channel: Channel;
  providerId: string;
  integrationIdentifier: string;
  transactionId: string;
  subscriberId: string;
  /** Email addresses, phone number, or the webhook, channel or person of a chat */
  to: string[];
  cc?: string[];
  bcc?: string[];
  subject?: string;
  html?: string;
  text?: string;
  from?: string;
  senderName?: string;
  replyTo?: string;
  headers?: Record<string, unknown>;
  attachments?: CapturedAttachment[];
  /** Every http(s) link in the HTML, then in the text, in order and without duplicates; at most 200 */
  links: string[];
  /** One-time codes, found by the words around them (docs/testing.md), without spaces; at most 20 */
  codes: string[];
  /** When it was captured (ISO 8601, UTC) */
  createdAt: string;
};

export type CategoriesInOrder = {
  categories: PreferenceCategory[];
};

export type CategoryFile = {
  categoryId: string;
  name: string;
  description?: string;
  required?: boolean;
  channels?: PreferenceChannelsIn;
};

export type CategoryIn = {
  categoryId: string;
  name: string;
  description?: string;
  required?: boolean;
  channels?: PreferenceChannelsIn;
};

export type CategoryList = {
  categories: PreferenceCategory[];
};

export type CategoryOrder = {
  categoryIds: string[];
};

export type CategoryPatch = {
  name?: string;
  description?: string;
  required?: boolean;
  channels?: PreferenceChannelsIn;
};

export type CategoryPreference = {
  categoryId: string;
  name: string;
  description: string;
  /** true: it cannot be switched off */
  required: boolean;
  channels: PreferenceChannels;
  /** Last change of the subscriber's choice for this category (ISO 8601, UTC) */
  updatedAt?: string;
};

export type CategoryWorkflow = {
  workflowId: string;
  name: string;
};

export type ChangedField = {
  /** Such as `name` or `controlValues.subject` */
  field: string;
  /** null where there was none */
  before: unknown;
  /** null where there is none */
  after: unknown;
};

export type ChangedSince = {
  at: string | null;
  /** Name of the member */
  by: string | null;
};

export type Channel = "in_app" | "email" | "sms" | "chat" | "push";

export type ChannelAttention = {
  channel: Channel;
  /** false: the environment has no budget for the channel at present, so the own limit has no effect */
  offered: boolean;
  /** The budgets of the environment for the channel */
  environment: EnvironmentLimit[];
  /** null: no own limit */
  own: OwnLimit | null;
  /** Lower limits that a form can offer, including the own one; others are possible */
  choices: OwnLimit[];
};

export type ChannelConnection = {
  identifier: string;
  channel: "in_app" | "email" | "sms" | "chat" | "push" | null;
  providerId: "emailjs" | "mailgun" | "mailjet" | "mandrill" | "nodemailer" | "postmark" | "sendgrid" | "sendinblue" | "ses" | "netcore" | "infobip-email" | "resend" | "plunk" | "mailersend" | "mailtrap" | "outlook365" | "svc-email" | "sparkpost" | "email-webhook" | "braze" | "clickatell" | "nexmo" | "plivo" | "sms77" | "sms-central" | "sns" | "telnyx" | "twilio" | "gupshup" | "firetext" | "infobip-sms" | "burst-sms" | "bulk-sms" | "isend-sms" | "forty-six-elks" | "kannel" | "maqsam" | "termii" | "africas-talking" | "svc-sms" | "sendchamp" | "generic-sms" | "clicksend" | "bandwidth" | "messagebird" | "simpletexting" | "azure-sms" | "ring-central" | "brevo-sms" | "eazy-sms" | "mobishastra" | "afro-message" | "unifonic" | "smsmode" | "imedia" | "sinch" | "isendpro-sms" | "fcm" | "apns" | "expo" | "one-signal" | "pushpad" | "push-webhook" | "pusher-beams" | "appio" | "slack" | "discord" | "msteams" | "mattermost" | "ryver" | "zulip" | "grafana-on-call" | "getstream" | "rocket-chat" | "whatsapp-business" | "chat-webhook" | "svc-slack" | "web-push" | "telegram" | "svc" | null;
  integrationIdentifier: string | null;
  /** null when all subscribers share the connection */
  subscriberId: string | null;
  contextKeys: string[];
  workspace: Workspace;
  auth: ConnectionAuth;
  /** When the connection was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
};

export type ChannelConnectionIn = {
  /** Generated when absent */
  identifier?: string;
  context?: ContextMap;
  integrationIdentifier: string;
  /** Absent: shared by all subscribers */
  subscriberId?: string;
  /** `shared`: for all subscribers, whatever `subscriberId` says. Absent: for the subscriber, if one is given */
  connectionMode?: "subscriber" | "shared";
  workspace: WorkspaceIn;
  auth: ConnectionAuthIn;
};

export type ChannelConnectionList = {
  data: ChannelConnection[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type ChannelConnectionPatch = {
  workspace: WorkspaceIn;
  auth: ConnectionAuthIn;
};

export type ChannelCredentials = {
  webhookUrl?: string;
  channel?: string;
  deviceTokens?: string[];
  alertUid?: string;
  title?: string;
  imageUrl?: string;
  state?: string;
  externalUrl?: string;
};

export type ChannelCredentialsIn = {
  webhookUrl?: string;
  channel?: string;
  alertUid?: string;
  title?: string;
  imageUrl?: string;
  state?: string;
  externalUrl?: string;
  deviceTokens?: string[];
};

export type ChannelEndpoint = {
  identifier: string;
  channel: "in_app" | "email" | "sms" | "chat" | "push" | null;
  providerId: "emailjs" | "mailgun" | "mailjet" | "mandrill" | "nodemailer" | "postmark" | "sendgrid" | "sendinblue" | "ses" | "netcore" | "infobip-email" | "resend" | "plunk" | "mailersend" | "mailtrap" | "outlook365" | "svc-email" | "sparkpost" | "email-webhook" | "braze" | "clickatell" | "nexmo" | "plivo" | "sms77" | "sms-central" | "sns" | "telnyx" | "twilio" | "gupshup" | "firetext" | "infobip-sms" | "burst-sms" | "bulk-sms" | "isend-sms" | "forty-six-elks" | "kannel" | "maqsam" | "termii" | "africas-talking" | "svc-sms" | "sendchamp" | "generic-sms" | "clicksend" | "bandwidth" | "messagebird" | "simpletexting" | "azure-sms" | "ring-central" | "brevo-sms" | "eazy-sms" | "mobishastra" | "afro-message" | "unifonic" | "smsmode" | "imedia" | "sinch" | "isendpro-sms" | "fcm" | "apns" | "expo" | "one-signal" | "pushpad" | "push-webhook" | "pusher-beams" | "appio" | "slack" | "discord" | "msteams" | "mattermost" | "ryver" | "zulip" | "grafana-on-call" | "getstream" | "rocket-chat" | "whatsapp-business" | "chat-webhook" | "svc-slack" | "web-push" | "telegram" | "svc" | null;
  integrationIdentifier: string | null;
  connectionIdentifier: string | null;
  subscriberId: string | null;
  contextKeys: string[];
  type: ChannelEndpointType;
  endpoint: ChannelEndpointTeamChannel | ChannelEndpointChannel | ChannelEndpointUser | ChannelEndpointWebhook | ChannelEndpointPhone;
  /** When the endpoint was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
};

export type ChannelEndpointChannel = {
  channelId: string;
};

export type ChannelEndpointIn = {
  /** Generated when absent */
  identifier?: string;
  context?: ContextMap;
  integrationIdentifier: string;
  subscriberId: string;
  /** true creates the subscriber if it does not exist, instead of returning 404 */
  createSubscriberIfMissing?: boolean;
  /** A connection of the integration */
  connectionIdentifier?: string;
  type: ChannelEndpointType;
  /** The shape that belongs to `type` */
  endpoint: Record<string, unknown>;
};

export type ChannelEndpointList = {
  data: ChannelEndpoint[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type ChannelEndpointPatch = {
  /** The shape of the endpoint's type */
  endpoint: {
    url?: unknown;
    [name: string]: unknown;
  };
};

export type ChannelEndpointPhone = {
  /** In E.164 format */
  phoneNumber: string;
};

export type ChannelEndpointTeamChannel = {
  teamId: string;
  channelId: string;
};

export type ChannelEndpointType = "chatapp_channel" | "chatapp_user" | "webhook" | "phone" | "teamsapp_channel" | "teamsapp_user";

export type ChannelEndpointUser = {
  userId: string;
};

export type ChannelEndpointWebhook = {
  url: string;
  channel?: string;
};

export type ChannelSettings = {
  /** A chat or push provider */
  providerId: string;
  integrationIdentifier?: string;
  credentials: ChannelCredentials;
  _integrationId: string;
};

export type ChannelStatistics = {
  channel: "in_app" | "email" | "sms" | "chat" | "push";
  /** Messages that a provider accepted or that are in the feed, without captured ones */
  sent: number;
  /** Messages kept in a capture provider's mailbox; nobody receives them */
  captured: number;
  /** Sent messages that are in the feed or that the provider reported as delivered */
  delivered: number;
  /** Sent messages that were read in the inbox, or reported as opened or clicked */
  opened: number;
  failed: number;
  /** Failed messages that a provider refused, bounced or did not respond to. The others failed before a provider was called, for example because an address was missing */
  refused: number;
  /** Calls to a provider that failed, by the provider that was called. Their messages may wait for another attempt or have been sent since */
  failedAttempts: number;
  /** Steps that sent nothing, by reason, such as `skipped_by_condition` or `filtered_by_subscriber_global`. With those that the attention budget rolled up (`attention_rolled_up`) or dropped (`attention_dropped`) */
  skipped: Record<string, number>;
  held?: StatisticsHeld;
  latency?: StatisticsLatency;
};

export type ChannelStepResult = {
  status: "sent" | "delivered" | "opened" | "clicked" | "bounced" | "failed" | "skipped";
  /** When the provider took the message; of an in-app message, when it was stored (ISO 8601, UTC) */
  sentAt?: string;
  /** In-app only, as are the next three */
  seen?: boolean;
  read?: boolean;
  /** Kept when the message is marked as unseen (ISO 8601, UTC) */
  lastSeenDate?: string;
  /** Kept when the message is marked as unread (ISO 8601, UTC) */
  lastReadDate?: string;
};

export type ChatOauthIn = {
  integrationIdentifier: string;
  subscriberId?: string;
  /** `shared`: for all subscribers, whatever `subscriberId` says. Absent: for the subscriber, if one is given */
  connectionMode?: "subscriber" | "shared";
  connectionIdentifier?: string;
  context?: ContextMap;
  /** Instead of the scopes that sending needs */
  scope?: string[];
};

export type ChatOauthUrl = {
  url: string;
};

export type ConditionMatch = {
  data: {
    /** Subscribers that were evaluated: the newest ones, at most 200 */
    sampled: number;
    /** Those for whom the condition is met */
    matched: number;
    /** Those for whom it cannot be evaluated */
    failed: number;
    /** The first error */
    fault?: string;
    /** Up to 5 of them */
    matching: MatchedSubscriber[];
    /** Up to 5 for whom it is not met */
    others: MatchedSubscriber[];
  };
};

export type ConditionMatchIn = {
  /** JSON Logic. At most 64 KB of JSON */
  condition: Record<string, unknown>;
  /** `condition`: a rule of a topic subscription, met when the result is exactly true. `skip`: the `skip` rule of a step, met when the result is truthy; its texts may be templates */
  as?: "condition" | "skip";
  payload?: Record<string, unknown>;
  /** Internal id, identifier or slug: what the condition reads as `workflow` */
  workflowId?: string;
};

export type ConnectionAuth = {
  /** In clear text for API keys */
  accessToken: string;
};

/** At most 64 KB of JSON */
export type ConnectionAuthIn = {
  accessToken: string;
  [name: string]: unknown;
};

export type ContentIssue = {
  issueType: "ILLEGAL_VARIABLE_IN_CONTROL_VALUE" | "INVALID_FILTER_ARG_IN_VARIABLE" | "MISSING_VALUE" | "TIER_LIMIT_EXCEEDED";
  variableName?: string;
  message: string;
  /** `error` makes an active workflow `ERROR`; `warning` does not */
  severity: "error" | "warning";
};

export type Context = {
  type: string;
  id: string;
  data: Record<string, unknown>;
  /** When the context was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
};

export type ContextIn = {
  type: string;
  id: string;
  /** At most 64 KB of JSON; `{}` when absent */
  data?: Record<string, unknown>;
};

export type ContextList = {
  data: Context[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

/** Maps a context type to the context's id, or to `{id, data}` to give a new context its data */
export type ContextMap = Record<string, string | {
    id: string;
    /** Used when the context is created; at most 64 KB of JSON. At most 64 KB of JSON */
    data?: Record<string, unknown>;
  }>;

export type ContextPatch = {
  /** Replaces the stored data; at most 64 KB of JSON. At most 64 KB of JSON */
  data: Record<string, unknown>;
};

export type CredentialType = "string" | "multiline" | "number" | "boolean" | "select" | "object";

/** Each provider uses a subset. Stored secrets are returned as `********`; sending that value back keeps them. */
export type Credentials = {
  apiKey?: string;
  user?: string;
  secretKey?: string;
  domain?: string;
  password?: string;
  host?: string;
  region?: string;
  accountSid?: string;
  messageProfileId?: string;
  token?: string;
  from?: string;
  senderName?: string;
  projectName?: string;
  applicationId?: string;
  clientId?: string;
  baseUrl?: string;
  webhookUrl?: string;
  redirectUrl?: string;
  serviceAccount?: string;
  ipPoolName?: string;
  apiKeyRequestHeader?: string;
  secretKeyRequestHeader?: string;
  idPath?: string;
  datePath?: string;
  apiToken?: string;
  authenticationTokenKey?: string;
  instanceId?: string;
  alertUid?: string;
  title?: string;
  imageUrl?: string;
  state?: string;
  externalLink?: string;
  channelId?: string;
  phoneNumberIdentification?: string;
  accessKey?: string;
  appSid?: string;
  senderId?: string;
  tenantId?: string;
  AppIOBaseUrl?: string;
  port?: string | number;
  secure?: boolean;
  requireTls?: boolean;
  ignoreTls?: boolean;
  hmac?: boolean;
  authenticateByToken?: boolean;
  tlsOptions?: Record<string, unknown>;
  [name: string]: unknown;
};

/** Detected from the first line */
export type CsvSeparator = "," | ";" | "\t";

export type DeadLetter = {
  id: string;
  messageId: string;
  notificationId: string;
  transactionId: string;
  subscriberId: string;
  workflowId: string;
  stepId: string;
  channel: Channel;
  providerId: string;
  /** The integration that was tried last */
  integrationIdentifier: string;
  /** transient: the provider was unavailable or overloaded; unknown: it never responded; the others: the integration */
  errorClass: "transient" | "unknown" | "auth" | "quota" | "config";
  errorId: string;
  errorText: string;
  /** Calls to providers since the message was created or last replayed */
  attempts: number;
  /** resolved: a provider reported that it accepted the message after all; it cannot be replayed */
  status: "open" | "replayed" | "resolved";
  /** When the message was given up (ISO 8601, UTC) */
  createdAt: string;
  /** When it was replayed (ISO 8601, UTC) */
  replayedAt?: string;
};

export type DeadLetterGroup = {
  integrationId: string;
  integrationIdentifier: string;
  integrationName: string;
  /** false for a deleted integration, too */
  isIntegrationActive: boolean;
  /** The circuit breaker of the integration is open */
  isCircuitOpen: boolean;
  providerId: string;
  channel: Channel;
  /** transient: the provider was unavailable or overloaded; unknown: it never responded; the others: the integration */
  errorClass: "transient" | "unknown" | "auth" | "quota" | "config";
  /** Whose messages these are, the most first, up to 20 */
  workflows: DeadLetterWorkflow[];
  /** Workflows with messages in the group */
  workflowCount: number;
  count: number;
  /** When the oldest of them was given up (ISO 8601, UTC) */
  firstAt: string;
  /** When the newest of them was given up (ISO 8601, UTC) */
  lastAt: string;
  /** The error of the newest letter */
  errorText: string;
};

export type DeadLetterGroupList = {
  data: DeadLetterGroup[];
  /** Open letters, up to 50,000 */
  totalCount: number;
};

export type DeadLetterList = {
  /** More items follow this page */
  hasMore: boolean;
  data: DeadLetter[];
  /** Number of items in this page */
  pageSize: number;
  page: number;
  /** Letters that match the filters, counted up to 50,000 */
  totalCount: number;
};

export type DeadLetterReplay = {
  replayed: number;
  /** Those of `ids` that are unknown, no longer open, or without their message */
  failed: number;
};

export type DeadLetterReplayCreateIn = {
  /** These letters, instead of a filter */
  ids?: string[];
  /** Open letters that match, oldest first, up to 50,000; `{}`: all of them */
  filter?: {
    channel?: Channel;
    providerId?: string;
    transactionId?: string;
    /** Identifier or internal id */
    workflowId?: string;
    integrationIdentifier?: string;
    /** transient: the provider was unavailable or overloaded; unknown: it never responded; the others: the integration */
    errorClass?: "transient" | "unknown" | "auth" | "quota" | "config";
    /** Given up after this time */
    after?: string;
    /** Given up before this time */
    before?: string;
  };
  /** Try this integration first; only letters of its channel; email and SMS only */
  integrationIdentifier?: string;
  perSecond?: number;
  /** With one letter in `ids`: its content is rendered again from this payload, with the workflow version the event started with */
  payload?: Record<string, unknown>;
};

export type DeadLetterReplayIn = {
  ids?: string[];
  /** Open letters that match, oldest first, up to 1,000 per call; `{}`: all */
  filter?: {
    channel?: Channel;
    providerId?: string;
    transactionId?: string;
    /** Identifier or internal id */
    workflowId?: string;
    integrationIdentifier?: string;
    /** transient: the provider was unavailable or overloaded; unknown: it never responded; the others: the integration */
    errorClass?: "transient" | "unknown" | "auth" | "quota" | "config";
    /** Given up after this time */
    after?: string;
    /** Given up before this time */
    before?: string;
  };
  /** Spreads the sends; default: all at once. Each message's deadline starts with its turn */
  perSecond?: number;
  /** Try this integration first; email and SMS only */
  integrationIdentifier?: string;
};

export type DeadLetterReplayJob = {
  id: string;
  status: DeadLetterReplayStatus;
  perSecond: number;
  /** The letters it was started with: members of a filter, or `ids` */
  filter: Record<string, unknown>;
  /** The integration that is tried first */
  integrationIdentifier?: string;
  /** Letters that could be replayed when it started */
  total: number;
  /** Letters that were sent again. Fewer than `total` at the end if others were replayed or resolved in the meantime, or their message no longer exists */
  done: number;
  /** Replayed messages that a provider has accepted; not in the list of replays */
  sent?: number;
  /** Replayed messages that failed again or were canceled; not in the list of replays */
  failed?: number;
  /** When it was started (ISO 8601, UTC) */
  createdAt: string;
  /** Last progress or change (ISO 8601, UTC) */
  updatedAt: string;
  /** When it finished or was stopped (ISO 8601, UTC) */
  finishedAt?: string;
};

export type DeadLetterReplayList = {
  /** More items follow this page */
  hasMore: boolean;
  data: DeadLetterReplayJob[];
  /** Number of items in this page */
  pageSize: number;
  page: number;
};

export type DeadLetterReplayPreview = {
  /** Letters that the replay would include, up to 50,000 */
  total: number;
  /** Letters that were checked one by one: the oldest, up to 5,000 */
  examined: number;
  /** Letters among these that can be replayed */
  willBeSent: number;
  /** Letters that would not be sent, or not immediately; the most frequent reason first */
  others: {
    reason: ReplayPreviewReason;
    count: number;
    /** What a replay does with them, and why */
    text: string;
    /** The integration that causes it */
    integrationIdentifier?: string;
  }[];
};

export type DeadLetterReplayPreviewIn = {
  /** These letters, instead of a filter */
  ids?: string[];
  /** Open letters that match, oldest first, up to 50,000; `{}`: all of them */
  filter?: {
    channel?: Channel;
    providerId?: string;
    transactionId?: string;
    /** Identifier or internal id */
    workflowId?: string;
    integrationIdentifier?: string;
    /** transient: the provider was unavailable or overloaded; unknown: it never responded; the others: the integration */
    errorClass?: "transient" | "unknown" | "auth" | "quota" | "config";
    /** Given up after this time */
    after?: string;
    /** Given up before this time */
    before?: string;
  };
  /** Try this integration first; only letters of its channel; email and SMS only */
  integrationIdentifier?: string;
};

export type DeadLetterReplayStatus = "running" | "paused" | "stopped" | "done";

export type DeadLetterWorkflow = {
  workflowId: string;
  /** Empty when the workflow was deleted */
  name: string;
  /** The steps that created the messages, up to 5 */
  stepIds: string[];
  count: number;
};

/** What decided, and therefore where to change it */
export type DecidedBy = {
  /** `workflow`: its preferences; `step`: its content or settings; `preference`: the subscriber's own choice; `subscriber`: a missing or refused address; `event`: its overrides */
  kind: "workflow" | "step" | "condition" | "preference" | "schedule" | "subscriber" | "suppression" | "integration" | "provider" | "tenant" | "bridge" | "digest" | "throttle" | "budget" | "delay" | "branch" | "experiment" | "wait" | "event" | "topic";
  /** workflowId, stepId, subscriberId, transactionId or topicKey, the internal id of an integration or a suppression, or the id of a provider */
  id?: string;
  /** For a topic: the identifier of the subscription */
  name?: string;
};

export type DeletedSubscription = {
  _id: string;
  identifier?: string;
  topic: TopicRef;
  subscriber: SubscriberRef;
  /** Sorted `<type>:<id>` keys */
  contextKeys?: string[];
  /** When the subscription was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
};

export type DigestClose = {
  /** Internal id, identifier or slug. Default: every digest step */
  stepId?: string;
  /** Default: every subscriber */
  subscriberId?: string;
};

export type DigestCloseResult = {
  /** How many digests were closed */
  closed: number;
  /** true: the call reached its limit; repeat it for the rest */
  hasMore: boolean;
};

export type DigestClosed = {
  /** false: it was already closing */
  closed: boolean;
};

/** Absent when the step has no digest key */
export type DigestKey = {
  path: string;
  /** As JSON, at most 200 characters */
  value: string;
};

export type DigestLeader = {
  transactionId: string;
  notificationId: string;
  /** Its outcome */
  verdict: string;
};

export type DigestMember = {
  transactionId: string;
  notificationId: string;
  /** When the event was accepted (ISO 8601, UTC) */
  createdAt: string;
  /** The first 300 characters of its JSON */
  payload: string;
};

export type DigestStep = {
  _id: string;
  stepId: string;
  name: string;
};

export type DigestWorkflow = {
  _id: string;
  workflowId: string;
  name: string;
};

export type DryRun = {
  workflow: DryRunWorkflow;
  /** What `events.trigger` would return */
  status: "error" | "trigger_not_active" | "no_workflow_active_steps_defined" | "no_workflow_steps_defined" | "processed" | "no_tenant_found" | "invalid_recipients";
  error?: string[];
  note?: string;
  /** For when it was calculated (ISO 8601, UTC) */
  time: string;
  recipients: DryRunRecipient[];
  /** Members of the event's topics whom it would skip */
  notReached: DryRunLeftOut[];
  /** Members of the event's topics, counted up to 50,000 */
  audienceCount: number;
  /** There are more recipients than are shown */
  truncated: boolean;
};

/** What happens meanwhile */
export type DryRunAssumptions = {
  /** Events in a digest that closes, all like this one */
  digestedEvents?: number;
  /** In-app messages are seen and read before later steps start */
  isRead?: boolean;
  /** What happens to messages of earlier steps while a run waits for it */
  messages?: ({
    stepId: string;
    event: "seen" | "read" | "clicked" | "delivered" | "bounced";
  })[];
  /** Signals that arrive while a run waits for them; the others time out */
  signals?: {
    name: string;
    data?: Record<string, unknown>;
  }[];
};

export type DryRunEvent = {
  /** Identifier of the workflow */
  name?: string;
  workflow?: WorkflowDraft;
  /** A subscriber id, a subscriber, a topic, an audience, or a list of these. A subscriber that does not exist yet is created. Everyone receives the event once: topics add subscribers who are not named directly, not excluded and not the actor, and whose subscription has exactly the event's contexts and rules that match it. */
  to: string | RecipientSubscriber | RecipientTopic | RecipientAudience | (string | RecipientSubscriber | RecipientTopic | RecipientAudience)[];
  /** At most 512 KB of JSON. `attachments`, a list of up to 10 `{name, mime, file, channels?}` with `file` in base64, is sent with emails. */
  payload?: Record<string, unknown>;
  /** What this event sends differently; docs/overrides.md lists precedence, members and errors */
  overrides?: Record<string, unknown>;
  /** An event with this id is accepted once */
  transactionId?: string;
  /** A later event with the same key replaces this one for the same subscriber: what waits is canceled, an in-app message is replaced (docs/retract.md) */
  supersedeKey?: string;
  actor?: string | RecipientSubscriber;
  /** What the event is about, at most 5 contexts: maps a context type to the context's id, or to `{id, data}` to give a new context its data. Unknown contexts are created, known ones are used unchanged. */
  context?: Record<string, unknown>;
  /** The identifier of a tenant that exists, or `{identifier, name?, data?}`, which creates the tenant or updates the members given. Templates use it as `tenant`. */
  tenant?: string | Record<string, unknown>;
  /** In a development environment: the bridge that provides the content of the steps, instead of the one that the workflow was synced from */
  bridgeUrl?: string;
  /** Which messages go first, instead of the priority of the workflow; critical workflows stay high. An API key may only lower it, unless it may raise priorities (environments.updateApiKey). */
  priority?: "high" | "normal" | "low";
  assume?: DryRunAssumptions;
};

export type DryRunLeftOut = {
  subscriberId: string;
  reached: boolean;
  via: Reach;
};

export type DryRunRecipient = {
  subscriberId: string;
  /** The event would create this subscriber */
  isNew: boolean;
  reached: boolean;
  via: Reach;
  verdict: string;
  steps: ExplainedStep[];
};

export type DryRunWorkflow = {
  workflowId: string;
  name: string;
};

export type EmailBlock = {
  type: "button" | "text";
  content: string;
  url?: string;
  styles?: {
    textAlign: "center" | "left" | "right";
  };
};

export type Environment = {
  _id: string;
  name: string;
  _organizationId: string;
  identifier: string;
  type?: "dev" | "prod" | null;
  /** Only for the environment the calling key belongs to */
  apiKeys?: ApiKey[];
  /** true: the environment that the calling key belongs to, in environments.list */
  isCurrent?: boolean;
  _parentId?: string;
  slug?: string;
  /** Apps whose links are kept in mails and in-app bodies; absent if there are none */
  linkSchemes?: string[];
  /** Domain of the hosted pages in links of mails; absent if they use that of the service */
  pagesUrl?: string;
  /** true: an owner other than the sender approves broadcasts; absent otherwise */
  broadcastApproval?: boolean;
};

export type EnvironmentClock = {
  environmentId: string;
  /** The environment's current time (ISO 8601, UTC) */
  now: string;
  isTestClock: boolean;
  /** The time the clock is moving to (ISO 8601, UTC) */
  target?: string;
  /** `real` time, or a test clock that is `standing` or `moving` to its target */
  status: "real" | "standing" | "moving";
};

export type EnvironmentClockIn = {
  /** The time to move to (ISO 8601); null returns the environment to real time */
  now?: string | null;
  /** How far to move, instead of `now` */
  advance?: {
    amount: number;
    unit: "seconds" | "minutes" | "hours" | "days" | "weeks" | "months";
  };
};

export type EnvironmentDiff = {
  sourceEnvironmentId: string;
  targetEnvironmentId: string;
  resources: ResourceDiff[];
  summary: {
    /** Resources that differ */
    totalEntities: number;
    totalChanges: number;
    hasChanges: boolean;
  };
};

export type EnvironmentDiffIn = {
  /** Id or identifier of any environment of the organisation; default: the first `dev` environment */
  sourceEnvironmentId?: string;
};

export type EnvironmentIn = {
  /** Without control characters */
  name: string;
  /** For editors, such as `#FF5733` */
  color: string;
  /** Id or identifier of an environment */
  parentId?: string;
  /** Schemes of apps, such as `myapp` for `myapp://order/7`: sanitising keeps links with them in mails and in-app bodies. Schemes that can run code or read local data, such as `javascript`, are refused. */
  linkSchemes?: string[];
  /** Own domain of the hosted pages, such as `https://preferences.acme.com`: links in mails and `List-Unsubscribe` headers begin with it. The domain must lead to this service. null or an empty text removes it */
  pagesUrl?: string | null;
};

export type EnvironmentLimit = {
  classes: ("transactional" | "promotional")[];
  limit: number;
  window: AttentionWindow;
};

export type EnvironmentPublish = {
  results: PublishResult[];
  summary: {
    resources: number;
    successful: number;
    failed: number;
    skipped: number;
  };
  /** Id in environments.listPublishes; absent when nothing was changed */
  publishId?: string;
};

export type EnvironmentPublishIn = {
  /** Id or identifier of any environment of the organisation; default: the first `dev` environment */
  sourceEnvironmentId?: string;
  /** Change nothing; `skipped` shows what would be done */
  dryRun?: boolean;
  /** Absent or empty: everything */
  resources?: ResourceToPublish[];
};

export type EnvironmentState = {
  /** At most 100 */
  breakers: OpenBreaker[];
  /** Integrations that messages wait for; at most 100,000 messages are counted */
  waiting: WaitingMessages[];
  /** Open ones, counted up to 10,000, like the next two */
  deadLetters: number;
  failedTasks: number;
  /** Deliveries that were given up */
  failedWebhookDeliveries: number;
  /** Webhooks that the service switched off */
  disabledWebhooks: number;
  /** Active webhooks whose last 5 or more calls failed */
  failingWebhooks: FailingWebhook[];
  /** How long the oldest event of this environment has been in the queue */
  oldestEventSeconds: number;
};

export type EnvironmentTag = {
  name: string;
};

export type EnvironmentTimeline = {
  clock: EnvironmentClock;
  /** Soonest first */
  waiting: TimelineWait[];
  /** Cursor of the next page of `waiting`; null when there is none */
  next: string | null;
  /** More is waiting than was read: follow `next`. A count that reaches the limit is too low */
  isCapped: boolean;
  /** Oldest first, the newest entry last */
  results: TimelineResult[];
};

export type EnvironmentUpdate = {
  /** Without control characters */
  name?: string;
  identifier?: string;
  /** Id or identifier of an environment */
  parentId?: string;
  /** For editors, such as `#FF5733` */
  color?: string;
  /** Schemes of apps, such as `myapp` for `myapp://order/7`: sanitising keeps links with them in mails and in-app bodies. Schemes that can run code or read local data, such as `javascript`, are refused. */
  linkSchemes?: string[];
  /** Own domain of the hosted pages, such as `https://preferences.acme.com`: links in mails and `List-Unsubscribe` headers begin with it. The domain must lead to this service. null or an empty text removes it */
  pagesUrl?: string | null;
  /** true: another person, an owner, approves a broadcast before it starts */
  broadcastApproval?: boolean;
};

export type EnvironmentVariable = {
  _id: string;
  _organizationId: string;
  key: string;
  type: "string";
  /** Encrypted, never returned, and only for the URL, headers and body of `http_request` steps */
  isSecret: boolean;
  /** The environments that have a value: with an API key, only that of the key */
  values: EnvironmentVariableValue[];
  /** When it was created (ISO 8601, UTC) */
  createdAt: string;
  /** When a value was last changed (ISO 8601, UTC) */
  updatedAt: string;
};

export type EnvironmentVariableIn = {
  /** Such as `BASE_URL`: a letter, then letters, digits and underscores, at most 64 characters */
  key: string;
  type?: "string";
  /** Encrypted, never returned, and only for the URL, headers and body of `http_request` steps */
  isSecret?: boolean;
  values?: EnvironmentVariableValueIn[];
};

export type EnvironmentVariableLayout = {
  name: string;
  layoutId: string;
  _environmentId: string;
};

export type EnvironmentVariablePatch = {
  /** Such as `BASE_URL`: a letter, then letters, digits and underscores, at most 64 characters */
  key?: string;
  type?: "string";
  /** Encrypted, never returned, and only for the URL, headers and body of `http_request` steps */
  isSecret?: boolean;
  values?: EnvironmentVariableValueChange[];
};

export type EnvironmentVariableUsage = {
  /** The first 100 */
  workflows: EnvironmentVariableWorkflow[];
  /** The first 100 */
  layouts: EnvironmentVariableLayout[];
};

export type EnvironmentVariableValue = {
  _environmentId: string;
  /** `********` for a secret */
  value: string;
};

export type EnvironmentVariableValueChange = {
  /** Id or identifier of an environment; with an API key, that of the key */
  _environmentId: string;
  /** At most 8 KB. `********` keeps the stored value of a secret. null removes it from this environment. */
  value: string | null;
};

export type EnvironmentVariableValueIn = {
  /** Id or identifier of an environment; with an API key, that of the key */
  _environmentId: string;
  /** At most 8 KB. `********` keeps the stored value of a secret. */
  value: string;
};

export type EnvironmentVariableWorkflow = {
  name: string;
  workflowId: string;
  _environmentId: string;
};

export type EraseIn = {
  /** Other texts that only this person has, such as a former address or a customer number: they are replaced wherever they occur in the environment */
  terms?: string[];
};

export type ErasedTable = {
  table: string;
  action: ErasureAction;
  what: string;
  /** Rows that were deleted or rewritten */
  rows: number;
};

export type Erasure = {
  id: string;
  status: ErasureStatus;
  /** What the rows have instead of the subscriber */
  pseudonym: string;
  progress: ErasureProgress;
  /** Rows deleted or rewritten so far, by table */
  tables: Record<string, number>;
  /** The address of a member, or the environment of an API key */
  requestedBy: string;
  /** When the erasure was requested (ISO 8601, UTC) */
  createdAt: string;
  /** When the last table was done (ISO 8601, UTC) */
  finishedAt?: string;
  receipt?: ErasureReceipt;
  /** The receipt with a signature; `erasures.verify` checks it */
  signedReceipt?: string;
};

export type ErasureAction = "removed" | "rewritten";

export type ErasureProgress = {
  /** The second pass goes over what was written during the first one */
  pass: number;
  /** Steps of this pass that are done */
  done: number;
  steps: number;
  /** Rows deleted or rewritten so far */
  rows: number;
};

export type ErasureReceipt = {
  erasureId: string;
  environmentId: string;
  /** What the rows have instead of the subscriber */
  pseudonym: string;
  /** Keyed hash of the subscriber id; only this installation can compute it */
  subscriberHash: string;
  /** When the erasure was requested (ISO 8601, UTC) */
  requestedAt: string;
  /** When the last table was done (ISO 8601, UTC) */
  completedAt: string;
  tables: ErasedTable[];
  /** What is left, and why */
  remains: ErasureRemainder[];
};

export type ErasureRemainder = {
  what: string;
  why: string;
  rows?: number;
};

export type ErasureStatus = "running" | "completed";

export type ErasureVerification = {
  /** false: changed, or signed by another installation or environment */
  isValid: boolean;
  /** Only if `subscriberId` was given */
  isAboutSubscriber?: boolean;
  receipt?: ErasureReceipt;
};

export type ErasureVerifyIn = {
  signedReceipt: string;
  subscriberId?: string;
};

/** The step `start_workflow` of another run that started it; absent for an event of a request */
export type EventStarter = {
  workflowId: string;
  stepId: string;
  notificationId: string;
  /** Absent when that event was deleted by its age */
  transactionId?: string;
  /** The same in a sentence */
  text: string;
};

export type ExecutionDetail = {
  _id: string;
  createdAt?: string;
  status: "Success" | "Warning" | "Failed" | "Pending" | "Queued" | "ReadConfirmation";
  /** What happened, in words */
  detail: string;
  isRetry: boolean;
  isTest: boolean;
  providerId?: string;
  /** The details, as JSON */
  raw?: string | null;
  source: "Credentials" | "Internal" | "Payload" | "Webhook";
  /** The name of the detail, for programs, such as `no_device_tokens`. Texts may change, codes do not */
  code?: string;
  decidedBy?: DecidedBy;
};

export type ExperimentDifference = {
  /** Share of this variant minus share of the first one */
  difference: number;
  /** Lower bound of the difference, 95 % (Newcombe) */
  low: number;
  /** Upper bound */
  high: number;
  /** Whether the interval leaves out 0 */
  isShown: boolean;
  /** More people in both variants together until the difference is shown, if the present shares are the true ones; null when it is shown already, or cannot be said */
  peopleNeeded: number | null;
};

export type ExperimentFigure = {
  figure: "sent" | "delivered" | "opened" | "clicked" | "read" | "goal";
  /** Name of the signal, with the figure `goal` */
  goal?: string;
  /** Messages; a step that sends to several devices or chats sends one. Absent for goals, and for people held out */
  messages?: number;
  /** People with at least one */
  people: number;
  /** People with at least one, as a share of the people in the variant */
  share: number;
  /** Lower bound of the share, 95 % (Wilson) */
  low: number;
  /** Upper bound */
  high: number;
  versusFirst?: ExperimentDifference;
  /** What these numbers show, in words */
  sentence: string;
};

export type ExperimentStatistics = {
  stepId: string;
  name: string;
  /** Whether runs pass the step */
  active: boolean;
  /** Runs that were counted */
  runs: number;
  /** Whether these are all runs of the range, or the newest ones */
  isComplete: boolean;
  /** People who were in another variant in a later run, because weights changed; they count in the first */
  moved: number;
  /** In the order of the step, then former ones, then the people held out */
  variants: ExperimentVariant[];
};

export type ExperimentVariant = {
  id: string;
  name: string | null;
  /** null: the variant is no longer part of the step, or its people are held out */
  weight: number | null;
  isHeldOut: boolean;
  /** People who came into the variant in their first run of the range */
  people: number;
  /** Those of messages in this order, then the goals of the step */
  figures: ExperimentFigure[];
};

export type ExplainedAttempt = {
  /** Counted per integration */
  number: number;
  integrationIdentifier?: string;
  providerId?: string;
  /** `running`, `accepted`, `rejected:<class>`, `unknown` */
  outcome: string;
  reason?: string;
  /** When the provider was called (ISO 8601, UTC) */
  startedAt: string;
  /** When the response arrived (ISO 8601, UTC) */
  finishedAt?: string;
};

export type ExplainedEvent = {
  workflowId: string;
  workflowName: string;
  /** When the event was accepted (ISO 8601, UTC) */
  time: string;
  /** `expanding`: its notifications are still being created; `refused`: its workflow was not active when it arrived */
  status: "expanded" | "expanding" | "canceled" | "refused";
  contextKeys: string[];
  /** The lane of its messages: what the event asked for, or its workflow has */
  priority: "high" | "normal" | "low";
  /** A test of a draft (`workflows.test`); absent otherwise */
  isTest?: boolean;
  startedBy?: EventStarter;
};

export type ExplainedMessage = {
  /** Not in a dry-run */
  _id?: string;
  channel: Channel;
  /** `sent`, `pending`, `warning` or `error` */
  status: string;
  providerId?: string;
  integrationIdentifier?: string;
  /** Email address or phone number; webhooks and device tokens are shown in part */
  address?: string;
  subject?: string;
  content?: string;
  cta?: Record<string, unknown>;
  /** The content is longer than what is shown */
  isTruncated?: boolean;
  errorId?: string;
  errorText?: string;
  /** Not in a dry-run */
  attempts?: ExplainedAttempt[];
};

export type ExplainedStep = {
  stepId: string;
  name: string;
  type: StepType;
  /** `done`: a step that sends nothing has ended */
  outcome: "sent" | "done" | "skipped" | "waiting" | "sending" | "merged" | "failed" | "canceled" | "pending";
  /** What happened, and who decided it */
  reason: string;
  /** The `code` of the execution detail that decided; absent until the step starts */
  code?: string;
  decidedBy?: DecidedBy;
  /** When that was decided; absent until the step starts (ISO 8601, UTC) */
  at?: string;
  /** What it waits for, or waited for (ISO 8601, UTC) */
  until?: string;
  messages: ExplainedMessage[];
  result?: ChannelStepResult;
  /** Not in a dry-run */
  details?: ExecutionDetail[];
};

export type Explanation = {
  transactionId: string;
  subscriberId: string;
  /** The subscriber's current one */
  timezone?: string;
  event: ExplainedEvent;
  /** The event created a notification for this subscriber */
  reached: boolean;
  /** Nothing is stored about subscribers an event did not reach: the reason is determined anew, from current data */
  evaluatedNow: boolean;
  via: Reach;
  /** Everything in one sentence */
  verdict: string;
  notificationId?: string;
  digestedInto?: DigestLeader;
  /** For a roll-up: the messages that are its items, at most 200 */
  rollUp?: RollUpItem[];
  steps: ExplainedStep[];
};

export type ExportedResources = {
  workflows?: ({
    workflowId: string;
    name: string;
    description?: string;
    tags?: string[];
    active?: boolean;
    severity?: "high" | "medium" | "low" | "none";
    outsideSchedule?: "hold" | "skip";
    onUnknownOutcome?: "may_duplicate" | "may_delay";
    isTranslationEnabled?: boolean;
    /** Payload paths, such as `order` or `invoice.number`, by whose texts and numbers events can be found in the activity, however old they are. Applies to events from now on. The first one is shown next to each event */
    searchKeys?: string[];
    /** What the workflow should achieve; `{}` for nothing in particular */
    objectives?: {
      /** Share of messages that a provider accepts in time. Delays, digests and quiet hours do not count: a step creates its message after them. In-app messages do not count */
      handedOver?: {
        percent: number;
        /** From the creation of the message to its acceptance by the provider */
        withinSeconds: 1 | 5 | 10 | 30 | 60 | 300;
      };
      /** Share of messages that arrive. In-app messages arrive at once; messages of providers that report no deliveries do not count */
      delivered?: {
        percent: number;
      };
    };
    /** Identifier of a category of the environment */
    categoryId?: string;
    /** Advertising: its mails always have the headers to unsubscribe */
    isCommercial?: boolean;
    messageClass?: "critical" | "transactional" | "promotional";
    priority?: "high" | "normal" | "low";
    preferences?: {
      user?: {
        all?: {
          enabled?: boolean;
          /** true: the workflow is critical, and subscribers cannot opt out */
          readOnly?: boolean;
        };
        channels?: {
          in_app?: {
            enabled?: boolean;
          };
          email?: {
            enabled?: boolean;
          };
          sms?: {
            enabled?: boolean;
          };
          chat?: {
            enabled?: boolean;
          };
          push?: {
            enabled?: boolean;
          };
        };
      } | null;
      workflow?: {
        all?: {
          enabled?: boolean;
          /** true: the workflow is critical, and subscribers cannot opt out */
          readOnly?: boolean;
        };
        channels?: {
          in_app?: {
            enabled?: boolean;
          };
          email?: {
            enabled?: boolean;
          };
          sms?: {
            enabled?: boolean;
          };
          chat?: {
            enabled?: boolean;
          };
          push?: {
            enabled?: boolean;
          };
        };
      } | null;
    };
    validatePayload?: boolean;
    /** JSON Schema, draft-07 or 2020-12 */
    payloadSchema?: Record<string, unknown> | null;
    steps: ({
      stepId: string;
      /** Default: the `stepId` */
      name?: string;
      type: "in_app" | "email" | "sms" | "chat" | "push" | "digest" | "delay" | "throttle" | "custom" | "branch" | "experiment" | "wait" | "http_request" | "start_workflow" | "update_subscriber";
      active?: boolean;
      /** true: if this step fails, the steps after it are canceled */
      shouldStopOnFail?: boolean;
      /** The arm of an earlier branch step that this step belongs to: `<stepId of the branch>/<id of the arm>`. The arm `else` is taken when no other is */
      arm?: string;
      /** How long after its creation the message may still be sent; default: the service's setting */
      deadlineSeconds?: number;
      filters?: ({
        isNegated?: boolean;
        type?: "BOOLEAN" | "TEXT" | "DATE" | "NUMBER" | "STATEMENT" | "LIST" | "MULTI_LIST" | "GROUP";
        /** How the children are joined */
        value?: "AND" | "OR";
        children: ({
          field: string;
          /** May be a template, such as `{{payload.plan}}`; rendered before it is compared */
          value: string;
          operator: "LARGER" | "SMALLER" | "LARGER_EQUAL" | "SMALLER_EQUAL" | "EQUAL" | "NOT_EQUAL" | "ALL_IN" | "ANY_IN" | "NOT_IN" | "BETWEEN" | "NOT_BETWEEN" | "LIKE" | "NOT_LIKE" | "IN";
          /** In integration conditions, `tenant` requires the vocabulary `novu` */
          on: "subscriber" | "payload" | "tenant";
        })[];
      })[];
      /** Depends on the step type. A layout is given by its identifier */
      controlValues?: Record<string, unknown>;
    })[];
    /** Texts by locale */
    translations?: Record<string, Record<string, unknown>>;
  })[];
  layouts?: ({
    layoutId: string;
    name: string;
    /** Emails without a layout use it; if no layout is the default, the environment keeps its own */
    isDefault?: boolean;
    isTranslationEnabled?: boolean;
    editorType?: "html" | "block";
    /** HTML with `{{content}}` where the email's own content is inserted */
    body?: string;
    /** Texts by locale */
    translations?: Record<string, Record<string, unknown>>;
  })[];
  integrations?: ({
    identifier: string;
    name: string;
    providerId: "emailjs" | "mailgun" | "mailjet" | "mandrill" | "nodemailer" | "postmark" | "sendgrid" | "sendinblue" | "ses" | "netcore" | "infobip-email" | "resend" | "plunk" | "mailersend" | "mailtrap" | "outlook365" | "svc-email" | "sparkpost" | "email-webhook" | "braze" | "clickatell" | "nexmo" | "plivo" | "sms77" | "sms-central" | "sns" | "telnyx" | "twilio" | "gupshup" | "firetext" | "infobip-sms" | "burst-sms" | "bulk-sms" | "isend-sms" | "forty-six-elks" | "kannel" | "maqsam" | "termii" | "africas-talking" | "svc-sms" | "sendchamp" | "generic-sms" | "clicksend" | "bandwidth" | "messagebird" | "simpletexting" | "azure-sms" | "ring-central" | "brevo-sms" | "eazy-sms" | "mobishastra" | "afro-message" | "unifonic" | "smsmode" | "imedia" | "sinch" | "isendpro-sms" | "fcm" | "apns" | "expo" | "one-signal" | "pushpad" | "push-webhook" | "pusher-beams" | "appio" | "slack" | "discord" | "msteams" | "mattermost" | "ryver" | "zulip" | "grafana-on-call" | "getstream" | "rocket-chat" | "whatsapp-business" | "chat-webhook" | "svc-slack" | "web-push" | "telegram" | "svc";
    channel: "in_app" | "email" | "sms" | "chat" | "push";
    /** An integration that lacks secrets stays inactive until they are entered */
    active?: boolean;
    /** Email and SMS only. If omitted, the channel keeps its primary */
    primary?: boolean;
    conditions?: ({
      isNegated?: boolean;
      type?: "BOOLEAN" | "TEXT" | "DATE" | "NUMBER" | "STATEMENT" | "LIST" | "MULTI_LIST" | "GROUP";
      /** How the children are joined */
      value?: "AND" | "OR";
      children: ({
        field: string;
        /** May be a template, such as `{{payload.plan}}`; rendered before it is compared */
        value: string;
        operator: "LARGER" | "SMALLER" | "LARGER_EQUAL" | "SMALLER_EQUAL" | "EQUAL" | "NOT_EQUAL" | "ALL_IN" | "ANY_IN" | "NOT_IN" | "BETWEEN" | "NOT_BETWEEN" | "LIKE" | "NOT_LIKE" | "IN";
        /** In integration conditions, `tenant` requires the vocabulary `novu` */
        on: "subscriber" | "payload" | "tenant";
      })[];
    })[];
    configurations?: {
      inboundWebhookEnabled?: boolean;
      /** Amazon SES */
      configurationSetName?: string;
      /** Push providers */
      pushResources?: unknown;
      /** Calls per second across all worker processes; default: the provider's known limit */
      maxPerSecond?: number;
    };
  })[];
  topics?: {
    key: string;
    name: string;
  }[];
  categories?: {
    categoryId: string;
    name: string;
    description?: string;
    required?: boolean;
    channels?: {
      email?: boolean;
      sms?: boolean;
      in_app?: boolean;
      chat?: boolean;
      push?: boolean;
    };
  }[];
  audiences?: {
    audienceId: string;
    name: string;
    description?: string;
    /** JSON Logic over subscribers, as in audiences.create */
    rule: Record<string, unknown>;
  }[];
  brand?: {
    /** The sender as readers know it */
    name?: string;
    /** The logo on a light background. A web address (http or https), or the path of an uploaded image that `assets.create` returns */
    logoUrl?: string | null;
    /** The logo on a dark background; without it, `logoUrl` is used there as well. A web address (http or https), or the path of an uploaded image that `assets.create` returns */
    logoDarkUrl?: string | null;
    colors?: {
      /** Buttons and links */
      primary?: string;
      /** Text on `primary`; white or black, whichever is easier to read, unless given */
      primaryText?: string;
      /** Text */
      text?: string;
      /** Headings; as `text`, if that is given */
      heading?: string;
      /** Behind the content */
      background?: string;
      /** The content itself: the card of a mail or page */
      surface?: string;
      /** As `primary`, in dark mode */
      primaryDark?: string;
      /** As `primaryText`, in dark mode */
      primaryTextDark?: string;
      /** As `text`, in dark mode */
      textDark?: string;
      /** As `heading`, in dark mode */
      headingDark?: string;
      /** As `background`, in dark mode */
      backgroundDark?: string;
      /** As `surface`, in dark mode */
      surfaceDark?: string;
    };
    /** Font families in order of preference, such as `Inter, Arial, sans-serif` */
    fontStack?: string;
    /** Rounding of buttons and cards, in pixels */
    cornerRadius?: number;
    /** Postal address for the footer of mails; line breaks are kept */
    address?: string;
    socialLinks?: ({
      network: "bluesky" | "discord" | "facebook" | "github" | "instagram" | "linkedin" | "mastodon" | "pinterest" | "reddit" | "telegram" | "threads" | "tiktok" | "website" | "whatsapp" | "x" | "youtube";
      /** A web address (http or https) */
      url: string;
    })[];
    /** Own texts of the hosted pages by locale, such as `de` or `pt_BR` */
    pageTexts?: Record<string, {
        /** Below the title of the preference page; line breaks are kept. Plain text */
        introduction?: string;
        /** At the end of every hosted page; line breaks are kept. Plain text */
        footer?: string;
      }>;
  };
  attention?: {
    budgets: ({
      channel: "in_app" | "email" | "sms" | "chat" | "push";
      /** The classes of workflows that it counts; default: both. Critical workflows never count */
      classes?: ("transactional" | "promotional")[];
      /** Messages for one person in a window */
      limit: number;
      window: {
        /** At most 90 days in all */
        amount: number;
        unit: "hour" | "day" | "week";
      };
      /** What happens to a message that is over the budget. `roll_up`: it becomes an item of one message, sent when a place is free. `delay`: it waits for a place. `drop`: it is not sent */
      overflow?: "roll_up" | "delay" | "drop";
      /** Roll-ups wait for this time of day of the person, such as `18:00`; null: for the next free place */
      rollUpAt?: string | null;
    })[];
  };
};

export type FailedTask = {
  id: string;
  /** The stage of the pipeline: `relay` (a call by SQL that was refused), `trigger`, `fanout`, `wake`, `bridge`, `deliver`, `webhook` or `unsnooze` */
  kind: string;
  /** The task's data: ids of events, notifications, messages or deliveries, or the refused call */
  data: Record<string, unknown>;
  /** Why the last attempt failed */
  error: string;
  /** Number of attempts */
  attempts: number;
  status: "open" | "replayed";
  /** When it was set aside (ISO 8601, UTC) */
  createdAt: string;
  /** When it was put back into the queue (ISO 8601, UTC) */
  replayedAt?: string;
};

export type FailedTaskList = {
  /** More items follow this page */
  hasMore: boolean;
  data: FailedTask[];
  /** Number of items in this page */
  pageSize: number;
  page: number;
  /** Tasks that match the filter, counted up to 50,000 */
  totalCount: number;
};

export type FailingWebhook = {
  webhookId: string;
  /** Without its query */
  url: string;
  /** Calls that failed since the last success */
  failures: number;
  /** The first of these failures (ISO 8601, UTC) */
  failingSince: string;
  /** The response to the last call */
  lastError?: string;
};

export type FeedItem = {
  _id: string;
  _templateId: string;
  _environmentId: string;
  _messageTemplateId?: string;
  _organizationId: string;
  _notificationId: string;
  _subscriberId: string;
  _feedId?: string | null;
  _jobId: string;
  createdAt?: string | null;
  updatedAt?: string | null;
  actor?: {
    data: string | null;
    type: "none" | "user" | "system_icon" | "system_custom";
  };
  subscriber?: FeedSubscriber;
  transactionId: string;
  templateIdentifier?: string;
  providerId?: string;
  content: string;
  subject?: string | null;
  channel: Channel;
  read: boolean;
  seen: boolean;
  archived: boolean;
  deviceTokens?: string[] | null;
  cta: MessageCta;
  status: MessageStatus;
  payload?: Record<string, unknown>;
  data?: Record<string, unknown> | null;
  overrides?: Record<string, unknown>;
  tags?: string[] | null;
};

export type FeedPage = {
  /** Total available, counted up to 50,000 */
  totalCount?: number;
  /** More items follow this page */
  hasMore: boolean;
  data: FeedItem[];
  /** Number of items in this page */
  pageSize: number;
  page: number;
};

export type FeedSubscriber = {
  _id?: string;
  firstName?: string;
  lastName?: string;
  avatar?: string;
  subscriberId: string;
};

export type FieldFilterPart = {
  field: string;
  /** May be a template, such as `{{payload.plan}}`; rendered before it is compared */
  value: string;
  operator: "LARGER" | "SMALLER" | "LARGER_EQUAL" | "SMALLER_EQUAL" | "EQUAL" | "NOT_EQUAL" | "ALL_IN" | "ANY_IN" | "NOT_IN" | "BETWEEN" | "NOT_BETWEEN" | "LIKE" | "NOT_LIKE" | "IN";
  /** In integration conditions, `tenant` requires the vocabulary `novu` */
  on: "subscriber" | "payload" | "tenant";
};

export type FileChange = {
  type: FileType;
  /** Identifier */
  id: string;
  name: string;
  action: "created" | "changed" | "deleted";
  /** What subscribers will notice */
  sentences: string[];
  /** Fields of a changed resource, with both values */
  settings: ChangedField[];
  /** For a changed workflow */
  steps: StepChange[];
  inFlight?: FileInFlight;
  /** What else has to be done */
  notes: string[];
};

export type FileDrift = {
  type: FileType;
  id: string;
  /** What happened to it in the environment since `driftSince` */
  kind: "created" | "changed" | "deleted";
  /** Applying the plan reverts it */
  isOverwritten: boolean;
};

export type FileDriftSince = {
  /** What drift is measured against. `pulled`: the fingerprints in the request. `applied`: the last apply, for the resources in the request */
  kind: "pulled" | "applied";
  /** Time of the last apply (ISO 8601, UTC) */
  at?: string;
};

export type FileInFlight = {
  /** Runs in progress */
  total: number;
  /** true if there may be more: only the newest notifications were counted */
  isCapped: boolean;
  /** What happens to them */
  text: string;
  /** By version, step and what they are waiting for */
  data: InFlightStep[];
};

export type FileIssue = {
  type: FileType;
  /** Identifier of the workflow or layout */
  id: string;
  /** Path in the request, such as `resources.workflows.0.steps.1.controlValues.layoutId` */
  field: string;
  issueType: "ILLEGAL_VARIABLE_IN_CONTROL_VALUE" | "INVALID_FILTER_ARG_IN_VARIABLE" | "MISSING_VALUE" | "TIER_LIMIT_EXCEEDED" | "MISSING_INTEGRATION";
  message: string;
  /** Applying requires `allowIssues`. false for a missing integration, which is set up in the environment */
  isBlocking: boolean;
};

export type FileKept = {
  type: FileType;
  id: string;
  /** Why a resource that is not in the request is kept */
  reason: string;
};

export type FileResources = {
  workflows?: WorkflowFile[];
  layouts?: LayoutFile[];
  integrations?: IntegrationFile[];
  topics?: TopicFile[];
  categories?: CategoryFile[];
  audiences?: AudienceFile[];
  brand?: BrandFile;
  attention?: AttentionFile;
};

export type FileType = "workflow" | "layout" | "integration" | "topic" | "category" | "audience" | "brand" | "attention";

export type FilesApplied = {
  /** Over all current resources together */
  fingerprint: string;
  changes: FileChange[];
  /** Resources that need no change */
  unchanged: number;
  kept: FileKept[];
  /** Changes in the environment that did not come from files */
  drift: FileDrift[];
  driftSince?: FileDriftSince;
  /** Issues of severity `error` in the workflows and layouts that the plan creates or changes */
  issues: FileIssue[];
  /** By `<type>/<identifier>`, such as `workflow/welcome`. Equal content has the same fingerprint */
  fingerprints: Record<string, string>;
};

export type FilesApplyIn = {
  resources: FileResources;
  /** Delete workflows, layouts, categories and audiences with a rule that are missing from the given lists. Integrations, topics and fixed audiences, which hold secrets and people, are never deleted; nor are resources of a type whose list is not given */
  prune?: boolean;
  /** `fingerprints` of the last export or apply. Without it, drift is shown since the last apply to the environment */
  pulled?: Record<string, string>;
  /** `fingerprint` of the plan */
  expectedFingerprint: string;
  /** Also write workflows and layouts that have blocking issues */
  allowIssues?: boolean;
};

export type FilesExport = {
  environmentId: string;
  /** When it was read (ISO 8601, UTC) */
  exportedAt: string;
  /** Over all resources together */
  fingerprint: string;
  /** By `<type>/<identifier>`, such as `workflow/welcome`. Equal content has the same fingerprint */
  fingerprints: Record<string, string>;
  resources: ExportedResources;
};

export type FilesPlan = {
  /** Over all resources together */
  fingerprint: string;
  changes: FileChange[];
  /** Resources that need no change */
  unchanged: number;
  kept: FileKept[];
  /** Changes in the environment that did not come from files */
  drift: FileDrift[];
  driftSince?: FileDriftSince;
  /** Issues of severity `error` in the workflows and layouts that the plan creates or changes */
  issues: FileIssue[];
};

export type FilesPlanIn = {
  resources: FileResources;
  /** Delete workflows, layouts, categories and audiences with a rule that are missing from the given lists. Integrations, topics and fixed audiences, which hold secrets and people, are never deleted; nor are resources of a type whose list is not given */
  prune?: boolean;
  /** `fingerprints` of the last export or apply. Without it, drift is shown since the last apply to the environment */
  pulled?: Record<string, string>;
};

export type ForecastChannel = {
  channel: Channel;
  /** Sent in the time that the forecast covers */
  messages: number;
  /** Would have been sent at once */
  sent: number;
  /** Would have become items of roll-ups */
  rolledUp: number;
  /** The roll-ups they would have become */
  rollUps: number;
  /** Would have waited for a place */
  delayed: number;
  /** Would not have been sent */
  dropped: number;
  /** People of whom at least one message would have been held */
  people: number;
};

export type ForecastWorkflow = {
  workflowId: string;
  name: string;
  messages: number;
  /** Rolled up, delayed or dropped */
  held: number;
};

export type Gallery = {
  templates: GalleryEntry[];
};

export type GalleryEntry = {
  /** Names the template, such as `order-confirmed` */
  name: string;
  title: string;
  category: "account" | "team" | "orders" | "billing" | "product" | "operations";
  /** What it is for, in one sentence */
  about: string;
  /** In the order of its steps */
  channels: Channel[];
  /** Subscribers cannot switch it off */
  isCritical: boolean;
};

export type GalleryPreview = {
  channel: Channel;
  /** null for channels without one */
  subject: string | null;
  /** The HTML of an email, in the layout of the brand; the text of all others */
  body: string;
};

export type GalleryTemplate = {
  /** Names the template, such as `order-confirmed` */
  name: string;
  title: string;
  category: "account" | "team" | "orders" | "billing" | "product" | "operations";
  /** What it is for, in one sentence */
  about: string;
  /** In the order of its steps */
  channels: Channel[];
  /** Subscribers cannot switch it off */
  isCritical: boolean;
  /** An identifier that is free in the environment */
  workflowId: string;
  /** A sample that `payloadSchema` accepts */
  payload: Record<string, unknown>;
  /** JSON Schema of the payload */
  payloadSchema: Record<string, unknown>;
  /** A scenario file, for `tidings test` */
  scenario: string;
  previews: GalleryPreview[];
};

export type GalleryUse = {
  /** Default: the template's name, with a number if taken */
  workflowId?: string;
  name?: string;
};

export type GlobalPreference = {
  enabled: boolean;
  channels: PreferenceChannels;
  schedule?: Schedule;
};

export type Import = {
  id: string;
  kind: ImportKind;
  /** true: the rows are checked and counted, and nothing is written */
  isDryRun: boolean;
  /** failed: a part failed on every attempt; it is listed in the failed tasks and can be replayed */
  status: "waiting" | "running" | "completed" | "failed";
  fileName?: string;
  separator: CsvSeparator;
  /** The file's columns, as the names of the fields they set */
  columns: string[];
  /** Non-empty rows, without the header row */
  lines: number;
  /** Rows processed so far */
  done: number;
  created: number;
  updated: number;
  /** Rows that match what is already stored */
  unchanged: number;
  /** Rows that were skipped; `imports.listErrors` lists the first 1,000 */
  faulty: number;
  /** When the file was accepted (ISO 8601, UTC) */
  createdAt: string;
  /** When the last row was processed (ISO 8601, UTC) */
  finishedAt?: string;
};

export type ImportColumn = {
  /** As written in the file */
  header: string;
  /** The field that the column sets; null: not imported */
  field: string | null;
  /** Why the file would be refused */
  problem?: string;
};

export type ImportError = {
  /** Line number in the file, from 1 */
  line: number;
  /** null: the row as a whole */
  column: string | null;
  /** What is wrong and how to fix it */
  message: string;
  /** The cells of the row, in the order of `columns` */
  cells: string[];
};

export type ImportErrorList = {
  /** More items follow this page */
  hasMore: boolean;
  data: ImportError[];
  /** Number of items in this page */
  pageSize: number;
  page: number;
};

export type ImportIn = {
  kind: ImportKind;
  /** CSV text, at most 10 MB; the first line names the columns */
  csv: string;
  dryRun?: boolean;
  fileName?: string;
};

export type ImportKind = "subscribers" | "subscriptions";

export type ImportList = {
  data: Import[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type ImportPreview = {
  separator: CsvSeparator;
  columns: ImportColumn[];
  /** The first rows, at most 10 */
  rows: string[][];
  /** Why the file would be refused; empty: it would be accepted */
  problems: string[];
};

export type ImportPreviewIn = {
  kind: ImportKind;
  /** CSV text, at most 10 MB; the first line names the columns */
  csv: string;
};

export type InFlight = {
  data: InFlightStep[];
  total: number;
  isCapped: boolean;
};

export type InFlightStep = {
  versionId: string;
  /** Number of the version; negative for what only a broadcast sends */
  version: number;
  step: InFlightStepRef;
  /** `starting`: ready to start; `held`: outside the subscriber's schedule, or until the next attempt; `sending`: being delivered */
  wait: "starting" | "delay" | "digest" | "wait" | "held" | "sending";
  count: number;
  /** When the oldest of these runs started (ISO 8601, UTC) */
  oldest: string;
  /** When the first of them resumes (ISO 8601, UTC) */
  nextAt?: string;
};

export type InFlightStepRef = {
  _id: string;
  stepId: string;
  name: string;
  type: StepType;
};

/** Why it was refused or ignored */
export type InboundReason = "bad_signature" | "unknown_integration" | "unknown_message" | "unreadable" | "no_report";

export type InboundReceipt = {
  /** Id of the message, or the provider's id when no message matches it */
  id: string;
  event: InboundReceiptEvent;
};

export type InboundReceiptEvent = {
  status: ReceiptStatus;
  /** When it happened (ISO 8601, UTC) */
  date: string;
  /** The provider's id of the message */
  externalId?: string;
  attempts?: number;
  /** The receiving side's response */
  response?: string;
  /** The reported event, as JSON */
  row?: string;
};

/** applied: it took effect; duplicate: the same report arrived before; waiting: its message is not known yet or is being sent; ignored: the request contains no report; refused: see `reason` */
export type InboundResult = "applied" | "duplicate" | "waiting" | "ignored" | "refused";

export type InboxActionIn = {
  /** `primary` or `secondary` */
  actionType: string;
};

export type InboxAttention = {
  data: ChannelAttention[];
};

export type InboxCategoryPreference = {
  data: CategoryPreference;
};

export type InboxCategoryPreferenceIn = {
  email?: boolean;
  sms?: boolean;
  in_app?: boolean;
  chat?: boolean;
  push?: boolean;
};

export type InboxCategoryPreferences = {
  data: CategoryPreference[];
};

export type InboxChatOauthIn = {
  integrationIdentifier: string;
  /** The session's own */
  subscriberId?: string;
  context?: ContextMap;
  /** Not needed: the session already proves it */
  contextHash?: string;
  connectionIdentifier?: string;
  /** A subset of the scopes that sending needs; others require an API key */
  scope?: string[];
  /** `shared`: for all subscribers, whatever `subscriberId` says. Absent: for the subscriber, if one is given */
  connectionMode?: "subscriber" | "shared";
  /** true: the user who connects the workspace becomes an endpoint as well; `slack` only */
  autoLinkUser?: boolean;
  /** A subset of the scopes that identify a user; `slack` only */
  userScope?: string[];
  mode?: "connect" | "link_user";
};

export type InboxConnectOauthIn = {
  integrationIdentifier: string;
  /** The session's own */
  subscriberId?: string;
  context?: ContextMap;
  /** Not needed: the session already proves it */
  contextHash?: string;
  connectionIdentifier?: string;
  /** A subset of the scopes that sending needs; others require an API key */
  scope?: string[];
  /** `shared`: for all subscribers, whatever `subscriberId` says. Absent: for the subscriber, if one is given */
  connectionMode?: "subscriber" | "shared";
  /** true: the user who connects the workspace becomes an endpoint as well; `slack` only */
  autoLinkUser?: boolean;
};

export type InboxConnection = {
  identifier: string;
  channel: "in_app" | "email" | "sms" | "chat" | "push" | null;
  providerId: "emailjs" | "mailgun" | "mailjet" | "mandrill" | "nodemailer" | "postmark" | "sendgrid" | "sendinblue" | "ses" | "netcore" | "infobip-email" | "resend" | "plunk" | "mailersend" | "mailtrap" | "outlook365" | "svc-email" | "sparkpost" | "email-webhook" | "braze" | "clickatell" | "nexmo" | "plivo" | "sms77" | "sms-central" | "sns" | "telnyx" | "twilio" | "gupshup" | "firetext" | "infobip-sms" | "burst-sms" | "bulk-sms" | "isend-sms" | "forty-six-elks" | "kannel" | "maqsam" | "termii" | "africas-talking" | "svc-sms" | "sendchamp" | "generic-sms" | "clicksend" | "bandwidth" | "messagebird" | "simpletexting" | "azure-sms" | "ring-central" | "brevo-sms" | "eazy-sms" | "mobishastra" | "afro-message" | "unifonic" | "smsmode" | "imedia" | "sinch" | "isendpro-sms" | "fcm" | "apns" | "expo" | "one-signal" | "pushpad" | "push-webhook" | "pusher-beams" | "appio" | "slack" | "discord" | "msteams" | "mattermost" | "ryver" | "zulip" | "grafana-on-call" | "getstream" | "rocket-chat" | "whatsapp-business" | "chat-webhook" | "svc-slack" | "web-push" | "telegram" | "svc" | null;
  integrationIdentifier: string | null;
  /** null when all subscribers share the connection */
  subscriberId: string | null;
  contextKeys: string[];
  workspace: Workspace;
  /** When the connection was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
};

export type InboxConnectionAnswer = {
  data: InboxConnection;
};

export type InboxConnectionIn = {
  /** Generated when absent */
  identifier?: string;
  integrationIdentifier: string;
  workspace: WorkspaceIn;
  auth: ConnectionAuthIn;
};

export type InboxConnectionList = {
  data: InboxConnection[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type InboxCounts = {
  data: NotificationCount[];
};

export type InboxEndpointAnswer = {
  data: ChannelEndpoint;
};

export type InboxEndpointIn = {
  /** Generated when absent */
  identifier?: string;
  integrationIdentifier: string;
  connectionIdentifier?: string;
  type: ChannelEndpointType;
  /** The shape that belongs to `type` */
  endpoint: Record<string, unknown>;
};

export type InboxEndpointList = {
  data: ChannelEndpoint[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type InboxGlobalPreferenceIn = {
  email?: boolean;
  sms?: boolean;
  in_app?: boolean;
  chat?: boolean;
  push?: boolean;
  schedule?: Schedule;
};

export type InboxLink = {
  /** To be opened by the user */
  url: string;
  /** Additional data from the provider; empty for `slack` and `msteams` */
  providerMetadata: Record<string, unknown>;
};

export type InboxLinkAnswer = {
  data: InboxLink;
};

export type InboxLinkIn = {
  integrationIdentifier: string;
  /** The session's own */
  subscriberId?: string;
  context?: ContextMap;
  /** Not needed: the session already proves it */
  contextHash?: string;
};

export type InboxLinkOauthIn = {
  integrationIdentifier: string;
  /** The session's own */
  subscriberId?: string;
  context?: ContextMap;
  /** Not needed: the session already proves it */
  contextHash?: string;
  connectionIdentifier?: string;
  /** A subset of the scopes that identify a user; `slack` only */
  userScope?: string[];
};

export type InboxMarkAnswer = {
  data: NotificationsMarked;
};

export type InboxNotificationAnswer = {
  data: SubscriberNotification;
};

export type InboxNotificationPage = {
  data: SubscriberNotification[];
  /** More notifications follow this page */
  hasMore: boolean;
  /** The filter of the request */
  filter: Record<string, unknown>;
};

export type InboxOauthAnswer = {
  data: InboxOauthUrl;
};

export type InboxOauthUrl = {
  url: string;
};

export type InboxPreference = {
  level: "global" | "template";
  workflow?: WorkflowRef;
  /** The workflow as a whole */
  enabled: boolean;
  channels: PreferenceChannels;
  /** The category of the workflow */
  categoryId?: string;
  /** How often the subscriber wants the digest of the workflow; null without a choice. Absent if the workflow offers none */
  digestFrequency?: "instant" | "hourly" | "daily" | "weekly" | null;
  /** What the workflow lets subscribers choose from */
  digestFrequencies?: ("instant" | "hourly" | "daily" | "weekly")[];
  schedule?: Schedule;
  /** For the global entry: the schedule's time zone, which is the subscriber's or `TIDINGS_DEFAULT_TIMEZONE` */
  timezone?: string;
};

export type InboxPreferenceAnswer = {
  data: InboxPreference;
};

export type InboxPreferenceBulkItem = {
  workflowId: string;
  email?: boolean;
  sms?: boolean;
  in_app?: boolean;
  chat?: boolean;
  push?: boolean;
  /** How often the subscriber wants the digest of the workflow, if it offers this; null: as the workflow decides */
  digestFrequency?: "instant" | "hourly" | "daily" | "weekly" | null;
  /** Identifier or internal id of the subscriber's own topic subscription */
  subscriptionIdentifier?: string;
  enabled?: boolean;
  /** JSON Logic. At most 64 KB of JSON */
  condition?: Record<string, unknown>;
};

export type InboxPreferenceIn = {
  email?: boolean;
  sms?: boolean;
  in_app?: boolean;
  chat?: boolean;
  push?: boolean;
  /** How often the subscriber wants the digest of the workflow, if it offers this; null: as the workflow decides */
  digestFrequency?: "instant" | "hourly" | "daily" | "weekly" | null;
};

export type InboxPreferencesAnswer = {
  data: InboxPreference[];
};

export type InboxPreferencesBulkAnswer = {
  data: (InboxPreference | SubscriptionPreference)[];
};

export type InboxPreferencesBulkIn = {
  preferences: InboxPreferenceBulkItem[];
};

export type InboxPushKeys = {
  /** A point of P-256, base64url */
  p256dh: string;
  /** 16 bytes, base64url */
  auth: string;
};

export type InboxPushSubscriptionIn = {
  /** An HTTPS address of a push service */
  endpoint: string;
  /** Not used */
  expirationTime?: number | null;
  keys: InboxPushKeys;
};

export type InboxSession = {
  /** For `Authorization: Bearer <token>`; valid for 7 days */
  token: string;
  /** Counted up to 100 */
  totalUnreadCount: number;
  unreadCount: InboxUnreadCount;
  /** Always true: widgets of other vendors hide their footer */
  removeNovuBranding: boolean;
  /** Whether the environment is one for development */
  isDevelopmentMode: boolean;
  maxSnoozeDurationHours: number;
  applicationIdentifier: string;
  /** Sorted `<type>:<id>` keys of the session */
  contextKeys: string[];
  /** The brand of the session's contexts or environment as values of CSS variables, by name without `--tidings-`; absent without a brand */
  theme?: Record<string, string>;
};

export type InboxSessionAnswer = {
  data: InboxSession;
};

export type InboxSessionIn = {
  /** Identifier or id of the environment */
  applicationIdentifier: string;
  subscriber: SubscriberIn;
  /** Hex HMAC-SHA256 of `subscriber.subscriberId` under an API key of the environment */
  subscriberHash?: string;
  context?: ContextMap;
  /** Hex HMAC-SHA256 of the canonical JSON (members in order, without spaces) of `context` under an API key of the environment */
  contextHash?: string;
  defaultSchedule?: Schedule;
};

export type InboxSubscriptionAnswer = {
  data: SubscriptionDetails;
};

export type InboxSubscriptionIn = {
  identifier?: string;
  name?: string;
  topic?: {
    /** Name of the topic, if it is created */
    name?: string;
  };
  /** In order: the first rule that matches a workflow applies to it. At most 64 KB of JSON */
  preferences?: (string | SubscriptionRuleIn)[];
};

export type InboxSubscriptionPreferenceAnswer = {
  data: SubscriptionPreference;
};

export type InboxSubscriptionPreferenceIn = {
  enabled?: boolean;
  /** JSON Logic. At most 64 KB of JSON */
  condition?: Record<string, unknown>;
};

export type InboxSubscriptionsAnswer = {
  data: SubscriptionDetails[];
};

export type InboxToken = {
  token: string;
  /** When the token expires (ISO 8601, UTC) */
  expiresAt: string;
};

export type InboxTokenIn = {
  subscriberId: string;
  context?: ContextMap;
};

export type InboxUnreadBySeverity = {
  /** Counted up to 100 */
  high: number;
  /** Counted up to 100 */
  medium: number;
  /** Counted up to 100 */
  low: number;
  /** Counted up to 100 */
  none: number;
};

export type InboxUnreadCount = {
  /** Counted up to 100 */
  total: number;
  severity: InboxUnreadBySeverity;
};

export type InboxWebPush = {
  /** VAPID public key, for `applicationServerKey` of `pushManager.subscribe` */
  publicKey: string;
  /** The subscriber's browsers */
  browsers: string[];
};

export type InboxWebPushAnswer = {
  data: InboxWebPush;
};

export type Integration = {
  _id?: string;
  _environmentId: string;
  _organizationId: string;
  name: string;
  identifier: string;
  providerId: string;
  channel: Channel;
  credentials: Credentials;
  configurations?: IntegrationConfigurations;
  /** An active integration processes events and messages */
  active: boolean;
  deleted: boolean;
  deletedAt?: string;
  deletedBy?: string;
  primary: boolean;
  conditions?: StepFilter[];
  health?: IntegrationHealth;
};

export type IntegrationAutoConfigured = {
  success: boolean;
  message?: string;
  integration?: Integration;
};

export type IntegrationConfigurations = {
  inboundWebhookEnabled?: boolean;
  inboundWebhookSigningKey?: string;
  /** Amazon SES */
  configurationSetName?: string;
  /** Push providers */
  pushResources?: unknown;
  /** Calls per second across all worker processes; default: the provider's known limit */
  maxPerSecond?: number;
};

export type IntegrationError = {
  /** The provider's or the network's own message, without secrets */
  message: string;
  /** In a few words, such as `connection refused` or `credentials refused` */
  summary: string;
  /** transient: the provider was not reached or could not respond; unknown: no response arrived; auth, quota, config: refused because of the credentials, a limit or the settings */
  class: "transient" | "unknown" | "auth" | "quota" | "config";
  /** Why there was no response; missing when the provider responded */
  cause?: "refused" | "unresolved" | "timeout" | "closed" | "unreachable" | "certificate" | "tls" | "unknown";
  /** When (ISO 8601, UTC) */
  at: string;
};

export type IntegrationFile = {
  identifier: string;
  name: string;
  providerId: "emailjs" | "mailgun" | "mailjet" | "mandrill" | "nodemailer" | "postmark" | "sendgrid" | "sendinblue" | "ses" | "netcore" | "infobip-email" | "resend" | "plunk" | "mailersend" | "mailtrap" | "outlook365" | "svc-email" | "sparkpost" | "email-webhook" | "braze" | "clickatell" | "nexmo" | "plivo" | "sms77" | "sms-central" | "sns" | "telnyx" | "twilio" | "gupshup" | "firetext" | "infobip-sms" | "burst-sms" | "bulk-sms" | "isend-sms" | "forty-six-elks" | "kannel" | "maqsam" | "termii" | "africas-talking" | "svc-sms" | "sendchamp" | "generic-sms" | "clicksend" | "bandwidth" | "messagebird" | "simpletexting" | "azure-sms" | "ring-central" | "brevo-sms" | "eazy-sms" | "mobishastra" | "afro-message" | "unifonic" | "smsmode" | "imedia" | "sinch" | "isendpro-sms" | "fcm" | "apns" | "expo" | "one-signal" | "pushpad" | "push-webhook" | "pusher-beams" | "appio" | "slack" | "discord" | "msteams" | "mattermost" | "ryver" | "zulip" | "grafana-on-call" | "getstream" | "rocket-chat" | "whatsapp-business" | "chat-webhook" | "svc-slack" | "web-push" | "telegram" | "svc";
  channel: Channel;
  /** An integration that lacks secrets stays inactive until they are entered */
  active?: boolean;
  /** Email and SMS only. If omitted, the channel keeps its primary */
  primary?: boolean;
  conditions?: StepFilterIn[];
  configurations?: IntegrationFileConfigurations;
};

export type IntegrationFileConfigurations = {
  inboundWebhookEnabled?: boolean;
  /** Amazon SES */
  configurationSetName?: string;
  /** Push providers */
  pushResources?: unknown;
  /** Calls per second across all worker processes; default: the provider's known limit */
  maxPerSecond?: number;
};

export type IntegrationHealth = {
  /** closed: in use; open: it kept failing and is only probed; half_open: a probe is in flight */
  state: "closed" | "open" | "half_open";
  /** Consecutive calls that failed for reasons other than the message */
  failures: number;
  /** When the circuit opened (ISO 8601, UTC) */
  openedAt?: string;
  /** When the next message is tried (ISO 8601, UTC) */
  nextProbeAt?: string;
  /** Time of the first error since the last success. Absent while it works (ISO 8601, UTC) */
  failingSince?: string;
  lastError?: IntegrationError;
  /** When a message or a check last succeeded, to the minute. Without this and without `lastError`, the integration has not been called yet (ISO 8601, UTC) */
  lastSuccessAt?: string;
  /** Messages that wait until it responds, counted up to 100,000 for an environment */
  waiting?: number;
  /** When the oldest of them was created (ISO 8601, UTC) */
  oldestWaitingAt?: string;
};

export type IntegrationIn = {
  /** One of the known providers */
  providerId: "emailjs" | "mailgun" | "mailjet" | "mandrill" | "nodemailer" | "postmark" | "sendgrid" | "sendinblue" | "ses" | "netcore" | "infobip-email" | "resend" | "plunk" | "mailersend" | "mailtrap" | "outlook365" | "svc-email" | "sparkpost" | "email-webhook" | "braze" | "clickatell" | "nexmo" | "plivo" | "sms77" | "sms-central" | "sns" | "telnyx" | "twilio" | "gupshup" | "firetext" | "infobip-sms" | "burst-sms" | "bulk-sms" | "isend-sms" | "forty-six-elks" | "kannel" | "maqsam" | "termii" | "africas-talking" | "svc-sms" | "sendchamp" | "generic-sms" | "clicksend" | "bandwidth" | "messagebird" | "simpletexting" | "azure-sms" | "ring-central" | "brevo-sms" | "eazy-sms" | "mobishastra" | "afro-message" | "unifonic" | "smsmode" | "imedia" | "sinch" | "isendpro-sms" | "fcm" | "apns" | "expo" | "one-signal" | "pushpad" | "push-webhook" | "pusher-beams" | "appio" | "slack" | "discord" | "msteams" | "mattermost" | "ryver" | "zulip" | "grafana-on-call" | "getstream" | "rocket-chat" | "whatsapp-business" | "chat-webhook" | "svc-slack" | "web-push" | "telegram" | "svc";
  channel: Channel;
  name?: string;
  identifier?: string;
  _environmentId?: string;
  /** When active, the credentials are validated */
  active?: boolean;
  credentials?: Credentials;
  /** Ask the provider whether the credentials work. If they do, the circuit closes and waiting messages are sent */
  check?: boolean;
  conditions?: StepFilterIn[];
  configurations?: IntegrationConfigurations;
};

export type IntegrationIssue = {
  issueType: "MISSING_INTEGRATION" | "INBOX_NOT_CONNECTED";
  variableName?: string;
  message: string;
  /** `error` makes an active workflow `ERROR`; `warning` does not */
  severity: "error" | "warning";
};

export type IntegrationPatch = {
  name?: string;
  identifier?: string;
  _environmentId?: string;
  /** When active, the credentials are validated */
  active?: boolean;
  credentials?: Credentials;
  /** Ask the provider whether the credentials work. If they do, the circuit closes and waiting messages are sent */
  check?: boolean;
  conditions?: StepFilterIn[];
  configurations?: IntegrationConfigurations;
};

export type Invitation = {
  _id: string;
  email: string;
  role: Role;
  /** When it was created (ISO 8601, UTC) */
  createdAt: string;
  /** When its link expires (ISO 8601, UTC) */
  expiresAt: string;
};

export type InvitationAnswer = {
  data: InvitationWithLink;
};

export type InvitationIn = {
  email: string;
  role: Role;
};

export type InvitationList = {
  data: Invitation[];
};

/** Whether the link was mailed */
export type InvitationMail = {
  /** `sent`: the installation's mail server accepted it. `unknown`: it did not respond in time. `none`: the installation has no mail server (`TIDINGS_MAIL_URL`) */
  status: "sent" | "failed" | "unknown" | "none";
  /** Why it was not sent, or may not have been */
  reason?: string;
};

export type InvitationWithLink = {
  _id: string;
  email: string;
  role: Role;
  /** When it was created (ISO 8601, UTC) */
  createdAt: string;
  /** When its link expires (ISO 8601, UTC) */
  expiresAt: string;
  /** Works once; shown in this response only */
  link: string;
  mail: InvitationMail;
};

export type Job = {
  _id: string;
  type: JobType;
  digest?: JobDigest;
  executionDetails: ExecutionDetail[];
  step: JobStep;
  overrides?: Record<string, unknown>;
  payload?: Record<string, unknown>;
  /** The provider used or chosen; `svc` where none was needed or reached */
  providerId: string;
  status: "pending" | "queued" | "running" | "delayed" | "merged" | "completed" | "failed" | "skipped" | "canceled";
  updatedAt?: string;
  scheduleExtensionsCount?: number;
};

export type JobDigest = {
  type: "regular" | "backoff" | "timed";
  digestKey?: string;
  amount?: number;
  unit?: string;
  events?: Record<string, unknown>[];
  backoff?: boolean;
  backoffAmount?: number;
  backoffUnit?: string;
  updateMode?: boolean;
  timed?: Record<string, unknown>;
};

export type JobStep = {
  _id: string;
  active: boolean;
  filters: StepFilter[];
  _templateId: string;
  name?: string;
  controlVariables?: Record<string, unknown>;
  /** The previous step; null for the first */
  _parentId?: string | null;
};

export type JobType = "in_app" | "email" | "sms" | "chat" | "push" | "digest" | "delay" | "throttle" | "custom" | "branch" | "experiment" | "wait" | "http_request" | "start_workflow" | "update_subscriber" | "trigger";

export type Layout = {
  _id: string;
  layoutId: string;
  slug: string;
  name: string;
  /** The environment's default; emails without a layout use it */
  isDefault: boolean;
  isTranslationEnabled: boolean;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
  updatedBy?: User;
  /** When the layout was created (ISO 8601, UTC) */
  createdAt: string;
  origin: Origin;
  type: "REGULAR" | "ECHO" | "BRIDGE";
  /** JSON Schema of what the body may use */
  variables?: Record<string, unknown> | null;
  controls: {
    /** JSON Schema of the control values */
    dataSchema?: Record<string, unknown>;
    /** How an editor should show them */
    uiSchema?: Record<string, unknown>;
    values: LayoutControlValues;
  };
  issues?: StepIssues;
};

export type LayoutControlValues = {
  email?: LayoutEmailControls;
};

export type LayoutDuplicate = {
  name: string;
  isTranslationEnabled?: boolean;
};

export type LayoutEmailControls = {
  /** HTML with `{{content}}` where the email's own content is inserted */
  body: string;
  editorType: "html" | "block";
};

export type LayoutFile = {
  layoutId: string;
  name: string;
  /** Emails without a layout use it; if no layout is the default, the environment keeps its own */
  isDefault?: boolean;
  isTranslationEnabled?: boolean;
  editorType?: "html" | "block";
  /** HTML with `{{content}}` where the email's own content is inserted */
  body?: string;
  /** Texts by locale */
  translations?: Record<string, Record<string, unknown>>;
};

export type LayoutIn = {
  layoutId: string;
  name: string;
  isTranslationEnabled?: boolean;
};

export type LayoutList = {
  layouts: Layout[];
  totalCount: number;
};

export type LayoutPreview = {
  previewPayloadExample: LayoutPreviewPayload;
  /** JSON Schema of what the body may use */
  schema?: Record<string, unknown> | null;
  result: {
    type: "email";
    preview: {
      body: string;
    };
  };
};

export type LayoutPreviewIn = {
  controlValues?: LayoutControlValues;
  previewPayload?: LayoutPreviewPayload;
};

export type LayoutPreviewPayload = {
  subscriber?: PreviewSubscriber;
};

export type LayoutUpdate = {
  name: string;
  isTranslationEnabled?: boolean;
  controlValues?: LayoutControlValues | null;
  /** The `updatedAt` that the change is based on. If the layout has changed since, returns 409 and changes nothing */
  expectedUpdatedAt?: string;
};

export type LayoutUsage = {
  workflows: LayoutUser[];
};

export type LayoutUser = {
  name: string;
  workflowId: string;
};

export type LinkCheck = {
  /** `first`: a new owner. `invitation`: a new member. `reset`: a new password */
  kind: "first" | "invitation" | "reset";
  /** null: the member chooses it */
  email: string | null;
  name: string | null;
  role: Role;
};

export type LinkCheckAnswer = {
  data: LinkCheck;
};

export type LinkCheckIn = {
  token: string;
};

export type LinkIn = {
  token: string;
  name?: string;
  email?: string;
  /** At least 10 characters */
  password?: string;
};

export type LocaleCompleteness = {
  locale: string;
  /** Texts of this locale */
  keys: number;
  /** Keys of the default locale that this one lacks */
  missing: number;
  /** Keys that the default locale does not have */
  extra: number;
  /** Texts whose source in the default locale has changed since; absent if none */
  outdated?: number;
  /** Texts that cannot be rendered; absent if none */
  faulty?: number;
};

export type MailCheck = {
  code: "missing_alt" | "missing_unsubscribe" | "empty_link" | "relative_link" | "insecure_link" | "relative_image" | "too_large" | "large_image" | "low_contrast" | "empty_variable" | "unknown_variable" | "missing_translation" | "capitals" | "no_text" | "no_subject";
  /** error: part of the mail does not work */
  severity: "warning" | "error";
  /** What is wrong and how to fix it */
  message: string;
};

export type MasterImport = {
  /** The texts of at least one resource were stored; see `failed` */
  success: boolean;
  message: string;
  /** Identifiers whose texts were stored */
  successful?: string[];
  /** Identifiers that do not exist or have no usable texts */
  failed?: string[];
};

export type MasterImportIn = {
  /** Such as `en_US` or `en-US`; kept as `en_US` */
  locale: string;
  masterJson: MasterJsonIn;
};

export type MasterJson = {
  /** Texts by workflowId */
  workflows: Record<string, unknown>;
  /** Texts by layoutId */
  layouts: Record<string, unknown>;
};

export type MasterJsonIn = {
  /** Texts by workflowId */
  workflows?: Record<string, unknown>;
  /** Texts by layoutId */
  layouts?: Record<string, unknown>;
};

export type MatchedSubscriber = {
  subscriberId: string;
  name: string;
};

export type Message = {
  _id?: string;
  _templateId?: string | null;
  _environmentId: string;
  _messageTemplateId?: string | null;
  _organizationId: string;
  _notificationId: string;
  _subscriberId: string;
  _feedId?: string | null;
  subscriber?: Subscriber;
  templateIdentifier?: string;
  /** When the message was created (ISO 8601, UTC) */
  createdAt: string;
  deliveredAt?: string[];
  /** Kept when the message is marked unseen */
  lastSeenDate?: string;
  /** Kept when the message is marked unread */
  lastReadDate?: string;
  content?: string | EmailBlock[];
  transactionId: string;
  subject?: string;
  channel: Channel;
  read: boolean;
  seen: boolean;
  snoozedUntil?: string;
  /** When an in-app message is deleted; absent when it does not expire */
  expiresAt?: string;
  /** The address actually used */
  email?: string;
  phone?: string;
  directWebhookUrl?: string;
  providerId?: string;
  deviceTokens?: string[];
  title?: string;
  cta: MessageCta;
  status: MessageStatus;
  errorId?: string;
  /** What went wrong; absent while the message is in flight and nothing has failed */
  errorText?: string;
  payload?: Record<string, unknown>;
  overrides?: Record<string, unknown>;
  contextKeys?: string[];
};

export type MessageActionIn = {
  status: "pending" | "done";
  /** Stored with the message as the result of the action */
  payload?: Record<string, unknown>;
};

export type MessageClass = "critical" | "transactional" | "promotional";

export type MessageCta = {
  type?: "redirect";
  data?: {
    url?: string;
  };
  action?: {
    status?: "pending" | "done";
    buttons?: ({
      type: "primary" | "secondary";
      content: string;
      resultContent?: string;
      /** Where the button leads; absent if it has no link */
      url?: string;
      /** `_self`, `_blank` and the like, for `url` */
      target?: string;
    })[];
    result?: {
      payload?: Record<string, unknown>;
      type?: "primary" | "secondary";
    };
  };
};

export type MessageDeleted = {
  acknowledged: boolean;
  status: "deleted";
};

/** `read` implies seen, `unseen` implies unread */
export type MessageMark = "read" | "seen" | "unread" | "unseen";

export type MessageMarkAllIn = {
  markAs: MessageMark;
  /** Only messages of these feeds; messages have no feed, so this matches none */
  feedIdentifier?: string | string[];
};

export type MessageMarkIn = {
  messageId: string | string[];
  markAs: MessageMark;
};

export type MessagePage = {
  /** Total available, counted up to 50,000 */
  totalCount?: number;
  /** More items follow this page */
  hasMore: boolean;
  data: Message[];
  /** Number of items in this page */
  pageSize: number;
  page: number;
};

export type MessageStatus = "sent" | "error" | "warning";

export type NewApiKey = {
  /** What the key is for, as the audit log names it */
  name?: string;
  /** Who is responsible for the key: a person or a team. Unless given: the member */
  owner?: string;
  /** `full`: every operation. `send`: trigger, cancel and signals. `read`: what a viewer reads. `operations`: those in the list `operations` */
  scope?: "full" | "send" | "read" | "operations";
  /** Ids such as `workflows.list`, for the scope `operations` */
  operations?: string[];
  /** A time to come (ISO 8601). Unless given: never */
  expiresAt?: string;
  /** Addresses and networks such as `192.0.2.7`, `10.0.0.0/8` or `2001:db8::/32` */
  allowedNetworks?: string[];
};

export type NewResetLink = {
  /** Works once; shown in this response only */
  link: string;
  /** When it expires (ISO 8601, UTC) */
  expiresAt: string;
};

export type Notification = {
  _id?: string;
  _environmentId: string;
  _organizationId: string;
  _subscriberId: string;
  transactionId: string;
  _templateId?: string;
  _digestedNotificationId?: string;
  /** When the event reached this recipient (ISO 8601, UTC) */
  createdAt?: string;
  updatedAt?: string;
  channels?: JobType[];
  subscriber?: NotificationSubscriber;
  template?: NotificationTemplate;
  jobs?: Job[];
  payload?: Record<string, unknown>;
  searchKey?: SearchKeyValue;
  tags?: string[];
  controls?: Record<string, unknown>;
  to?: Record<string, unknown>;
  /** The topics that led here; empty when the subscriber was named directly */
  topics?: {
    _topicId: string;
    topicKey: string;
  }[];
  severity?: Severity;
  critical?: boolean;
  contextKeys?: string[];
};

export type NotificationAction = {
  label: string;
  isCompleted: boolean;
  redirect?: NotificationRedirect;
};

export type NotificationCount = {
  /** Counted up to 100 */
  count: number;
  /** The given filter */
  filter: Record<string, unknown>;
};

export type NotificationPage = {
  /** More items follow this page */
  hasMore: boolean;
  data: Notification[];
  /** Number of items in this page */
  pageSize: number;
  page: number;
};

export type NotificationRecipient = {
  /** Internal id */
  id: string;
  subscriberId: string;
  firstName?: string;
  lastName?: string;
  avatar?: string;
};

export type NotificationRedirect = {
  url: string;
  target?: string;
};

export type NotificationSelection = {
  /** Tags of the workflow: a list or `{or: [...]}` for any of them; `{and: [{or: [...]}, ...]}` or a list of lists for one of each group */
  tags?: string[] | {
    or: string[];
  } | {
    and: {
      or: string[];
    }[];
  } | string[][];
  /** Members that `data` of the notification must have, with equal values: an object or its JSON */
  data?: string | Record<string, unknown>;
  /** Exact set of `<type>:<id>` keys; an empty list: no context */
  contextKeys?: string[];
};

export type NotificationSubscriber = {
  _id: string;
  subscriberId: string;
  firstName?: string;
  lastName?: string;
  email?: string;
  phone?: string;
};

export type NotificationTemplate = {
  _id?: string;
  name: string;
  origin?: string;
  triggers: NotificationTrigger[];
};

export type NotificationTrigger = {
  type: "event";
  identifier: string;
  variables: {
    name: string;
  }[];
  subscriberVariables?: {
    name: string;
  }[];
};

export type NotificationsMarkIn = {
  /** `archived` includes read */
  mark: "read" | "archived";
  /** Only those that are read */
  only?: "read";
  /** Tags of the workflow: a list or `{or: [...]}` for any of them; `{and: [{or: [...]}, ...]}` or a list of lists for one of each group */
  tags?: string[] | {
    or: string[];
  } | {
    and: {
      or: string[];
    }[];
  } | string[][];
  /** Members that `data` of the notification must have, with equal values: an object or its JSON */
  data?: string | Record<string, unknown>;
  /** Exact set of `<type>:<id>` keys; an empty list: no context */
  contextKeys?: string[];
};

export type NotificationsMarked = {
  /** The time of the mark, by which it can be undone (ISO 8601, UTC) */
  markedAt: string;
  /** Notifications that changed */
  count: number;
};

export type NotificationsSeenIn = {
  /** Unknown ids are ignored; default: all that match */
  notificationIds?: string[];
  /** Tags of the workflow: a list or `{or: [...]}` for any of them; `{and: [{or: [...]}, ...]}` or a list of lists for one of each group */
  tags?: string[] | {
    or: string[];
  } | {
    and: {
      or: string[];
    }[];
  } | string[][];
  /** Members that `data` of the notification must have, with equal values: an object or its JSON */
  data?: string | Record<string, unknown>;
  /** Exact set of `<type>:<id>` keys; an empty list: no context */
  contextKeys?: string[];
};

export type NotificationsUndoIn = {
  /** `markedAt` of the response to the mark (ISO 8601, UTC) */
  markedAt: string;
};

export type ObjectiveDay = {
  /** Begin of the day (ISO 8601, UTC) */
  start: string;
  /** Messages that met the objective */
  good: number;
  /** Messages that missed it */
  bad: number;
};

export type ObjectiveLeftOut = {
  channel: Channel;
  providerId: string | null;
  messages: number;
  /** `no_provider`: in-app messages are not handed to one. `captured`: a mailbox kept them. `no_delivery_reports`: the provider reported no delivery in the period */
  reason: "no_provider" | "captured" | "no_delivery_reports";
};

export type ObjectiveState = {
  kind: "handedOver" | "delivered";
  /** The objective */
  percent: number;
  /** With `handedOver` */
  withinSeconds?: number;
  /** Messages that met the objective */
  good: number;
  /** Messages that missed it */
  bad: number;
  /** Share of good messages; null when there were none at all */
  measuredPercent: number | null;
  /** Share of the error budget of the period that is left: 1 when nothing went wrong, 0 when it is used up, negative when the objective is missed; null without messages */
  budgetLeft: number | null;
  /** When the budget is used up at the pace of the last 24 hours; null if it is used up already, or never at this pace */
  usedUpInDays: number | null;
  windows: ObjectiveWindow[];
  /** By day (UTC), oldest first, including empty ones */
  series: ObjectiveDay[];
  /** Messages that are not measured */
  leftOut: ObjectiveLeftOut[];
};

export type ObjectiveWindow = {
  /** 1, 6 or 24: the last hours until now */
  hours: number;
  /** Messages that met the objective */
  good: number;
  /** Messages that missed it */
  bad: number;
  /** Share of good messages; null when there were none at all */
  measuredPercent: number | null;
  /** How many times faster than allowed the budget is used: 1 uses it up exactly at the end of the period; null without messages */
  burnRate: number | null;
};

export type OnlineStatusIn = {
  isOnline: boolean;
};

export type OpenBreaker = {
  integrationId: string;
  identifier: string;
  name: string;
  providerId: string;
  state: "open" | "half_open";
  failures: number;
  /** When it opened (ISO 8601, UTC) */
  openedAt?: string;
  /** When the next message is tried (ISO 8601, UTC) */
  nextProbeAt?: string;
  /** Time of the first error since the last success (ISO 8601, UTC) */
  failingSince?: string;
  lastError?: IntegrationError;
};

export type OpenDigest = {
  id: string;
  workflow: DigestWorkflow;
  step: DigestStep;
  /** null: the subscriber was deleted */
  subscriberId: string | null;
  key?: DigestKey;
  /** Notifications in it, counted up to 1,000 */
  count: number;
  /** The first three */
  members: DigestMember[];
  /** When the first event opened it (ISO 8601, UTC) */
  openedAt: string;
  /** When it releases its events (ISO 8601, UTC) */
  closesAt: string;
  /** 0: it is closing */
  secondsLeft: number;
};

export type OpenDigestList = {
  data: OpenDigest[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type OpenDigestMembers = {
  data: DigestMember[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
  digest: OpenDigest;
};

export type Origin = "svc-cloud" | "svc-cloud-v1" | "external";

export type OwnLimit = {
  limit: number;
  unit: "hour" | "day" | "week";
};

/** The given channels are merged into the stored ones; null removes a limit */
export type OwnLimits = {
  email?: OwnLimit | null;
  sms?: OwnLimit | null;
  in_app?: OwnLimit | null;
  chat?: OwnLimit | null;
  push?: OwnLimit | null;
};

export type OwnPersonIn = {
  name?: string;
  /** At least 10 characters */
  password?: string;
  currentPassword?: string;
};

export type PageTexts = {
  /** Title of the preference page. Plain text */
  title?: string;
  /** Below the title of the preference page; line breaks are kept. Plain text */
  introduction?: string;
  /** At the end of every hosted page; line breaks are kept. Plain text */
  footer?: string;
};

export type Person = {
  _id: string;
  name: string;
  email: string;
  role: Role;
  hasPassword: boolean;
  /** When the member joined (ISO 8601, UTC) */
  createdAt: string;
  /** Last sign-in (ISO 8601, UTC) */
  lastSignInAt: string | null;
};

export type PersonAnswer = {
  data: Person;
};

export type PersonList = {
  data: Person[];
};

export type PersonUpdate = {
  role: Role;
};

export type PreferenceCategory = {
  _id: string;
  /** Identifier, the same in all environments */
  categoryId: string;
  name: string;
  /** Shown to subscribers below the name */
  description: string;
  /** true: subscribers cannot switch it off */
  required: boolean;
  channels: PreferenceChannels;
  workflows: CategoryWorkflow[];
  /** When it was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
};

export type PreferenceChannels = {
  email?: boolean;
  sms?: boolean;
  in_app?: boolean;
  chat?: boolean;
  push?: boolean;
};

export type PreferenceChannelsIn = {
  email?: boolean;
  sms?: boolean;
  in_app?: boolean;
  chat?: boolean;
  push?: boolean;
};

export type PreferenceEntry = {
  level: "global" | "template";
  workflow?: WorkflowRef;
  /** The workflow as a whole */
  enabled: boolean;
  channels: PreferenceChannels;
  /** JSON Logic */
  condition?: Record<string, unknown> | null;
  /** The category of the workflow */
  categoryId?: string;
  /** How often the subscriber wants the digest of the workflow; null without a choice. Absent if the workflow offers none */
  digestFrequency?: "instant" | "hourly" | "daily" | "weekly" | null;
  /** What the workflow lets subscribers choose from */
  digestFrequencies?: ("instant" | "hourly" | "daily" | "weekly")[];
};

export type PreferenceIn = {
  /** Internal id, identifier or slug */
  workflowId: string;
  channels: PreferenceChannelsIn;
  /** How often the subscriber wants the digest of the workflow, if it offers this; null: as the workflow decides */
  digestFrequency?: "instant" | "hourly" | "daily" | "weekly" | null;
};

export type PreferenceOverride = {
  channel: Channel;
  /** What decided: the subscriber, the workflow, or a choice for these contexts */
  source: "subscriber" | "template" | "workflowOverride";
};

export type PreferenceWorkflow = {
  slug: string;
  identifier: string;
  name: string;
  /** Last change of the workflow (ISO 8601, UTC) */
  updatedAt?: string;
};

export type PreferencesBulkIn = {
  preferences: PreferenceIn[];
  context?: ContextMap;
};

export type PreferencesOfManyIn = {
  subscriberIds: string[];
  /** Internal id, identifier or slug */
  workflowId?: string;
  channels: PreferenceChannelsIn;
};

export type PreferencesOfManyResult = {
  /** Subscribers */
  updated: number;
  /** Unknown subscriber ids */
  notFound: string[];
};

export type PreferencesPatch = {
  channels?: PreferenceChannelsIn;
  /** Internal id, identifier or slug */
  workflowId?: string;
  /** Identifier of a category; not together with `workflowId` */
  categoryId?: string;
  schedule?: Schedule;
  /** How often the subscriber wants the digest of the workflow, if it offers this; null: as the workflow decides */
  digestFrequency?: "instant" | "hourly" | "daily" | "weekly" | null;
  context?: ContextMap;
};

export type PreviewFault = {
  /** The control value with the error, such as `body` or `primaryAction.label` */
  field: string;
  message: string;
  /** From 1; absent if the error has no position, as in block documents */
  line?: number;
  /** From 1 */
  column?: number;
};

export type PreviewResult = {
  subject?: string;
  /** For an email: the text that mailboxes show after the subject */
  preheader?: string;
  /** For an email */
  senderName?: string;
  /** For an email */
  replyTo?: string;
  /** For an email */
  cc?: string[];
  /** For an email */
  bcc?: string[];
  /** For an email: with its layout, sanitized, styles inlined */
  html?: string;
  /** For an email: the plain-text part */
  text?: string;
  /** For every other channel; HTML for in_app, text otherwise */
  body?: string;
  avatar?: string;
  redirect?: Record<string, unknown>;
  primaryAction?: Record<string, unknown>;
  secondaryAction?: Record<string, unknown>;
  data?: Record<string, unknown>;
};

export type PreviewSubscriber = {
  subscriberId?: string;
  firstName?: string | null;
  lastName?: string | null;
  email?: string | null;
  phone?: string | null;
  avatar?: string | null;
  locale?: string | null;
  timezone?: string | null;
  isOnline?: boolean | null;
  lastOnlineAt?: string | null;
  data?: Record<string, unknown> | null;
};

/** The workflow around the step, saved or not; the response then contains `variables` */
export type PreviewedDraft = {
  /** The steps before this one */
  steps: PreviewedEarlierStep[];
  payloadSchema?: Record<string, unknown> | null;
  isTranslationEnabled?: boolean;
};

export type PreviewedEarlierStep = {
  stepId: string;
  type: StepType;
  controlValues?: Record<string, unknown>;
};

export type PreviewedStep = {
  type: StepType;
  stepId?: string;
  /** As in a workflow */
  controlValues?: Record<string, unknown>;
};

export type Priority = "high" | "normal" | "low";

export type Provider = {
  /** `providerId` of integrations */
  id: "emailjs" | "mailgun" | "mailjet" | "mandrill" | "nodemailer" | "postmark" | "sendgrid" | "sendinblue" | "ses" | "netcore" | "infobip-email" | "resend" | "plunk" | "mailersend" | "mailtrap" | "outlook365" | "svc-email" | "sparkpost" | "email-webhook" | "braze" | "clickatell" | "nexmo" | "plivo" | "sms77" | "sms-central" | "sns" | "telnyx" | "twilio" | "gupshup" | "firetext" | "infobip-sms" | "burst-sms" | "bulk-sms" | "isend-sms" | "forty-six-elks" | "kannel" | "maqsam" | "termii" | "africas-talking" | "svc-sms" | "sendchamp" | "generic-sms" | "clicksend" | "bandwidth" | "messagebird" | "simpletexting" | "azure-sms" | "ring-central" | "brevo-sms" | "eazy-sms" | "mobishastra" | "afro-message" | "unifonic" | "smsmode" | "imedia" | "sinch" | "isendpro-sms" | "fcm" | "apns" | "expo" | "one-signal" | "pushpad" | "push-webhook" | "pusher-beams" | "appio" | "slack" | "discord" | "msteams" | "mattermost" | "ryver" | "zulip" | "grafana-on-call" | "getstream" | "rocket-chat" | "whatsapp-business" | "chat-webhook" | "svc-slack" | "web-push" | "telegram" | "svc";
  channel: Channel;
  name: string;
  /** The provider's own documentation */
  docs?: string;
  /** Where to get the credentials */
  help?: string;
  credentials: ProviderCredential[];
  limits: ProviderLimits;
  /** Whether the provider's own delivery reports are understood; if not, reports in the generic form are */
  receipts: boolean;
  /** An integration's `check` asks the provider whether the credentials work */
  canCheck: boolean;
  /** `integrations.autoConfigure` registers the webhook for its delivery reports */
  autoConfigure: boolean;
  unsend: ProviderUnsending;
  /** Sends nothing: messages are kept in the development mailbox */
  isCapture: boolean;
};

export type ProviderCredential = {
  /** Name of the member in an integration's `credentials` */
  key: string;
  label: string;
  type: CredentialType;
  /** An active integration needs it; `from` and `senderName` may also come with the step or the event */
  required: boolean;
  /** Write-only: a stored value is returned as `********` */
  secret: boolean;
  /** The values of a `select` */
  options?: string[];
  /** The value used when it is left blank */
  default?: string;
};

export type ProviderLimits = {
  /** Characters in an SMS, a chat message or a push body */
  text?: number;
  /** Recipients per mail: to, cc and bcc together */
  recipients?: number;
  /** All attachments of a mail together */
  attachmentBytes?: number;
  /** Calls per second; see `configurations.maxPerSecond` */
  perSecond?: number;
};

export type ProviderStatistics = {
  /** null: no provider was called */
  providerId: string | null;
  channel: "in_app" | "email" | "sms" | "chat" | "push";
  /** Messages that a provider accepted or that are in the feed, without captured ones */
  sent: number;
  /** Messages kept in a capture provider's mailbox; nobody receives them */
  captured: number;
  /** Sent messages that are in the feed or that the provider reported as delivered */
  delivered: number;
  /** Sent messages that were read in the inbox, or reported as opened or clicked */
  opened: number;
  failed: number;
  /** Failed messages that a provider refused, bounced or did not respond to. The others failed before a provider was called, for example because an address was missing */
  refused: number;
  /** Calls to a provider that failed, by the provider that was called. Their messages may wait for another attempt or have been sent since */
  failedAttempts: number;
  /** Steps that sent nothing, by reason, such as `skipped_by_condition` or `filtered_by_subscriber_global`. With those that the attention budget rolled up (`attention_rolled_up`) or dropped (`attention_dropped`) */
  skipped: Record<string, number>;
  held?: StatisticsHeld;
  latency?: StatisticsLatency;
};

export type ProviderUnsending = {
  /** Deletes a message where people read it */
  delete: boolean;
  /** Changes a message where people read it */
  replace: boolean;
  /** Asks the device to remove the notification, without a confirmation */
  removal: boolean;
};

export type ProviderWaiting = {
  channel: "in_app" | "email" | "sms" | "chat" | "push";
  providerId: string;
  /** Counted up to 100,000 */
  count: number;
  /** When the oldest of them was created (ISO 8601, UTC) */
  oldestAt?: string;
};

export type Publish = {
  id: string;
  /** `restore`: it undid an earlier publish */
  kind: "publish" | "restore";
  /** When (ISO 8601, UTC) */
  createdAt: string;
  createdBy: PublishAuthor;
  source: PublishSource;
  created: number;
  updated: number;
  deleted: number;
  /** The first resources, at most five */
  names: string[];
  /** When it was undone; null if it was not */
  restoredAt: string | null;
  /** Id of the publish that this one undid */
  restores: string | null;
  resources: PublishChange[];
};

export type PublishAuthor = {
  id: string;
  /** At that time */
  name: string;
};

export type PublishChange = {
  resourceType: PublishedType;
  /** The identifier */
  resourceId: string;
  resourceName: string;
  action: "created" | "updated" | "deleted";
  /** Number of the workflow's previous version; null for other types and if there was none */
  versionBefore: number | null;
  /** Number of the created version; null for other types and if it was deleted */
  versionAfter: number | null;
  /** What changed, in words */
  sentences: string[];
};

export type PublishCheck = {
  code: "FAULTY_CONTENT" | "NO_STEPS" | "MISSING_INTEGRATION" | "INBOX_NOT_CONNECTED" | "LAYOUT_DIFFERS" | "MISSING_WORKFLOW" | "MISSING_TRANSLATION";
  /** The resource itself is invalid: a template error, a layout without its content, no steps */
  isFault: boolean;
  /** Human-readable, such as `Production has no active integration for email` */
  message: string;
  /** The step it is about */
  stepId?: string;
  /** Resolved if this layout is published too */
  layoutId?: string;
};

export type PublishHead = {
  id: string;
  /** `restore`: it undid an earlier publish */
  kind: "publish" | "restore";
  /** When (ISO 8601, UTC) */
  createdAt: string;
  createdBy: PublishAuthor;
  source: PublishSource;
  created: number;
  updated: number;
  deleted: number;
  /** The first resources, at most five */
  names: string[];
  /** When it was undone; null if it was not */
  restoredAt: string | null;
  /** Id of the publish that this one undid */
  restores: string | null;
};

export type PublishList = {
  data: PublishHead[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type PublishRestore = {
  /** Id of the restore in environments.listPublishes; null when there was nothing to change */
  publishId: string | null;
  resources: RestoreOutcome[];
};

export type PublishRestoreIn = {
  /** Also undo what was changed after the publish */
  overwriteChanges?: boolean;
};

export type PublishResult = {
  resourceType: PublishedType;
  successful: PublishedResource[];
  failed: UnpublishableResource[];
  skipped: SkippedResource[];
  totalProcessed: number;
};

export type PublishSource = {
  /** Environment; null for a restore */
  id: string | null;
  /** At that time */
  name: string;
};

export type PublishedResource = {
  resourceType: PublishedType;
  resourceId: string;
  resourceName: string;
  action: "created" | "updated" | "skipped" | "deleted";
  /** Issues of severity `error` in the target, such as a layout that does not exist there. Absent if there are none */
  issues?: ResourceIssue[];
};

export type PublishedType = "workflow" | "layout" | "category" | "audience" | "brand" | "attention";

export type QueueState = {
  /** The stage of the pipeline */
  kind: string;
  /** Tasks that are ready to run, counted up to 10,000 */
  due: number;
  /** Tasks that are running, counted up to 10,000 */
  active: number;
  /** How long the oldest due task has been waiting; 0 when there is none */
  lagSeconds: number;
};

export type Reach = {
  kind: "direct" | "topic" | "everyone" | "audience" | "excluded" | "actor" | "topic_rule" | "other_context" | "not_member" | "not_addressed" | "unknown_subscriber" | "pending" | "canceled" | "workflow_off" | "changed_since";
  /** The same in a sentence */
  text: string;
  /** The subscriptions that decided */
  topics?: ReachTopic[];
  decidedBy?: DecidedBy;
};

export type ReachTopic = {
  topicKey: string;
  /** Identifier of the subscription */
  subscription: string;
  /** The subscription's rule that blocked the event */
  rule?: Record<string, unknown>;
};

export type ReceiptStatus = "sent" | "delivered" | "opened" | "clicked" | "bounced" | "dropped" | "blocked" | "rejected" | "delayed" | "deferred" | "complaint" | "spam" | "unsubscribed" | "created" | "accepted" | "queued" | "sending" | "undelivered" | "failed" | "dismissed";

/** Absent when none came */
export type ReceivedResponse = {
  status: number;
  /** Those with credentials are masked */
  headers: Record<string, string>;
  /** JSON, or a text; null when there is none */
  body: unknown;
  durationMs: number;
};

export type RecipientAudience = {
  type: "Audience";
  /** Everyone who is in this audience when the event starts */
  audienceId: string;
  /** Ids of subscribers that the event's audiences do not add */
  exclude?: string[];
};

export type RecipientChannel = {
  /** Required; a chat or push provider */
  providerId?: string;
  integrationIdentifier?: string;
  /** Required */
  credentials?: {
    webhookUrl?: string;
    /** At most 100, each of at most 4,096 characters */
    deviceTokens?: string[];
  };
};

export type RecipientSubscriber = {
  /** Required */
  subscriberId?: string;
  firstName?: string;
  lastName?: string;
  email?: string;
  phone?: string;
  avatar?: string;
  locale?: string;
  timezone?: string;
  data?: Record<string, unknown>;
  channels?: RecipientChannel[];
};

export type RecipientTopic = {
  type: "Topic";
  /** A topic that does not exist adds no recipients */
  topicKey: string;
  /** Ids of subscribers that the event's topics do not add */
  exclude?: string[];
};

/** What was sent; absent when the templates gave no request */
export type RenderedRequest = {
  method: string;
  url: string;
  /** Those with credentials are masked */
  headers: Record<string, string>;
  body?: string;
};

export type ReplayPreviewReason = "message_gone" | "canceled" | "suppressed" | "integration_inactive" | "circuit_open" | "other_channel";

export type ResentStep = {
  transactionId: string;
  notificationId: string;
  subscriberId: string;
  workflowId: string;
  stepId: string;
  channel: Channel;
  /** `sent`: an in-app message is in the inbox. `queued`: the message is waiting to be sent to the provider */
  status: "sent" | "queued";
  /** The new messages; push and chat have one per address */
  messageIds: string[];
};

export type ResetLink = {
  _id: string;
  /** Whose password it sets */
  personId: string;
  name: string;
  email: string;
  /** Name of the owner who created it */
  madeBy: string;
  /** When it was created (ISO 8601, UTC) */
  createdAt: string;
  /** When it expires (ISO 8601, UTC) */
  expiresAt: string;
};

export type ResetLinkAnswer = {
  data: NewResetLink;
};

export type ResetLinkList = {
  data: ResetLink[];
};

export type ResourceChange = {
  resourceType: ResourceType;
  action: "added" | "modified" | "deleted" | "unchanged" | "moved";
  sourceResource?: ResourceInfo | null;
  targetResource?: ResourceInfo | null;
  diffs?: {
    /** In the target; only members that differ */
    previous?: Record<string, unknown> | null;
    /** In the source; only members that differ */
    new?: Record<string, unknown> | null;
  };
  stepType?: string;
  previousIndex?: number;
  newIndex?: number;
};

export type ResourceDependency = {
  resourceType: ResourceType;
  resourceId: string;
  resourceName: string;
  /** It must be published before, or together with it */
  isBlocking: boolean;
  reason: "LAYOUT_REQUIRED_FOR_WORKFLOW" | "LAYOUT_EXISTS_IN_TARGET" | "AUDIENCE_REQUIRED" | "AUDIENCE_EXISTS_IN_TARGET";
};

export type ResourceDiff = {
  resourceType: ResourceType;
  sourceResource?: ResourceInfo | null;
  targetResource?: ResourceInfo | null;
  changes: ResourceChange[];
  summary: {
    added: number;
    modified: number;
    deleted: number;
    unchanged: number;
  };
  dependencies?: ResourceDependency[];
  /** What subscribers will notice, in words, such as `A step is added: SMS after 1 hour` */
  sentences?: string[];
  /** What to check before it is published, errors first, at most 20; absent if there are none */
  checks?: PublishCheck[];
};

export type ResourceInfo = {
  /** The identifier */
  id: string | null;
  name: string | null;
  updatedBy?: UserInfo;
  updatedAt?: string | null;
};

export type ResourceIssue = {
  /** Path in the resource, such as `steps.0.controlValues.layoutId` */
  field: string;
  issueType: "ILLEGAL_VARIABLE_IN_CONTROL_VALUE" | "INVALID_FILTER_ARG_IN_VARIABLE" | "MISSING_VALUE" | "TIER_LIMIT_EXCEEDED" | "MISSING_INTEGRATION";
  message: string;
};

export type ResourceToPublish = {
  resourceType: PublishedType;
  /** Identifier; `brand` for the brand, `attention` for the attention budget */
  resourceId: string;
};

export type ResourceType = "workflow" | "layout" | "category" | "audience" | "brand" | "attention" | "step";

export type RestoreOutcome = {
  resourceType: PublishedType;
  /** The identifier */
  resourceId: string;
  resourceName: string;
  /** `restored`: to its state before the publish. `recreated`: it was deleted by the publish. `deleted`, `turned_off`: it was created by the publish; it is turned off while its runs are in progress, and deleted otherwise. `kept`: see `reason` */
  action: "restored" | "recreated" | "deleted" | "turned_off" | "kept";
  /** Why it is kept or turned off */
  reason: string | null;
  /** It was changed after the publish: the restore would undo that as well */
  changedSince: ChangedSince | null;
};

export type RestorePlan = {
  resources: RestoreOutcome[];
  /** A resource was changed after the publish */
  hasConflicts: boolean;
};

export type Retention = {
  environmentId: string;
  /** Always all classes, in the same order */
  classes: RetentionClass[];
  /** The stored months of the installation, oldest first */
  months: RetentionMonth[];
  /** When the next run begins (ISO 8601, UTC) */
  nextRunAt: string;
  /** The last 30 runs of the installation, newest first */
  runs: RetentionRun[];
};

export type RetentionClass = {
  name: RetentionClassName;
  /** How long rows are kept, in days */
  days: number;
  /** Where `days` comes from: the environment, or the default of the installation */
  source: "environment" | "installation";
  /** false: the class belongs to the installation and follows its setting */
  isEditable: boolean;
  /** The setting with the default of the installation */
  setting: string;
  /** The default of the installation */
  defaultDays: number;
  /** The shortest retention that the environment can have at present */
  minDays: number;
  /** Why it cannot be shorter */
  minReason: string;
  /** The longest retention that the environment can have at present */
  maxDays: number;
  /** Why it cannot be longer */
  maxReason: string;
  /** Rows of the environment; for `audit`, of the installation */
  rows: number;
  /** Disk that they use with their indexes, estimated from their share of the tables */
  bytes: number;
  /** More than 10,000 rows of a table: estimated from the statistics of the database */
  isEstimate: boolean;
  /** Time of the oldest row; null if there is none (ISO 8601, UTC) */
  oldestAt: string | null;
  next: RetentionNext;
};

/** `messages`: events with attachments, notifications, jobs, attempts, and messages of all channels but in-app. `inApp`: in-app messages. `captured`: captured messages. `deadLetters`: dead letters, their replays and failed tasks. `statistics`: hourly figures. `audit`: the audit log and the publish history */
export type RetentionClassName = "messages" | "inApp" | "captured" | "deadLetters" | "statistics" | "audit";

export type RetentionDeleted = {
  name: RetentionClassName;
  /** Deleted rows, in all environments */
  rows: number;
};

export type RetentionIn = {
  /** At least the longest wait (`TIDINGS_MAX_WAIT_DAYS`), 3 days and `deadLetters` */
  messages?: number | null;
  /** At least `messages` and the longest snooze (`TIDINGS_MAX_SNOOZE_DAYS`) */
  inApp?: number | null;
  /** How long captured messages are kept; the newest 10,000 at most */
  captured?: number | null;
  /** At most `messages`: a replay needs the message */
  deadLetters?: number | null;
  /** At least 3 days, because hours are counted for the last time after two days */
  statistics?: number | null;
  /** Refused: set `TIDINGS_AUDIT_DAYS`, which applies to the whole installation */
  audit?: number | null;
};

export type RetentionMonth = {
  /** The month (UTC), such as `2026-08` */
  month: string;
  /** Disk that its tables use, for the whole installation */
  bytes: number;
  /** When the retention of all environments has passed, and its last table can be dropped (ISO 8601, UTC) */
  dropsAt: string;
  /** Its time has come, but a run or a snoozed message from this month still waits, so that it stays */
  isWaitedFor: boolean;
};

export type RetentionNext = {
  /** When the next run begins (ISO 8601, UTC) */
  at: string;
  /** It deletes rows from before this time, apart from those that something still waits for (ISO 8601, UTC) */
  before: string;
  /** Rows from before that time */
  rows: number;
  /** More than 10,000 rows of a table: estimated from the statistics of the database */
  isEstimate: boolean;
};

export type RetentionPreview = {
  /** When the next run begins (ISO 8601, UTC) */
  at: string;
  /** Always all classes, in the same order */
  classes: RetentionPreviewClass[];
  /** Months, such as `2026-08`, of which tables would be dropped as a whole */
  months: string[];
};

export type RetentionPreviewClass = {
  name: RetentionClassName;
  /** As given, or the days that apply now */
  days: number;
  /** Rows from before this time would be deleted (ISO 8601, UTC) */
  before: string;
  /** Rows that the next run would delete */
  rows: number;
  /** Disk that they use, estimated */
  bytes: number;
  /** More than 10,000 rows of a table: estimated from the statistics of the database */
  isEstimate: boolean;
  /** Rows from before that time that would stay because something waits for them, counted among the oldest 10,000 of each table */
  keptRows: number;
  /** Time of the oldest row that would stay and that nothing waits for; null if none would (ISO 8601, UTC) */
  oldestKeptAt: string | null;
};

export type RetentionPreviewIn = {
  /** At least the longest wait (`TIDINGS_MAX_WAIT_DAYS`), 3 days and `deadLetters` */
  messages?: number | null;
  /** At least `messages` and the longest snooze (`TIDINGS_MAX_SNOOZE_DAYS`) */
  inApp?: number | null;
  /** How long captured messages are kept; the newest 10,000 at most */
  captured?: number | null;
  /** At most `messages`: a replay needs the message */
  deadLetters?: number | null;
  /** At least 3 days, because hours are counted for the last time after two days */
  statistics?: number | null;
  /** Refused: set `TIDINGS_AUDIT_DAYS`, which applies to the whole installation */
  audit?: number | null;
};

export type RetentionRun = {
  id: string;
  /** When it began (ISO 8601, UTC) */
  startedAt: string;
  /** When it ended; null while it runs, or if its process died (ISO 8601, UTC) */
  finishedAt: string | null;
  /** false: it reached its limit or failed, and the next run continues */
  isComplete: boolean;
  /** Classes of which rows were deleted; those of dropped partitions are included, large ones estimated */
  deleted: RetentionDeleted[];
  /** Partitions that were dropped, such as `events_2026_08` */
  partitions: string[];
  /** Why it failed */
  error: string | null;
};

export type Retraction = {
  _id: string;
  /** The event that is retracted */
  transactionId: string;
  /** The key it was found by; null if the transaction id was given */
  supersedeKey: string | null;
  /** The only subscriber it is about; null: everyone whom the event reached */
  to: string | null;
  reason: string;
  status: RetractionStatus;
  /** Recipients of the event */
  people: number;
  /** Recipients whose messages were handled so far */
  handled: number;
  /** Messages by channel and end state, such as `{ email: { cannot_unsend: 12 } }` (docs/retract.md) */
  results: Record<string, Record<string, number>>;
  /** When it was requested (ISO 8601, UTC) */
  createdAt: string;
  finishedAt: string | null;
  /** The address of a member, or the environment of an API key */
  createdBy: string;
};

/** Replaces in-app, chat and push messages where that is possible, and is sent as a separate message through channels that cannot unsend */
export type RetractionCorrection = {
  /** For email, push and in-app messages; text with Liquid */
  subject?: string;
  /** Plain text with Liquid, which can use `payload`, `subscriber` and `workflow` */
  body: string;
};

export type RetractionIn = {
  /** The event; or `supersedeKey` and `to` */
  transactionId?: string;
  /** The newest event with this key for the subscriber `to` */
  supersedeKey?: string;
  /** With `supersedeKey`: a subscriber id */
  to?: string;
  /** For your colleagues; recipients do not see it */
  reason: string;
  correction?: RetractionCorrection;
};

export type RetractionList = {
  /** More items follow this page */
  hasMore: boolean;
  data: Retraction[];
  /** Number of items in this page */
  pageSize: number;
  page: number;
};

export type RetractionPreview = {
  /** Recipients of the event, counted up to 200,000 */
  people: number;
  /** true: the event has more recipients, which are not counted */
  isCapped: boolean;
  /** Messages by channel and end state, such as `{ email: { cannot_unsend: 12 } }` (docs/retract.md) */
  results: Record<string, Record<string, number>>;
};

export type RetractionPreviewIn = {
  /** The event; or `supersedeKey` and `to` */
  transactionId?: string;
  /** The newest event with this key for the subscriber `to` */
  supersedeKey?: string;
  /** With `supersedeKey`: a subscriber id */
  to?: string;
  correction?: RetractionCorrection;
};

export type RetractionStatus = "running" | "completed";

export type Role = "viewer" | "support" | "editor" | "owner";

export type RollUpItem = {
  transactionId: string;
  workflowId: string;
  workflowName: string;
  title: string;
  /** When the message was held (ISO 8601, UTC) */
  heldAt: string;
  /** true: it was canceled or taken back before the roll-up was sent */
  isTakenBack: boolean;
};

export type SampledArm = {
  /** The id of the arm or the variant, or `held-out` */
  id: string;
  /** People who take it. Those who do not come so far take none */
  count: number;
};

export type SampledStep = {
  /** The step id of a branch or an experiment */
  stepId: string;
  taken: SampledArm[];
};

export type Scenario = {
  name: string;
  given: ScenarioGiven;
  when: ScenarioAction[];
  /** When the test clock ends; default: a year after the last action */
  until?: string;
  /** All messages that are sent, and no others, in any order */
  then: ScenarioMessage[];
  /** What single steps do; the others are not checked */
  steps?: ScenarioStep[];
};

export type ScenarioAction = {
  /** Relative to the scenario's time: `+0m`, `+1d2h`, `+90s`; or an ISO time */
  at: string;
  /** Identifier of a workflow */
  trigger?: string;
  /** Identifier of a workflow */
  broadcast?: string;
  /** A `transactionId` of an earlier action */
  cancel?: string;
  /** Subscriber whose in-app messages are marked as read */
  read?: string;
  /** Subscriber whose in-app messages are archived */
  archive?: string;
  /** Subscriber whose in-app messages are marked as seen */
  seen?: string;
  /** Subscriber whose messages the provider reports as delivered */
  delivered?: string;
  /** The same, with a click on a link */
  clicked?: string;
  /** The same, as bounced */
  bounced?: string;
  /** With `delivered`, `clicked` and `bounced`; without it, `email` */
  channel?: "email" | "sms" | "chat";
  /** With marks and reports: only messages of this workflow */
  workflow?: string;
  /** Name of a signal, as in `signals.send` */
  signal?: string;
  /** With `signal` */
  key?: string;
  /** With `signal` */
  data?: Record<string, unknown>;
  /** With `signal`: the runs that must continue. Another number is a failure */
  reached?: number;
  /** As in `events.trigger`: a subscriber id, a topic, or a list of these. For a signal: one or more subscriber ids */
  to?: unknown;
  payload?: Record<string, unknown>;
  /** Never exported */
  overrides?: Record<string, unknown>;
  actor?: string;
  context?: Record<string, unknown>;
  tenant?: string | Record<string, unknown>;
  transactionId?: string;
};

export type ScenarioChoices = {
  email?: boolean;
  sms?: boolean;
  in_app?: boolean;
  chat?: boolean;
  push?: boolean;
  /** For a workflow that offers it */
  digestFrequency?: "instant" | "hourly" | "daily" | "weekly";
};

export type ScenarioExport = {
  scenario: Scenario;
  /** The same as YAML text */
  yaml: string;
  /** What was left out because a scenario cannot express it */
  notes: string[];
};

export type ScenarioGiven = {
  /** When the test clock starts (ISO 8601) */
  time: string;
  subscribers?: ScenarioSubscriber[];
  /** Subscriber ids by topic key */
  topics?: Record<string, string[]>;
  /** Environment variables, which templates read as `env.<name>` */
  variables?: Record<string, string>;
  /** By workflow and `stepId`: what an HTTP request gets back, instead of the sample response of the step */
  responses?: Record<string, Record<string, ScenarioResponse>>;
  /** The attention budget; without it, that of the files or the environment */
  attention?: AttentionBudget[];
  /** By workflow and `stepId`: the variant of an experiment that everyone is in */
  variants?: Record<string, Record<string, string>>;
};

export type ScenarioMessage = {
  /** A subscriber id */
  to: string;
  channel: Channel;
  /** A time, or the earliest and the latest acceptable time. Runs in real time are exported with a range */
  at?: string | {
    from: string;
    to: string;
  };
  /** For an email, a push or an in-app message */
  subject?: string | {
    contains: string;
  } | {
    matches: string;
  };
  /** The text; of an email, its plain text */
  body?: string | {
    contains: string;
  } | {
    matches: string;
  };
  /** Links that the message must contain, among others */
  links?: string[];
  /** The one-time code */
  code?: string | {
    contains: string;
  } | {
    matches: string;
  };
};

export type ScenarioResponse = {
  /** Without it, 200 */
  status?: number;
  body?: unknown;
};

export type ScenarioStep = {
  /** A subscriber id */
  to: string;
  /** Default: any workflow */
  workflow?: string;
  /** The `stepId` */
  step: string;
  /** The outcome; or `rolled_up`, `delayed`, `dropped`: what the attention budget did to the message */
  outcome?: "sent" | "done" | "skipped" | "waiting" | "sending" | "merged" | "failed" | "canceled" | "pending" | "rolled_up" | "delayed" | "dropped";
  /** What happened in words, as `explain.retrieve` has it */
  reason?: string | {
    contains: string;
  } | {
    matches: string;
  };
  /** For a branch: the id of the arm that the run takes */
  arm?: string;
  /** For an experiment: the id of the variant */
  variant?: string;
};

export type ScenarioSubscriber = {
  subscriberId: string;
  firstName?: string;
  lastName?: string;
  email?: string;
  phone?: string;
  avatar?: string;
  locale?: string;
  timezone?: string;
  data?: Record<string, unknown>;
  /** Choices by the identifier of a workflow, or `all` */
  preferences?: Record<string, ScenarioChoices>;
  schedule?: Schedule;
  /** Channels the subscriber is reachable on without an address: a generated one is used */
  channels?: "chat"[];
};

export type Schedule = {
  isEnabled: boolean;
  weeklySchedule?: WeeklySchedule;
};

export type ScheduleDay = {
  /** false closes the day */
  isEnabled: boolean;
  /** Without hours, the day is open all day; an `end` at or before `start` extends into the next day */
  hours?: ScheduleHours[];
};

export type ScheduleHours = {
  /** `hh:mm AM` or `hh:mm PM` */
  start: string;
  /** `hh:mm AM` or `hh:mm PM` */
  end: string;
};

/** The payload's value at the first of the workflow's `searchKeys` */
export type SearchKeyValue = {
  /** Path of the payload */
  key: string;
  value: string;
};

export type SendRequestIn = {
  /** As in a workflow, saved or not. Default: those of the saved step */
  controlValues?: Record<string, unknown>;
  /** A subscriber of the environment. Default: a sample */
  subscriberId?: string;
  payload?: Record<string, unknown>;
  /** Results of earlier steps by step id, which templates read as `steps.<stepId>` */
  steps?: Record<string, unknown>;
  context?: ContextMap;
};

export type SentRequest = {
  data: {
    request?: RenderedRequest;
    response?: ReceivedResponse;
    /** What later steps would read as `steps.<stepId>` */
    result?: Record<string, unknown>;
    /** Why the step would fail */
    error?: string;
  };
};

export type SentWebhookEventType = "message.sent" | "message.failed" | "message.delivered" | "message.seen" | "message.read" | "message.unread" | "message.archived" | "message.unarchived" | "message.snoozed" | "message.unsnoozed" | "message.deleted" | "preference.updated" | "workflow.created" | "workflow.updated" | "workflow.deleted" | "workflow.published" | "broadcast.started" | "broadcast.paused" | "broadcast.completed" | "webhook.test";

export type Severity = "high" | "medium" | "low" | "none";

export type ShownBrandLink = {
  network: "bluesky" | "discord" | "facebook" | "github" | "instagram" | "linkedin" | "mastodon" | "pinterest" | "reddit" | "telegram" | "threads" | "tiktok" | "website" | "whatsapp" | "x" | "youtube";
  /** The network as people write it, such as GitHub */
  name: string;
  url: string;
};

export type SignInIn = {
  email: string;
  password: string;
};

export type SignInMethods = {
  password: boolean;
  /** Sign-in with OpenID Connect; null if it is not configured */
  oidc: {
    /** For the button, such as `Google` */
    name: string;
  } | null;
};

export type SignalBulkIn = {
  signals: SignalIn[];
};

export type SignalIn = {
  /** What happened, such as `incident.acknowledged` */
  name: string;
  /** The subscribers whose runs it reaches: one or a list of up to 100. Unknown ones are not created */
  to: string | {
    subscriberId: string;
  } | (string | {
    subscriberId: string;
  })[];
  /** Which of several: a wait that names a key takes only signals with the same one */
  key?: string;
  /** At most 64 KB. Later steps read it as `steps.<stepId>.data` */
  data?: Record<string, unknown>;
};

export type SignalResult = {
  id: string;
  name: string;
  at: string;
  /** Runs that waited for the signal and continue now */
  reached: number;
  /** Those of `to` that do not exist */
  unknownSubscribers?: string[];
};

export type SignedIn = {
  person: SignedInPerson;
  /** For the header `x-csrf-token` of every non-GET request */
  csrfToken: string;
  environments: SignedInEnvironment[];
  signIn: SignInMethods;
  /** Version of the service */
  version: string;
};

export type SignedInAnswer = {
  data: SignedIn;
};

export type SignedInEnvironment = {
  /** For the header `x-tidings-environment` */
  _id: string;
  name: string;
  identifier: string;
  type: "dev" | "prod";
};

export type SignedInPerson = {
  _id: string;
  name: string;
  email: string;
  role: Role;
  hasPassword: boolean;
};

export type SkippedResource = {
  resourceType: PublishedType;
  resourceId: string;
  resourceName: string;
  reason: string;
  /** Issues of severity `error` in the target, such as a layout that does not exist there. Absent if there are none */
  issues?: ResourceIssue[];
};

export type SnoozeIn = {
  /** At least 3 minutes and at most 90 days ahead (`TIDINGS_MAX_SNOOZE_DAYS`), ISO 8601; a request that arrives up to 60 seconds late is accepted */
  snoozeUntil: string;
};

export type Source = {
  id: string;
  /** `local`: the functions of the schema `tidings` in the service's own database. `postgres`: an outbox in another one */
  kind: "local" | "postgres";
  name: string;
  host?: string;
  port?: number;
  database?: string;
  user?: string;
  /** The schema of its outbox */
  schema: string;
  /** The database roles that may call the functions; only for a local source */
  roles?: string[];
  /** Nothing is taken from it; what is committed waits in its outbox */
  paused: boolean;
  /** `idle`: nothing came from it yet. `failing`: its database cannot be read; it is tried again and again */
  state: "healthy" | "failing" | "paused" | "idle";
  /** Rows accepted so far; after a crash, a few may be missing */
  accepted: number;
  /** Rows refused so far, each of which became a failed task */
  refused: number;
  /** When rows were accepted last (ISO 8601, UTC) */
  lastAcceptedAt?: string;
  /** Rows that wait in the outbox, as last measured, counted up to 10,000 */
  waiting: number;
  /** Age of the oldest row that waits; 0 when none does */
  lagSeconds: number;
  /** When `waiting` and `lagSeconds` were measured (ISO 8601, UTC) */
  measuredAt?: string;
  /** When the first of the current failures happened (ISO 8601, UTC) */
  failingSince?: string;
  /** Why its database could not be read */
  lastError?: string;
  /** When that was (ISO 8601, UTC) */
  lastErrorAt?: string;
  /** When the source was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change of its settings (ISO 8601, UTC) */
  updatedAt: string;
};

export type SourceCheck = {
  /** Events can be taken from it */
  isReady: boolean;
  /** What is wrong and how to fix it; empty when it is ready */
  problems: string[];
  serverVersion?: string;
  /** Rows that wait in the outbox */
  waiting?: number;
};

export type SourceIn = {
  /** How people call it */
  name: string;
  /** `postgresql://user:password@host:port/database`. PostgreSQL 13 or later, directly or through a pooler; stored encrypted and never returned. Private and local addresses have to be allowed by TIDINGS_ALLOW_NETWORKS */
  url: string;
  /** The schema that `tidings outbox install` created the outbox in */
  schema?: string;
  /** Nothing is taken from it; what is committed waits in its outbox */
  paused?: boolean;
};

export type SourcePatch = {
  /** How people call it */
  name?: string;
  /** `postgresql://user:password@host:port/database`. PostgreSQL 13 or later, directly or through a pooler; stored encrypted and never returned. Private and local addresses have to be allowed by TIDINGS_ALLOW_NETWORKS */
  url?: string;
  /** The schema that `tidings outbox install` created the outbox in */
  schema?: string;
  /** Nothing is taken from it; what is committed waits in its outbox */
  paused?: boolean;
};

export type Statistics = {
  granularity: "hour" | "day";
  /** Oldest first, including empty ones; at most 31 days by hour or 400 days by day */
  data: StatisticsBucket[];
  totals: StatisticsTotals;
  breakdown?: StatisticsBreakdown;
  waiting?: StatisticsWaiting;
};

export type StatisticsBreakdown = {
  workflows: WorkflowStatistics[];
  channels: ChannelStatistics[];
  providers: ProviderStatistics[];
};

export type StatisticsBucket = {
  /** Begin of the hour or day (ISO 8601, UTC) */
  start: string;
  /** Messages that a provider accepted or that are in the feed, without captured ones */
  sent: number;
  /** Messages kept in a capture provider's mailbox; nobody receives them */
  captured: number;
  /** Sent messages that are in the feed or that the provider reported as delivered */
  delivered: number;
  /** Sent messages that were read in the inbox, or reported as opened or clicked */
  opened: number;
  failed: number;
  /** Failed messages that a provider refused, bounced or did not respond to. The others failed before a provider was called, for example because an address was missing */
  refused: number;
  /** Calls to a provider that failed, by the provider that was called. Their messages may wait for another attempt or have been sent since */
  failedAttempts: number;
  /** Steps that sent nothing, by reason, such as `skipped_by_condition` or `filtered_by_subscriber_global`. With those that the attention budget rolled up (`attention_rolled_up`) or dropped (`attention_dropped`) */
  skipped: Record<string, number>;
  held?: StatisticsHeld;
  latency?: StatisticsLatency;
};

/** Messages that the attention budget held; absent if there are none */
export type StatisticsHeld = {
  /** Became items of roll-ups. Roll-ups are among the sent messages */
  rolledUp: number;
  dropped: number;
  /** Waited for a place, counted when they began to wait. They are among the sent messages once they are */
  delayed: number;
  /** The share of all messages that were due, from 0 to 1 */
  share: number;
};

export type StatisticsLatency = {
  /** In ms, estimated from classes */
  p50: number;
  p95: number;
};

export type StatisticsTotals = {
  /** Messages that a provider accepted or that are in the feed, without captured ones */
  sent: number;
  /** Messages kept in a capture provider's mailbox; nobody receives them */
  captured: number;
  /** Sent messages that are in the feed or that the provider reported as delivered */
  delivered: number;
  /** Sent messages that were read in the inbox, or reported as opened or clicked */
  opened: number;
  failed: number;
  /** Failed messages that a provider refused, bounced or did not respond to. The others failed before a provider was called, for example because an address was missing */
  refused: number;
  /** Calls to a provider that failed, by the provider that was called. Their messages may wait for another attempt or have been sent since */
  failedAttempts: number;
  /** Steps that sent nothing, by reason, such as `skipped_by_condition` or `filtered_by_subscriber_global`. With those that the attention budget rolled up (`attention_rolled_up`) or dropped (`attention_dropped`) */
  skipped: Record<string, number>;
  held?: StatisticsHeld;
  latency?: StatisticsLatency;
};

/** Messages waiting now, regardless of the range: for an integration that does not respond, or for their next attempt. Absent with `workflowId` */
export type StatisticsWaiting = {
  /** Counted up to 100,000 */
  count: number;
  /** When the oldest of them was created (ISO 8601, UTC) */
  oldestAt?: string;
  /** Most frequent first */
  providers: ProviderWaiting[];
};

export type Step = {
  _id: string;
  stepId: string;
  name: string;
  slug: string;
  type: StepType;
  origin: Origin;
  workflowId: string;
  workflowDatabaseId: string;
  controls: {
    /** JSON Schema of the control values */
    dataSchema?: Record<string, unknown>;
    /** How an editor should show them */
    uiSchema?: Record<string, unknown>;
    values: Record<string, unknown>;
  };
  /** Alias of `controls.values` */
  controlValues?: Record<string, unknown>;
  /** JSON Schema of what a template of this step may use */
  variables: Record<string, unknown>;
  issues?: StepIssues;
  filters?: StepFilter[];
  active: boolean;
  shouldStopOnFail: boolean;
  /** How long after its creation the message may still be sent; default: the service's setting */
  deadlineSeconds?: number;
  /** The arm of an earlier branch step that this step belongs to: `<stepId of the branch>/<id of the arm>`. The arm `else` is taken when no other is */
  arm?: string;
};

export type StepChange = {
  /** `changed`: its fields differ; it may have moved too */
  kind: "added" | "removed" | "moved" | "changed";
  stepId: string;
  name: string;
  type: StepType;
  /** Place in the first version, from 0 */
  fromIndex?: number;
  /** Place in the second version, from 0 */
  toIndex?: number;
  hasMoved: boolean;
  fields: ChangedField[];
};

export type StepComment = {
  id: string;
  /** Internal id of the step; it may have been removed since */
  stepId: string;
  text: string;
  /** The name of the member, or of the key's environment */
  author: string;
  /** When it was written (ISO 8601, UTC) */
  createdAt: string;
  /** Absent while it is open (ISO 8601, UTC) */
  resolvedAt?: string;
  resolvedBy?: string;
};

export type StepCommentIn = {
  /** Internal id, identifier or slug of the step */
  stepId: string;
  text: string;
};

export type StepCommentList = {
  data: StepComment[];
};

export type StepCommentPatch = {
  isResolved: boolean;
};

export type StepFile = {
  stepId: string;
  /** Default: the `stepId` */
  name?: string;
  type: StepType;
  active?: boolean;
  /** true: if this step fails, the steps after it are canceled */
  shouldStopOnFail?: boolean;
  /** The arm of an earlier branch step that this step belongs to: `<stepId of the branch>/<id of the arm>`. The arm `else` is taken when no other is */
  arm?: string;
  /** How long after its creation the message may still be sent; default: the service's setting */
  deadlineSeconds?: number;
  filters?: StepFilterIn[];
  /** Depends on the step type. A layout is given by its identifier */
  controlValues?: Record<string, unknown>;
};

export type StepFilter = {
  isNegated: boolean;
  type: "BOOLEAN" | "TEXT" | "DATE" | "NUMBER" | "STATEMENT" | "LIST" | "MULTI_LIST" | "GROUP";
  value: "AND" | "OR";
  children: FieldFilterPart[];
};

export type StepFilterIn = {
  isNegated?: boolean;
  type?: "BOOLEAN" | "TEXT" | "DATE" | "NUMBER" | "STATEMENT" | "LIST" | "MULTI_LIST" | "GROUP";
  /** How the children are joined */
  value?: "AND" | "OR";
  children: FieldFilterPart[];
};

export type StepIn = {
  /** In an update: the step this entry replaces */
  _id?: string;
  /** Default: derived from the name */
  stepId?: string;
  name: string;
  type: StepType;
  /** Depends on the step type; see `controls.dataSchema` of the response */
  controlValues?: Record<string, unknown>;
  /** Classic conditions: the step is skipped unless all of them pass */
  filters?: StepFilterIn[];
  active?: boolean;
  /** true: if this step fails, the steps after it are canceled */
  shouldStopOnFail?: boolean;
  /** How long after its creation the message may still be sent; default: the service's setting */
  deadlineSeconds?: number;
  /** The arm of an earlier branch step that this step belongs to: `<stepId of the branch>/<id of the arm>`. The arm `else` is taken when no other is */
  arm?: string;
};

export type StepIssues = {
  controls?: Record<string, ContentIssue[]>;
  integration?: Record<string, IntegrationIssue[]>;
};

export type StepPreview = {
  data: {
    result: PreviewResult;
    /** A field with an error is missing from `result` */
    faults: PreviewFault[];
    /** For an email: what its author should look at, such as links without an address; at most 5 of a kind */
    checks?: MailCheck[];
    /** The HTML and Liquid that the blocks of an email become; only with `withTemplate` */
    template?: string;
    /** JSON Schema of what a template of this step may use; only with `draft` */
    variables?: Record<string, unknown>;
  };
};

export type StepPreviewIn = {
  step: PreviewedStep;
  /** Internal id, identifier or slug: the workflow whose name and translations the content uses */
  workflowId?: string;
  /** A subscriber of the environment. Default: a sample */
  subscriberId?: string;
  payload?: Record<string, unknown>;
  /** Overrides the step's `layoutId`; null: without a layout */
  layoutId?: string | null;
  /** For an email of blocks: the response contains `template` */
  withTemplate?: boolean;
  /** Overrides the subscriber's language */
  locale?: string;
  /** Results of earlier steps by step id, which templates read as `steps.<stepId>` */
  steps?: Record<string, unknown>;
  context?: ContextMap;
  draft?: PreviewedDraft;
};

export type StepTemplate = {
  id: string;
  name: string;
  type: StepType;
  /** The name of the member, or of the key's environment */
  createdBy: string;
  /** When it was saved (ISO 8601, UTC) */
  createdAt: string;
  /** When it was saved or renamed (ISO 8601, UTC) */
  updatedAt: string;
  step: TemplateStep;
};

export type StepTemplateHead = {
  id: string;
  name: string;
  type: StepType;
  /** The name of the member, or of the key's environment */
  createdBy: string;
  /** When it was saved (ISO 8601, UTC) */
  createdAt: string;
  /** When it was saved or renamed (ISO 8601, UTC) */
  updatedAt: string;
};

export type StepTemplateIn = {
  name: string;
  step: TemplateStep;
};

export type StepTemplateList = {
  data: StepTemplateHead[];
};

export type StepTemplatePatch = {
  name: string;
};

export type StepType = "in_app" | "email" | "sms" | "chat" | "push" | "digest" | "delay" | "throttle" | "custom" | "branch" | "experiment" | "wait" | "http_request" | "start_workflow" | "update_subscriber";

export type StoredReceipt = {
  id: string;
  /** Absent for an unknown integration */
  integrationId?: string;
  integrationIdentifier?: string;
  providerId?: string;
  result: InboundResult;
  reason?: InboundReason;
  /** What was reported: `delivered`, `bounced`, `opened`, … */
  status?: string;
  /** delivered: the message has a delivery time; failed: the message failed; confirmed: an unknown outcome became sent; resolved: its dead letter was closed; suppressed: its address receives no more mail; detail: an execution detail was added */
  changes: ("delivered" | "failed" | "confirmed" | "resolved" | "suppressed" | "detail")[];
  messageId?: string;
  /** The event the message belongs to */
  transactionId?: string;
  /** The provider's id of the message */
  externalId?: string;
  /** The address in the report */
  recipient?: string;
  /** Excerpt of the refused or ignored request, up to 2,000 characters, without secrets */
  excerpt?: string;
  /** When it arrived (ISO 8601, UTC) */
  createdAt: string;
};

export type StoredReceiptList = {
  /** More items follow this page */
  hasMore: boolean;
  data: StoredReceipt[];
  /** Number of items in this page */
  pageSize: number;
  page: number;
  /** Receipts that match the filters, counted up to 50,000 */
  totalCount: number;
};

export type Subscriber = {
  _id?: string;
  subscriberId: string;
  firstName?: string;
  lastName?: string;
  email?: string;
  phone?: string;
  avatar?: string;
  locale?: string;
  timezone?: string | null;
  data?: Record<string, unknown> | null;
  channels?: ChannelSettings[];
  isOnline?: boolean | null;
  lastOnlineAt?: string | null;
  _organizationId: string;
  _environmentId: string;
  deleted: boolean;
  /** When the subscriber was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
};

export type SubscriberAttention = {
  /** Channels with a budget of the environment or an own limit */
  channels: ChannelAttention[];
};

export type SubscriberBulkEntry = Record<string, unknown>;

export type SubscriberBulkFailure = {
  subscriberId?: string;
  message: string;
};

export type SubscriberBulkIn = {
  /** Each as in `subscribers.create` */
  subscribers: SubscriberBulkEntry[];
};

export type SubscriberBulkResult = {
  updated: SubscriberKey[];
  created: SubscriberKey[];
  failed: SubscriberBulkFailure[];
};

export type SubscriberCredentialsIn = {
  providerId: "slack" | "discord" | "msteams" | "mattermost" | "ryver" | "zulip" | "grafana-on-call" | "getstream" | "rocket-chat" | "whatsapp-business" | "chat-webhook" | "svc-slack" | "fcm" | "apns" | "expo" | "one-signal" | "pushpad" | "push-webhook" | "pusher-beams" | "appio" | "web-push";
  /** Default: the provider's first active integration */
  integrationIdentifier?: string;
  credentials: ChannelCredentialsIn;
};

export type SubscriberDeleted = {
  acknowledged: boolean;
  status: string;
};

export type SubscriberIn = {
  /** The id your system uses */
  subscriberId: string;
  firstName?: string | null;
  lastName?: string | null;
  email?: string | null;
  phone?: string | null;
  avatar?: string | null;
  /** Such as `en_US` or `en-US` */
  locale?: string | null;
  /** IANA name */
  timezone?: string | null;
  /** At most 64 KB of JSON */
  data?: Record<string, unknown> | null;
};

export type SubscriberKey = {
  subscriberId: string;
};

export type SubscriberList = {
  data: Subscriber[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type SubscriberNotification = {
  /** Id of the message */
  id: string;
  transactionId: string;
  subject?: string;
  body: string;
  to: NotificationRecipient;
  isRead: boolean;
  isSeen: boolean;
  isArchived: boolean;
  isSnoozed: boolean;
  /** When it comes back; null when it is not snoozed */
  snoozedUntil?: string | null;
  /** When it disappears; absent when it does not expire */
  expiresAt?: string;
  /** When it was delivered, and when it returned from a snooze */
  deliveredAt?: string[];
  /** When the message was created (ISO 8601, UTC) */
  createdAt: string;
  readAt?: string;
  firstSeenAt?: string;
  archivedAt?: string;
  avatar?: string;
  primaryAction?: NotificationAction;
  secondaryAction?: NotificationAction;
  channelType: Channel;
  tags?: string[];
  data?: Record<string, unknown>;
  redirect?: NotificationRedirect;
  workflow?: WorkflowRef;
  severity: Severity;
};

export type SubscriberPatch = {
  firstName?: string | null;
  lastName?: string | null;
  email?: string | null;
  phone?: string | null;
  avatar?: string | null;
  /** Such as `en_US` or `en-US` */
  locale?: string | null;
  /** IANA name */
  timezone?: string | null;
  /** At most 64 KB of JSON */
  data?: Record<string, unknown> | null;
};

export type SubscriberPreferences = {
  global: GlobalPreference;
  workflows: SubscriberWorkflowPreference[];
  /** The categories with workflows, in their order; absent if there are none */
  categories?: CategoryPreference[];
};

export type SubscriberRef = {
  _id: string;
  /** The id your system uses */
  subscriberId: string;
  avatar?: string | null;
  firstName?: string | null;
  lastName?: string | null;
  email?: string | null;
};

export type SubscriberWorkflowPreference = {
  enabled: boolean;
  channels: PreferenceChannels;
  overrides: PreferenceOverride[];
  workflow: PreferenceWorkflow;
  /** Last change of the subscriber's choice for this workflow (ISO 8601, UTC) */
  updatedAt?: string;
  /** The category of the workflow */
  categoryId?: string;
  /** How often the subscriber wants the digest of the workflow; null without a choice. Absent if the workflow offers none */
  digestFrequency?: "instant" | "hourly" | "daily" | "weekly" | null;
  /** What the workflow lets subscribers choose from */
  digestFrequencies?: ("instant" | "hourly" | "daily" | "weekly")[];
};

export type Subscription = {
  _id: string;
  identifier?: string;
  topic: TopicRef;
  subscriber: SubscriberRef;
  /** Sorted `<type>:<id>` keys */
  contextKeys?: string[];
  /** When the subscription was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
  name?: string;
  /** One per workflow that a rule matches, and one without a workflow per rule that matches none */
  preferences?: SubscriptionPreference[];
};

export type SubscriptionCounts = {
  totalCount: number;
  successful: number;
  failed: number;
};

export type SubscriptionDetails = {
  /** Internal id */
  id: string;
  identifier?: string;
  name?: string;
  /** One per workflow that a rule matches, and one without a workflow per rule that matches none */
  preferences?: SubscriptionPreference[];
  /** As stored, in order; `preferences` of an update replaces them */
  rules?: SubscriptionRuleIn[];
  /** Sorted `<type>:<id>` keys */
  contextKeys?: string[];
};

export type SubscriptionEntryDelete = {
  /** On its own: all the subscriber's subscriptions to the topic */
  subscriberId?: string;
  identifier?: string;
};

export type SubscriptionEntryIn = {
  subscriberId: string;
  /** 1 to 512 characters; default `tk_<topicKey>:si_<subscriberId>` */
  identifier?: string;
  name?: string;
};

export type SubscriptionError = {
  /** `unknown` when the entry did not name one */
  subscriberId: string;
  code: string;
  message: string;
};

export type SubscriptionPatch = {
  name?: string;
  /** In order: the first rule that matches a workflow applies to it. At most 64 KB of JSON */
  preferences?: (string | SubscriptionRuleIn)[];
};

export type SubscriptionPreference = {
  /** Internal id of the subscription */
  subscriptionId: string;
  workflow?: WorkflowRef;
  enabled: boolean;
  /** JSON Logic; takes precedence over `enabled` */
  condition?: Record<string, unknown>;
};

/** With `workflowId` or `filter` */
export type SubscriptionRuleIn = {
  /** Identifier or internal id; may not exist yet */
  workflowId?: string;
  /** Workflows that are named or have one of the tags; an empty filter means all of them */
  filter?: {
    workflowIds?: string[];
    tags?: string[];
  };
  /** Default: the workflow's own setting */
  enabled?: boolean;
  /** JSON Logic over `payload`, `subscriber` and `workflow`; passes when the result is exactly true */
  condition?: Record<string, unknown>;
};

export type SubscriptionsCreated = {
  data: Subscription[];
  meta: SubscriptionCounts;
  errors?: SubscriptionError[];
};

export type SubscriptionsDelete = {
  subscriptions?: (string | SubscriptionEntryDelete)[];
  /** Use `subscriptions` instead. If both are given, both lists are used, with at most 100 entries in total */
  subscriberIds?: string[];
};

export type SubscriptionsDeleted = {
  data: DeletedSubscription[];
  meta: SubscriptionCounts;
  errors?: SubscriptionError[];
};

export type SubscriptionsIn = {
  subscriptions?: (string | SubscriptionEntryIn)[];
  /** Use `subscriptions` instead. If both are given, both lists are used, with at most 100 entries in total */
  subscriberIds?: string[];
  /** Name of the topic */
  name?: string;
  context?: ContextMap;
  /** In order: the first rule that matches a workflow applies to it. At most 64 KB of JSON */
  preferences?: (string | SubscriptionRuleIn)[];
};

export type SuppressedChannel = "email" | "sms";

export type Suppression = {
  id: string;
  channel: SuppressedChannel;
  /** Email addresses in lower case and without a name, phone numbers without punctuation. `erased:…`: the keyed hash of the address of an erased person; the filter `address` and `suppressions.delete` find it by the address */
  address: string;
  reason: SuppressionReason;
  /** The message that was reported */
  messageId?: string;
  /** Since when nothing is sent there (ISO 8601, UTC) */
  createdAt: string;
};

export type SuppressionIn = {
  channel: SuppressedChannel;
  /** An email address or a phone number */
  address: string;
};

export type SuppressionList = {
  data: Suppression[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type SuppressionReason = "bounce" | "complaint" | "manual";

export type SystemState = {
  versions: SystemVersions;
  /** Processes of the installation that are connected to the database */
  processes: number;
  /** For the whole installation */
  queue: QueueState[];
  /** Circuit breakers that are not closed, in the whole installation */
  openBreakers: number;
  environment: EnvironmentState;
};

export type SystemVersions = {
  service: string;
  postgres: string;
  /** The last migration */
  schema: string;
};

export type TemplateStep = {
  /** Default: derived from the name */
  stepId?: string;
  name: string;
  type: StepType;
  /** As in a workflow */
  controlValues?: Record<string, unknown>;
  filters?: StepFilterIn[];
  active?: boolean;
  shouldStopOnFail?: boolean;
  /** How long after its creation the message may still be sent; default: the service's setting */
  deadlineSeconds?: number;
};

/** The definition to run, saved or not. It always runs as if it were active. */
export type TestedWorkflow = {
  name: string;
  steps: StepIn[];
  preferences?: WorkflowPreferencesIn;
  description?: string;
  tags?: string[];
  active?: boolean;
  validatePayload?: boolean;
  /** JSON Schema, draft-07 or 2020-12 */
  payloadSchema?: Record<string, unknown> | null;
  isTranslationEnabled?: boolean;
  severity?: Severity;
  outsideSchedule?: "hold" | "skip";
  onUnknownOutcome?: "may_duplicate" | "may_delay";
  /** Payload paths, such as `order` or `invoice.number`, by whose texts and numbers events can be found in the activity, however old they are. Applies to events from now on. The first one is shown next to each event */
  searchKeys?: string[];
  objectives?: WorkflowObjectives;
  /** Identifier of an existing category; null: none */
  categoryId?: string | null;
  /** Advertising: it can be unsubscribed from */
  isCommercial?: boolean;
  /** What its messages are to readers. Critical ones are never held by an attention budget, transactional ones go before promotional ones. A workflow that subscribers cannot switch off is critical in any case */
  messageClass?: "critical" | "transactional" | "promotional";
  /** Which messages go first when many wait. A critical workflow is always high */
  priority?: "high" | "normal" | "low";
};

export type TimelinePerson = {
  /** null: the subscriber was deleted */
  subscriberId: string | null;
  transactionId: string;
};

export type TimelineResult = {
  /** The moment, or the first of the entry (ISO 8601, UTC) */
  at: string;
  /** The last moment of the entry: in real time, all entries of a minute are combined (ISO 8601, UTC) */
  until: string;
  workflow: TimelineWorkflow;
  step: TimelineStep;
  /** How many runs or messages */
  count: number;
  /** Recipients of the first three events */
  people: TimelinePerson[];
  channel: Channel;
  outcome: "sent" | "sending" | "failed";
  /** Subject of the first message, or the beginning of its content */
  title: string;
};

export type TimelineStep = {
  _id: string;
  stepId: string;
  name: string;
  type: StepType;
};

export type TimelineWait = {
  /** The moment, or the first of the entry (ISO 8601, UTC) */
  at: string;
  /** The last moment of the entry: in real time, all entries of a minute are combined (ISO 8601, UTC) */
  until: string;
  workflow: TimelineWorkflow;
  step: TimelineStep;
  /** How many runs or messages */
  count: number;
  /** Recipients of the first three events */
  people: TimelinePerson[];
  /** `delay`, `digest`: a step of that type is waiting. `schedule`: a channel step waits until the subscriber's schedule opens. `budget`: it waits for a place in the attention budget. `roll_up`: a roll-up waits for its time or a place. `retry`: a message waits for its next attempt. `snooze`: a message returns to the inbox */
  kind: "delay" | "digest" | "wait" | "schedule" | "budget" | "roll_up" | "retry" | "snooze";
  /** Events that the digests have collected; of each counted up to 1,000 */
  events?: number;
};

export type TimelineWorkflow = {
  _id: string;
  workflowId: string;
  name: string;
};

export type Topic = {
  _id: string;
  /** Unique in the environment */
  key: string;
  name?: string;
  /** When the topic was created (ISO 8601, UTC) */
  createdAt?: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt?: string;
};

export type TopicDeleted = {
  acknowledged: boolean;
};

export type TopicFile = {
  key: string;
  name: string;
};

export type TopicIn = {
  key: string;
  name?: string;
};

export type TopicList = {
  data: Topic[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type TopicPatch = {
  /** Display name */
  name: string;
};

export type TopicRef = {
  _id: string;
  key: string;
  name?: string;
};

export type TopicSubscriber = {
  _organizationId: string;
  _environmentId: string;
  _subscriberId: string;
  _topicId: string;
  topicKey: string;
  externalSubscriberId: string;
};

export type TopicSubscription = {
  _id: string;
  identifier: string;
  /** When the subscription was created (ISO 8601, UTC) */
  createdAt: string;
  topic: Topic;
  subscriber: SubscriberRef;
  /** Sorted `<type>:<id>` keys */
  contextKeys?: string[];
};

export type TopicSubscriptionList = {
  data: TopicSubscription[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type Translation = {
  /** Identifier of the workflow or layout */
  resourceId: string;
  resourceType: "workflow" | "layout";
  locale: string;
  /** Texts by key; keys may be nested */
  content: Record<string, unknown>;
  /** Keys whose text in the default locale has changed since this text was written; absent if there are none */
  outdatedKeys?: string[];
  /** Texts that cannot be rendered; absent if there are none */
  faults?: TranslationFault[];
  /** When the texts were first stored (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
};

export type TranslationFault = {
  key: string;
  /** What is wrong with the text as a template */
  message: string;
};

export type TranslationGroup = {
  /** Identifier of the workflow or layout */
  resourceId: string;
  resourceType: "workflow" | "layout";
  resourceName: string;
  locales: string[];
  /** Locales that lack a key of the default locale; absent if there is no default locale or no other locale */
  outdatedLocales?: string[];
  /** For the first locale (ISO 8601, UTC) */
  createdAt: string;
  /** Last change of any locale (ISO 8601, UTC) */
  updatedAt: string;
};

export type TranslationGroupList = {
  groups: TranslationOverview[];
  totalCount: number;
};

export type TranslationIn = {
  /** Internal id, identifier or slug */
  resourceId: string;
  resourceType: "workflow" | "layout";
  /** Such as `en_US` or `en-US`; kept as `en_US` */
  locale: string;
  /** Texts by key; keys may be nested */
  content: Record<string, unknown>;
  /** Dotted keys whose unchanged texts fit the current text of the default locale: no longer outdated */
  reviewed?: string[];
};

export type TranslationOverview = {
  /** Identifier of the workflow or layout */
  resourceId: string;
  resourceType: "workflow" | "layout";
  resourceName: string;
  locales: string[];
  /** Locales that lack a key of the default locale; absent if there is no default locale or no other locale */
  outdatedLocales?: string[];
  /** For the first locale (ISO 8601, UTC) */
  createdAt: string;
  /** Last change of any locale (ISO 8601, UTC) */
  updatedAt: string;
  completeness: LocaleCompleteness[];
};

export type TranslationUpload = {
  totalFiles: number;
  successfulUploads: number;
  failedUploads: number;
  errors: string[];
};

export type TriggerBulkIn = {
  events: TriggerEvent[];
};

export type TriggerEvent = {
  /** Identifier of the workflow */
  name: string;
  /** A subscriber id, a subscriber, a topic, an audience, or a list of these. A subscriber that does not exist yet is created. Everyone receives the event once: topics add subscribers who are not named directly, not excluded and not the actor, and whose subscription has exactly the event's contexts and rules that match it. */
  to: string | RecipientSubscriber | RecipientTopic | RecipientAudience | (string | RecipientSubscriber | RecipientTopic | RecipientAudience)[];
  /** At most 512 KB of JSON. `attachments`, a list of up to 10 `{name, mime, file, channels?}` with `file` in base64, is sent with emails. */
  payload?: Record<string, unknown>;
  /** What this event sends differently; docs/overrides.md lists precedence, members and errors */
  overrides?: Record<string, unknown>;
  /** An event with this id is accepted once */
  transactionId?: string;
  /** A later event with the same key replaces this one for the same subscriber: what waits is canceled, an in-app message is replaced (docs/retract.md) */
  supersedeKey?: string;
  actor?: string | RecipientSubscriber;
  /** What the event is about, at most 5 contexts: maps a context type to the context's id, or to `{id, data}` to give a new context its data. Unknown contexts are created, known ones are used unchanged. */
  context?: Record<string, unknown>;
  /** The identifier of a tenant that exists, or `{identifier, name?, data?}`, which creates the tenant or updates the members given. Templates use it as `tenant`. */
  tenant?: string | Record<string, unknown>;
  /** In a development environment: the bridge that provides the content of the steps, instead of the one that the workflow was synced from */
  bridgeUrl?: string;
  /** Which messages go first, instead of the priority of the workflow; critical workflows stay high. An API key may only lower it, unless it may raise priorities (environments.updateApiKey). */
  priority?: "high" | "normal" | "low";
};

export type TriggerResult = {
  acknowledged: boolean;
  status: "error" | "trigger_not_active" | "no_workflow_active_steps_defined" | "no_workflow_steps_defined" | "processed" | "no_tenant_found" | "invalid_recipients";
  error?: string[];
  transactionId?: string;
};

export type UnpublishableResource = {
  resourceType: PublishedType;
  resourceId: string;
  resourceName: string;
  error: string;
};

export type UnseenCount = {
  count: number;
};

export type UpdateApiKeyIn = {
  /** What the key is for, as the audit log names it */
  name?: string;
  /** Who is responsible for the key: a person or a team; null removes it */
  owner?: string | null;
  /** `full`: every operation. `send`: trigger, cancel and signals. `read`: what a viewer reads. `operations`: those in the list `operations` */
  scope?: "full" | "send" | "read" | "operations";
  /** Ids such as `workflows.list`, for the scope `operations` */
  operations?: string[];
  /** A time to come (ISO 8601); null: never */
  expiresAt?: string | null;
  allowedNetworks?: string[] | null;
  /** Whether its events may have a higher priority than their workflow */
  mayRaisePriority?: boolean;
};

export type UsedTextKey = {
  /** Dotted */
  key: string;
  /** Where it is used, such as `Email: subject` */
  places: string[];
};

export type UsedTextKeys = {
  data: UsedTextKey[];
};

export type User = {
  _id: string;
  firstName?: string | null;
  lastName?: string | null;
  externalId?: string | null;
};

export type UserInfo = {
  _id: string;
  firstName: string;
};

export type VersionAuthor = {
  id: string;
  name: string | null;
};

export type WaitingMessages = {
  integrationId: string;
  name: string;
  channel: Channel;
  /** closed: it responds again, and they are being sent */
  state: "closed" | "open" | "half_open";
  count: number;
  /** When the oldest of them was created (ISO 8601, UTC) */
  oldestAt: string;
};

export type Webhook = {
  id: string;
  url: string;
  eventTypes: WebhookEventType[];
  active: boolean;
  /** When the webhook was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
  /** When the service disabled it (ISO 8601, UTC) */
  disabledAt?: string;
  /** Why the service disabled it */
  disabledReason?: string;
  health?: WebhookHealth;
};

export type WebhookDelivery = {
  id: string;
  /** `id` of the event, which the receiver saw as `webhook-id` */
  eventId: string;
  type: SentWebhookEventType;
  status: WebhookDeliveryStatus;
  attempts: number;
  /** When it is tried again (ISO 8601, UTC) */
  nextAttemptAt?: string;
  /** When it was last tried (ISO 8601, UTC) */
  lastAttemptAt?: string;
  /** HTTP status of the last attempt, if there was a response */
  responseStatus?: number;
  /** The last response, or why there was none; up to 1,024 characters */
  response?: string;
  /** When the event happened (ISO 8601, UTC) */
  createdAt: string;
};

export type WebhookDeliveryPage = {
  /** Counted up to 50,000 */
  totalCount: number;
  /** More items follow this page */
  hasMore: boolean;
  data: WebhookDelivery[];
  /** Number of items in this page */
  pageSize: number;
  page: number;
};

export type WebhookDeliveryStatus = "pending" | "delivered" | "failed";

export type WebhookDeliveryWithRequest = {
  id: string;
  /** `id` of the event, which the receiver saw as `webhook-id` */
  eventId: string;
  type: SentWebhookEventType;
  status: WebhookDeliveryStatus;
  attempts: number;
  /** When it is tried again (ISO 8601, UTC) */
  nextAttemptAt?: string;
  /** When it was last tried (ISO 8601, UTC) */
  lastAttemptAt?: string;
  /** HTTP status of the last attempt, if there was a response */
  responseStatus?: number;
  /** The last response, or why there was none; up to 1,024 characters */
  response?: string;
  /** When the event happened (ISO 8601, UTC) */
  createdAt: string;
  request: {
    /** Where the webhook points now */
    url: string;
    /** The same in every attempt. `webhook-timestamp` and `webhook-signature` are new in each */
    headers: Record<string, string>;
    body: string;
  };
};

export type WebhookEventType = "message.sent" | "message.failed" | "message.delivered" | "message.seen" | "message.read" | "message.unread" | "message.archived" | "message.unarchived" | "message.snoozed" | "message.unsnoozed" | "message.deleted" | "preference.updated" | "workflow.created" | "workflow.updated" | "workflow.deleted" | "workflow.published" | "broadcast.started" | "broadcast.paused" | "broadcast.completed";

export type WebhookHealth = {
  /** `idle`: nothing was delivered in the last 30 days */
  state: "healthy" | "failing" | "idle";
  /** Calls that failed since the last success */
  failures: number;
  /** The first of these failures (ISO 8601, UTC) */
  failingSince?: string;
  /** The newest successful delivery of the last 30 days (ISO 8601, UTC) */
  lastSuccessAt?: string;
  /** The last call that failed (ISO 8601, UTC) */
  lastFailureAt?: string;
  /** The response, or why there was none */
  lastError?: string;
  /** Deliveries that wait, counted up to 10000 */
  pending: number;
};

export type WebhookIn = {
  /** HTTPS, or HTTP in development environments; private and local addresses are refused */
  url: string;
  /** Empty: all of them */
  eventTypes?: WebhookEventType[];
  active?: boolean;
};

export type WebhookPatch = {
  /** HTTPS, or HTTP in development environments; private and local addresses are refused */
  url?: string;
  /** Empty: all of them */
  eventTypes?: WebhookEventType[];
  active?: boolean;
};

export type WebhookReplayIn = {
  ids?: string[];
  /** Deliveries created at or after this time */
  since?: string;
};

export type WebhookReplayed = {
  /** Deliveries that will be repeated */
  replayed: number;
  /** There are more than one request can repeat: send the request again */
  hasMore: boolean;
};

export type WebhookWithSecret = {
  id: string;
  url: string;
  eventTypes: WebhookEventType[];
  active: boolean;
  /** When the webhook was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
  /** When the service disabled it (ISO 8601, UTC) */
  disabledAt?: string;
  /** Why the service disabled it */
  disabledReason?: string;
  health?: WebhookHealth;
  /** `whsec_` and 32 bytes in base64; shown here and never again */
  secret: string;
};

export type WeeklySchedule = {
  monday?: ScheduleDay;
  tuesday?: ScheduleDay;
  wednesday?: ScheduleDay;
  thursday?: ScheduleDay;
  friday?: ScheduleDay;
  saturday?: ScheduleDay;
  sunday?: ScheduleDay;
};

export type Workflow = {
  _id: string;
  workflowId: string;
  /** The current version, for `expectedVersion` of an update */
  versionId?: string;
  slug: string;
  name: string;
  description?: string;
  tags?: string[];
  active?: boolean;
  validatePayload?: boolean;
  payloadSchema?: Record<string, unknown> | null;
  isTranslationEnabled?: boolean;
  /** When the workflow was created (ISO 8601, UTC) */
  createdAt: string;
  /** Last change (ISO 8601, UTC) */
  updatedAt: string;
  updatedBy?: User;
  lastPublishedAt?: string | null;
  lastPublishedBy?: User;
  steps: Step[];
  origin: Origin;
  preferences: {
    user?: WorkflowPreference | null;
    default: WorkflowPreference;
  };
  status: "ACTIVE" | "INACTIVE" | "ERROR";
  issues?: Record<string, Record<string, unknown>>;
  lastTriggeredAt?: string | null;
  payloadExample?: Record<string, unknown> | null;
  severity: Severity;
  /** What happens to channel steps outside the subscriber's schedule */
  outsideSchedule?: "hold" | "skip";
  /** What happens when it is unknown whether a provider sent a message */
  onUnknownOutcome?: "may_duplicate" | "may_delay";
  /** Payload paths by whose values events can be found in the activity */
  searchKeys?: string[];
  objectives?: WorkflowObjectives;
  /** The category in the preferences of subscribers */
  categoryId?: string;
  /** true: its mails always have the headers to unsubscribe; absent: false */
  isCommercial?: boolean;
  messageClass?: MessageClass;
  priority?: Priority;
};

export type WorkflowDraft = {
  name: string;
  /** An existing workflow, whose subscriber preferences, translations and open digests are used. Default: a new one */
  workflowId?: string;
  steps: StepIn[];
  preferences?: WorkflowPreferencesIn;
  description?: string;
  tags?: string[];
  active?: boolean;
  validatePayload?: boolean;
  /** JSON Schema, draft-07 or 2020-12 */
  payloadSchema?: Record<string, unknown> | null;
  isTranslationEnabled?: boolean;
  severity?: Severity;
  outsideSchedule?: "hold" | "skip";
  onUnknownOutcome?: "may_duplicate" | "may_delay";
  /** Payload paths, such as `order` or `invoice.number`, by whose texts and numbers events can be found in the activity, however old they are. Applies to events from now on. The first one is shown next to each event */
  searchKeys?: string[];
  objectives?: WorkflowObjectives;
  /** Identifier of an existing category; null: none */
  categoryId?: string | null;
  /** Advertising: it can be unsubscribed from */
  isCommercial?: boolean;
  /** What its messages are to readers. Critical ones are never held by an attention budget, transactional ones go before promotional ones. A workflow that subscribers cannot switch off is critical in any case */
  messageClass?: "critical" | "transactional" | "promotional";
  /** Which messages go first when many wait. A critical workflow is always high */
  priority?: "high" | "normal" | "low";
};

export type WorkflowDuplicate = {
  name?: string;
  /** Default: derived from the name, with a number if that is taken */
  workflowId?: string;
  description?: string;
  tags?: string[];
};

export type WorkflowExperiments = {
  /** Identifier */
  workflowId: string;
  /** Begin of the range (ISO 8601, UTC) */
  from: string;
  /** End of the range (ISO 8601, UTC) */
  to: string;
  goalDays: number;
  /** The experiment steps of the workflow, in their order; empty when it has none */
  experiments: ExperimentStatistics[];
};

export type WorkflowFile = {
  workflowId: string;
  name: string;
  description?: string;
  tags?: string[];
  active?: boolean;
  severity?: "high" | "medium" | "low" | "none";
  outsideSchedule?: "hold" | "skip";
  onUnknownOutcome?: "may_duplicate" | "may_delay";
  isTranslationEnabled?: boolean;
  /** Payload paths, such as `order` or `invoice.number`, by whose texts and numbers events can be found in the activity, however old they are. Applies to events from now on. The first one is shown next to each event */
  searchKeys?: string[];
  objectives?: WorkflowObjectives;
  /** Identifier of a category of the environment */
  categoryId?: string;
  /** Advertising: its mails always have the headers to unsubscribe */
  isCommercial?: boolean;
  messageClass?: "critical" | "transactional" | "promotional";
  priority?: "high" | "normal" | "low";
  preferences?: WorkflowPreferencesIn;
  validatePayload?: boolean;
  /** JSON Schema, draft-07 or 2020-12 */
  payloadSchema?: Record<string, unknown> | null;
  steps: StepFile[];
  /** Texts by locale */
  translations?: Record<string, Record<string, unknown>>;
};

export type WorkflowIn = {
  name: string;
  workflowId: string;
  steps: StepIn[];
  preferences?: WorkflowPreferencesIn;
  description?: string;
  tags?: string[];
  /** For a new workflow in the vocabulary `novu`: default true */
  active?: boolean;
  validatePayload?: boolean;
  /** JSON Schema, draft-07 or 2020-12 */
  payloadSchema?: Record<string, unknown> | null;
  isTranslationEnabled?: boolean;
  severity?: Severity;
  outsideSchedule?: "hold" | "skip";
  onUnknownOutcome?: "may_duplicate" | "may_delay";
  /** Payload paths, such as `order` or `invoice.number`, by whose texts and numbers events can be found in the activity, however old they are. Applies to events from now on. The first one is shown next to each event */
  searchKeys?: string[];
  objectives?: WorkflowObjectives;
  /** Identifier of an existing category; null: none */
  categoryId?: string | null;
  /** Advertising: it can be unsubscribed from */
  isCommercial?: boolean;
  /** What its messages are to readers. Critical ones are never held by an attention budget, transactional ones go before promotional ones. A workflow that subscribers cannot switch off is critical in any case */
  messageClass?: "critical" | "transactional" | "promotional";
  /** Which messages go first when many wait. A critical workflow is always high */
  priority?: "high" | "normal" | "low";
};

export type WorkflowList = {
  workflows: WorkflowSummary[];
  totalCount: number;
};

export type WorkflowObjectiveStates = {
  /** Identifier */
  workflowId: string;
  days: number;
  /** Empty when the workflow has none */
  objectives: ObjectiveState[];
};

/** What the workflow should achieve; `{}` for nothing in particular */
export type WorkflowObjectives = {
  /** Share of messages that a provider accepts in time. Delays, digests and quiet hours do not count: a step creates its message after them. In-app messages do not count */
  handedOver?: {
    percent: number;
    /** From the creation of the message to its acceptance by the provider */
    withinSeconds: 1 | 5 | 10 | 30 | 60 | 300;
  };
  /** Share of messages that arrive. In-app messages arrive at once; messages of providers that report no deliveries do not count */
  delivered?: {
    percent: number;
  };
};

export type WorkflowPatch = {
  name?: string;
  description?: string;
  tags?: string[];
  /** For a new workflow in the vocabulary `novu`: default true */
  active?: boolean;
  validatePayload?: boolean;
  /** JSON Schema, draft-07 or 2020-12 */
  payloadSchema?: Record<string, unknown> | null;
  isTranslationEnabled?: boolean;
  severity?: Severity;
  outsideSchedule?: "hold" | "skip";
  onUnknownOutcome?: "may_duplicate" | "may_delay";
  /** Payload paths, such as `order` or `invoice.number`, by whose texts and numbers events can be found in the activity, however old they are. Applies to events from now on. The first one is shown next to each event */
  searchKeys?: string[];
  objectives?: WorkflowObjectives;
  /** Identifier of an existing category; null: none */
  categoryId?: string | null;
  /** Advertising: it can be unsubscribed from */
  isCommercial?: boolean;
  /** What its messages are to readers. Critical ones are never held by an attention budget, transactional ones go before promotional ones. A workflow that subscribers cannot switch off is critical in any case */
  messageClass?: "critical" | "transactional" | "promotional";
  /** Which messages go first when many wait. A critical workflow is always high */
  priority?: "high" | "normal" | "low";
};

export type WorkflowPreference = {
  all?: {
    enabled?: boolean;
    /** true: the workflow is critical, and subscribers cannot opt out */
    readOnly?: boolean;
  };
  channels?: {
    in_app?: {
      enabled?: boolean;
    };
    email?: {
      enabled?: boolean;
    };
    sms?: {
      enabled?: boolean;
    };
    chat?: {
      enabled?: boolean;
    };
    push?: {
      enabled?: boolean;
    };
  };
};

export type WorkflowPreferencesIn = {
  user?: WorkflowPreference | null;
  workflow?: WorkflowPreference | null;
};

export type WorkflowRef = {
  /** Internal id */
  id: string;
  /** The `workflowId` that triggers use */
  identifier: string;
  name: string;
  /** Subscribers cannot switch it off */
  critical: boolean;
  tags?: string[];
  data?: Record<string, unknown>;
  severity: Severity;
};

export type WorkflowStatistics = {
  _id: string;
  /** Identifier; null when the workflow was deleted */
  workflowId: string | null;
  name: string | null;
  /** Messages that a provider accepted or that are in the feed, without captured ones */
  sent: number;
  /** Messages kept in a capture provider's mailbox; nobody receives them */
  captured: number;
  /** Sent messages that are in the feed or that the provider reported as delivered */
  delivered: number;
  /** Sent messages that were read in the inbox, or reported as opened or clicked */
  opened: number;
  failed: number;
  /** Failed messages that a provider refused, bounced or did not respond to. The others failed before a provider was called, for example because an address was missing */
  refused: number;
  /** Calls to a provider that failed, by the provider that was called. Their messages may wait for another attempt or have been sent since */
  failedAttempts: number;
  /** Steps that sent nothing, by reason, such as `skipped_by_condition` or `filtered_by_subscriber_global`. With those that the attention budget rolled up (`attention_rolled_up`) or dropped (`attention_dropped`) */
  skipped: Record<string, number>;
  held?: StatisticsHeld;
  latency?: StatisticsLatency;
};

export type WorkflowSummary = {
  _id: string;
  workflowId: string;
  slug: string;
  name: string;
  tags?: string[];
  createdAt: string;
  updatedAt: string;
  status: "ACTIVE" | "INACTIVE" | "ERROR";
  origin: Origin;
  lastTriggeredAt?: string | null;
  stepTypeOverviews: StepType[];
  isTranslationEnabled?: boolean;
  steps: {
    slug: string;
    type: StepType;
    issues?: StepIssues;
  }[];
};

export type WorkflowSync = {
  /** Id or identifier */
  targetEnvironmentId: string;
  /** Id or identifier of any environment of the organisation; default: the first `dev` environment */
  sourceEnvironmentId?: string;
};

export type WorkflowTest = {
  /** The event, whose outcome `explain.retrieve` returns */
  transactionId: string;
  subscriberId: string;
};

export type WorkflowTestIn = {
  workflow: TestedWorkflow;
  /** The id of a subscriber who exists, or a subscriber, who is created or updated as in a trigger */
  to: string | RecipientSubscriber;
  /** At most 512 KB of JSON */
  payload?: Record<string, unknown>;
};

export type WorkflowUpdate = {
  name: string;
  /** Must be unchanged, unless `origin` is external */
  workflowId?: string;
  steps: StepIn[];
  preferences: WorkflowPreferencesIn;
  origin: "svc-cloud" | "svc-cloud-v1" | "external";
  /** The `versionId` that the change is based on. If the workflow has another by now, returns 409 and changes nothing */
  expectedVersion?: string;
  description?: string;
  tags?: string[];
  /** For a new workflow in the vocabulary `novu`: default true */
  active?: boolean;
  validatePayload?: boolean;
  /** JSON Schema, draft-07 or 2020-12 */
  payloadSchema?: Record<string, unknown> | null;
  isTranslationEnabled?: boolean;
  severity?: Severity;
  outsideSchedule?: "hold" | "skip";
  onUnknownOutcome?: "may_duplicate" | "may_delay";
  /** Payload paths, such as `order` or `invoice.number`, by whose texts and numbers events can be found in the activity, however old they are. Applies to events from now on. The first one is shown next to each event */
  searchKeys?: string[];
  objectives?: WorkflowObjectives;
  /** Identifier of an existing category; null: none */
  categoryId?: string | null;
  /** Advertising: it can be unsubscribed from */
  isCommercial?: boolean;
  /** What its messages are to readers. Critical ones are never held by an attention budget, transactional ones go before promotional ones. A workflow that subscribers cannot switch off is critical in any case */
  messageClass?: "critical" | "transactional" | "promotional";
  /** Which messages go first when many wait. A critical workflow is always high */
  priority?: "high" | "normal" | "low";
};

export type WorkflowVersion = {
  id: string;
  /** Counted from 1 per workflow */
  number: number;
  /** When it was saved (ISO 8601, UTC) */
  createdAt: string;
  createdBy?: VersionAuthor;
  /** What the save changed; empty for versions saved before summaries existed */
  summary: string;
  /** New events start with this version */
  isCurrent: boolean;
  workflow: WorkflowVersionContent;
};

export type WorkflowVersionContent = {
  workflowId: string;
  name: string;
  description: string | null;
  tags: string[];
  severity: Severity;
  preferences: Record<string, unknown>;
  outsideSchedule: "hold" | "skip";
  onUnknownOutcome: "may_duplicate" | "may_delay";
  isTranslationEnabled: boolean;
  searchKeys: string[];
  objectives: WorkflowObjectives;
  categoryId?: string;
  /** Absent: false */
  isCommercial?: boolean;
  /** Absent: transactional */
  messageClass?: "critical" | "transactional" | "promotional";
  /** Absent: normal */
  priority?: "high" | "normal" | "low";
  /** Absent, like the next two, in versions saved before it was stored */
  active?: boolean;
  validatePayload?: boolean;
  payloadSchema?: Record<string, unknown> | null;
  steps: WorkflowVersionStep[];
};

export type WorkflowVersionDiff = {
  from: WorkflowVersionHead;
  to: WorkflowVersionHead;
  /** Settings of the workflow that differ */
  settings: ChangedField[];
  /** In the order of the second version, removed steps last */
  steps: StepChange[];
};

export type WorkflowVersionHead = {
  id: string;
  /** Counted from 1 per workflow */
  number: number;
  /** When it was saved (ISO 8601, UTC) */
  createdAt: string;
  createdBy?: VersionAuthor;
  /** What the save changed; empty for versions saved before summaries existed */
  summary: string;
  /** New events start with this version */
  isCurrent: boolean;
};

export type WorkflowVersionList = {
  data: WorkflowVersionHead[];
  /** Cursor of the next page; null when there is none */
  next: string | null;
  /** Cursor of the previous page; null on the first page */
  previous: string | null;
  /** Items that match the filters, counted up to 50,000 */
  totalCount: number;
  /** true when there are more than 50,000 */
  totalCountCapped: boolean;
};

export type WorkflowVersionStep = {
  _id: string;
  stepId: string;
  name: string;
  type: StepType;
  controlValues: Record<string, unknown>;
  filters?: StepFilter[];
  active: boolean;
  shouldStopOnFail: boolean;
  deadlineSeconds?: number;
  arm?: string;
};

export type WorkflowViewer = {
  memberId: string;
  name: string;
  isEditing: boolean;
  /** The last sign of the tab (ISO 8601, UTC) */
  seenAt: string;
};

export type WorkflowViewerIn = {
  /** Any id that is unique to the tab */
  tabId: string;
  /** There are unsaved changes. Default: false */
  isEditing?: boolean;
  /** The tab is being closed. Default: false */
  isLeaving?: boolean;
};

export type WorkflowViewers = {
  /** Other tabs, one entry for each member; at most 20 */
  data: WorkflowViewer[];
};

export type Workspace = {
  id: string;
  name?: string;
};

/** At most 64 KB of JSON */
export type WorkspaceIn = {
  id: string;
  name?: string;
  [name: string]: unknown;
};

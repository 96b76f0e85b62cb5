// Generated from packages/inbox/src by `npm run generate`. Do not edit.
export declare const laterLabels: {
    snoozeField: string;
    snoozeRange: (from: string, to: string) => string;
    everything: string;
    everythingText: string;
    byType: string;
    otherTypes: string;
    nothing: string;
    required: string;
    schedule: string;
    scheduleText: string;
    scheduleZone: (zone: string) => string;
    scheduleSwitch: string;
    from: string;
    to: string;
    addHours: string;
    removeHours: string;
    browser: string;
    browserSwitch: string;
    browserText: string;
    browserDenied: string;
    browserDismissed: string;
    browserFailed: string;
};

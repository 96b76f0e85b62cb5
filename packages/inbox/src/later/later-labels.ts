// The English words of what is loaded later, which come with it.

export const laterLabels = {
  snoozeField: "Snooze until",
  snoozeRange: (from: string, to: string): string => `Choose a time between ${from} and ${to}.`,
  everything: "All notifications",
  everythingText: "Applies unless set below",
  byType: "By type",
  otherTypes: "Other",
  nothing: "Off",
  required: "Always sent",
  schedule: "Quiet hours",
  scheduleText: "Outside these hours we hold email, SMS, push and chat. Critical notifications arrive at any time.",
  scheduleZone: (zone: string): string => `Times are in ${zone}.`,
  scheduleSwitch: "Only deliver during set hours",
  from: "from",
  to: "to",
  addHours: "Add hours",
  removeHours: "Remove hours",
  browser: "This browser",
  browserSwitch: "Notify me in this browser",
  browserText: "Also while this page is closed.",
  browserDenied:
    "Notifications from this site are blocked in your browser. Allow them in its site settings, then try again.",
  browserDismissed: "Your browser was not given permission. Turn this on again to be asked once more.",
  browserFailed: "This browser could not be subscribed. Please try again.",
};

// What the panel loads when it is first used: preferences, and a date of one's own for a snooze. One file: every further one would
// take code that it shares with the panel out of it, into a file more to load.
export { PreferencesView } from "./preferences-view.tsx";
export { SnoozeDate } from "./snooze-date.tsx";

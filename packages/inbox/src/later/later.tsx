// What the panel loads when it is first used: preferences, and the form for a custom snooze date. One file: with two,
// the bundler would move the code they share with the panel into yet another file to load.
export { PreferencesView } from "./preferences-view.tsx";
export { SnoozeDate } from "./snooze-date.tsx";

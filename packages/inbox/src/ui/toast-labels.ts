// The words of <tidings-toast>, which is loaded without the panel.
export const toastLabels = {
  toasts: "New notifications",
  dismiss: "Dismiss",
};

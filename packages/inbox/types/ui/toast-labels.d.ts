// Generated from packages/inbox/src by `npm run generate`. Do not edit.
export declare const toastLabels: {
    toasts: string;
    dismiss: string;
};

// The gallery: workflows that many applications need, ready to use. The server offers them (`gallery.list`), the
// command line writes them as files (`tidings init --from`), and a test runs the scenario of each.
import commentDigest from "./comment-digest.ts";
import incident from "./incident.ts";
import invitation from "./invitation.ts";
import invoice from "./invoice.ts";
import type { GalleryTemplate } from "./kit.ts";
import mention from "./mention.ts";
import newSignIn from "./new-sign-in.ts";
import oneTimeCode from "./one-time-code.ts";
import orderConfirmed from "./order-confirmed.ts";
import passwordReset from "./password-reset.ts";
import paymentFailed from "./payment-failed.ts";
import shipped from "./shipped.ts";
import trialEnding from "./trial-ending.ts";
import verifyAddress from "./verify-address.ts";
import weeklySummary from "./weekly-summary.ts";
import welcome from "./welcome.ts";

export { brandLayout } from "./brand-layout.ts";
export type { GalleryTemplate } from "./kit.ts";
export { rollUpWorkflow } from "./roll-up.ts";

export const gallery: readonly GalleryTemplate[] = [
  welcome,
  verifyAddress,
  oneTimeCode,
  passwordReset,
  newSignIn,
  invitation,
  commentDigest,
  mention,
  orderConfirmed,
  shipped,
  invoice,
  paymentFailed,
  trialEnding,
  weeklySummary,
  incident,
];

// Generated from the files in this folder by `npm run generate`. Do not edit.

import nodemailer from "./email/nodemailer.ts";
import svcEmail from "./email/svc-email.ts";
import type { Provider } from "./provider.ts";

export const adapters: readonly Provider[] = [
  nodemailer,
  svcEmail,
];

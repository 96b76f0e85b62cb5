// Libraries that only some providers need, loaded by the first message that needs them, because they make every
// start slower and larger (docs/decisions/0012-idle.md). `require`, because it returns at once: `request` is not async.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export const loadJose = (): typeof import("jose") => require("jose");
export const loadNodemailer = (): typeof import("nodemailer") => require("nodemailer");
export const loadWebPush = (): typeof import("web-push") => require("web-push");

// Generated from the step files in this folder by `npm run generate`. Do not edit.
import type { StepType } from "@tidings/contract";
import inApp from "./in-app.ts";
import email from "./email.ts";
import sms from "./sms.ts";
import chat from "./chat.ts";
import push from "./push.ts";
import digest from "./digest.ts";
import delay from "./delay.ts";
import throttle from "./throttle.ts";
import custom from "./custom.ts";
import branch from "./branch.ts";
import experiment from "./experiment.ts";
import wait from "./wait.ts";
import httpRequest from "./http-request.ts";
import startWorkflow from "./start-workflow.ts";
import updateSubscriber from "./update-subscriber.ts";
import type { StepHandler } from "./handler.ts";

export const stepHandlers: Readonly<Record<StepType, StepHandler>> = {
  in_app: inApp,
  email,
  sms,
  chat,
  push,
  digest,
  delay,
  throttle,
  custom,
  branch,
  experiment,
  wait,
  http_request: httpRequest,
  start_workflow: startWorkflow,
  update_subscriber: updateSubscriber,
};

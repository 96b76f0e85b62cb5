// Generated from the folders beside this file by `npm run generate`. Do not edit.

import braze from "./email/braze.ts";
import emailWebhook from "./email/email-webhook.ts";
import emailjs from "./email/emailjs.ts";
import infobipEmail from "./email/infobip-email.ts";
import mailersend from "./email/mailersend.ts";
import mailgun from "./email/mailgun.ts";
import mailjet from "./email/mailjet.ts";
import mailtrap from "./email/mailtrap.ts";
import mandrill from "./email/mandrill.ts";
import netcore from "./email/netcore.ts";
import nodemailer from "./email/nodemailer.ts";
import outlook365 from "./email/outlook365.ts";
import plunk from "./email/plunk.ts";
import postmark from "./email/postmark.ts";
import resend from "./email/resend.ts";
import sendgrid from "./email/sendgrid.ts";
import sendinblue from "./email/sendinblue.ts";
import ses from "./email/ses.ts";
import sparkpost from "./email/sparkpost.ts";
import svcEmail from "./email/svc-email.ts";
import africasTalking from "./sms/africas-talking.ts";
import afroMessage from "./sms/afro-message.ts";
import azureSms from "./sms/azure-sms.ts";
import bandwidth from "./sms/bandwidth.ts";
import brevoSms from "./sms/brevo-sms.ts";
import bulkSms from "./sms/bulk-sms.ts";
import burstSms from "./sms/burst-sms.ts";
import clickatell from "./sms/clickatell.ts";
import clicksend from "./sms/clicksend.ts";
import eazySms from "./sms/eazy-sms.ts";
import firetext from "./sms/firetext.ts";
import fortySixElks from "./sms/forty-six-elks.ts";
import genericSms from "./sms/generic-sms.ts";
import gupshup from "./sms/gupshup.ts";
import imedia from "./sms/imedia.ts";
import infobipSms from "./sms/infobip-sms.ts";
import isendSms from "./sms/isend-sms.ts";
import isendproSms from "./sms/isendpro-sms.ts";
import kannel from "./sms/kannel.ts";
import maqsam from "./sms/maqsam.ts";
import messagebird from "./sms/messagebird.ts";
import mobishastra from "./sms/mobishastra.ts";
import nexmo from "./sms/nexmo.ts";
import plivo from "./sms/plivo.ts";
import ringCentral from "./sms/ring-central.ts";
import sendchamp from "./sms/sendchamp.ts";
import simpletexting from "./sms/simpletexting.ts";
import sinch from "./sms/sinch.ts";
import smsCentral from "./sms/sms-central.ts";
import sms77 from "./sms/sms77.ts";
import smsmode from "./sms/smsmode.ts";
import sns from "./sms/sns.ts";
import svcSms from "./sms/svc-sms.ts";
import telnyx from "./sms/telnyx.ts";
import termii from "./sms/termii.ts";
import twilio from "./sms/twilio.ts";
import unifonic from "./sms/unifonic.ts";
import apns from "./push/apns.ts";
import appio from "./push/appio.ts";
import expo from "./push/expo.ts";
import fcm from "./push/fcm.ts";
import oneSignal from "./push/one-signal.ts";
import pushWebhook from "./push/push-webhook.ts";
import pusherBeams from "./push/pusher-beams.ts";
import pushpad from "./push/pushpad.ts";
import webPush from "./push/web-push.ts";
import chatWebhook from "./chat/chat-webhook.ts";
import discord from "./chat/discord.ts";
import getstream from "./chat/getstream.ts";
import grafanaOnCall from "./chat/grafana-on-call.ts";
import mattermost from "./chat/mattermost.ts";
import msteams from "./chat/msteams.ts";
import rocketChat from "./chat/rocket-chat.ts";
import ryver from "./chat/ryver.ts";
import slack from "./chat/slack.ts";
import svcSlack from "./chat/svc-slack.ts";
import telegram from "./chat/telegram.ts";
import whatsappBusiness from "./chat/whatsapp-business.ts";
import zulip from "./chat/zulip.ts";
import type { Provider } from "./kit/provider.ts";

export const adapters: readonly Provider[] = [
  braze,
  emailWebhook,
  emailjs,
  infobipEmail,
  mailersend,
  mailgun,
  mailjet,
  mailtrap,
  mandrill,
  netcore,
  nodemailer,
  outlook365,
  plunk,
  postmark,
  resend,
  sendgrid,
  sendinblue,
  ses,
  sparkpost,
  svcEmail,
  africasTalking,
  afroMessage,
  azureSms,
  bandwidth,
  brevoSms,
  bulkSms,
  burstSms,
  clickatell,
  clicksend,
  eazySms,
  firetext,
  fortySixElks,
  genericSms,
  gupshup,
  imedia,
  infobipSms,
  isendSms,
  isendproSms,
  kannel,
  maqsam,
  messagebird,
  mobishastra,
  nexmo,
  plivo,
  ringCentral,
  sendchamp,
  simpletexting,
  sinch,
  smsCentral,
  sms77,
  smsmode,
  sns,
  svcSms,
  telnyx,
  termii,
  twilio,
  unifonic,
  apns,
  appio,
  expo,
  fcm,
  oneSignal,
  pushWebhook,
  pusherBeams,
  pushpad,
  webPush,
  chatWebhook,
  discord,
  getstream,
  grafanaOnCall,
  mattermost,
  msteams,
  rocketChat,
  ryver,
  slack,
  svcSlack,
  telegram,
  whatsappBusiness,
  zulip,
];

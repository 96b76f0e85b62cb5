import { defineStep, summarizeContent, text } from "./kit.ts";

export default defineStep({ icon: "hash", fields: [text], summary: summarizeContent });

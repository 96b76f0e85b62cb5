import { providerCase } from "../../case.ts";

export default providerCase({ id: "emailjs", transport: "smtp", testedIn: "test/email/smtp-overrides.test.ts" });

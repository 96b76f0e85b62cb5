import { providerCase } from "../../case.ts";

export default providerCase({ id: "emailjs", transport: "smtp", testedIn: "test/smtp-overrides.test.ts" });

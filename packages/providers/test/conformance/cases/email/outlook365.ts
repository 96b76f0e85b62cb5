import { providerCase } from "../../case.ts";

export default providerCase({ id: "outlook365", transport: "smtp", testedIn: "test/email/outlook365.test.ts" });

import { providerCase } from "../../case.ts";

export default providerCase({ id: "nodemailer", transport: "smtp", testedIn: "test/io/smtp.test.ts" });

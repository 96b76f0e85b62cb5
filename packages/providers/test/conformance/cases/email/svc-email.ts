import { email } from "../../../support.ts";
import { providerCase } from "../../case.ts";

export default providerCase({ id: "svc-email", transport: "capture", message: email() });

// `tidings explain <transaction> <subscriber>`: why a person got a message, or did not.
import { refuseMoreArguments, requireArgument } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { plainText } from "../../output.ts";
import { printSteps } from "../../steps-text.ts";

const help = "tidings explain --help";

export const explain: Command = {
  usage: "<transaction> <subscriber>",
  example: "tidings explain txn_018f9a3c51d27f8e9b1c2d3e4f5a6b7c ada",
  run: async (call) => {
    refuseMoreArguments(call, 2, help);
    const transactionId = requireArgument(call, 0, "The transaction id", help);
    const subscriberId = requireArgument(call, 1, "The subscriber", help);
    const { out } = call;
    const { tidings } = await call.session();
    const explanation = await tidings.explain.retrieve({ query: { transactionId, subscriberId } });
    const { event, verdict, via, steps, digestedInto, evaluatedNow } = explanation;
    out.line(out.style("bold", plainText(verdict)));
    out.line(`${plainText(event.workflowName)} (${plainText(event.workflowId)}), ${event.time}`);
    out.line(`${plainText(via.text)}${evaluatedNow ? " (as of now)" : ""}`);
    printSteps(out, steps);
    if (digestedInto) out.line(`Digest of ${digestedInto.transactionId}: ${plainText(digestedInto.verdict)}`);
    out.json(explanation);
  },
};

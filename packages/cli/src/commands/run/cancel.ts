// `tidings cancel <transaction>`: cancels what still waits of an event.
import { refuseMoreArguments, requireArgument } from "../../arguments.ts";
import type { Command } from "../../command.ts";

const help = "tidings cancel --help";

export const cancel: Command = {
  usage: "<transaction>",
  about: "Messages that were already sent are not affected. If nothing is waiting, nothing changes.",
  example: "tidings cancel txn_018f9a3c51d27f8e9b1c2d3e4f5a6b7c",
  run: async (call) => {
    refuseMoreArguments(call, 1, help);
    const transactionId = requireArgument(call, 0, "The transaction id", help);
    const { tidings } = await call.session();
    await call.confirm(`Cancel ${transactionId}`);
    const isCanceled = await tidings.events.cancel({ params: { transactionId } });
    call.out.line(isCanceled ? `${call.out.style("green", "canceled")} ${transactionId}` : "Nothing was waiting.");
    call.out.json({ transactionId, canceled: isCanceled });
  },
};

// `tidings signal <name>`: says that something happened to subscribers, for the runs that wait for it.
import { readJsonObject, refuseMoreArguments, requireArgument, textOption } from "../../arguments.ts";
import type { Command } from "../../command.ts";
import { CliError, wrongUsage } from "../../failure.ts";
import { countOf, plainText } from "../../output.ts";

const help = "tidings signal --help";

export const signal: Command = {
  usage: "<name> --to <subscriber>… [--key <text>] [--data <json>|@<file>]",
  about:
    "Every run of these subscribers that waits for a signal of this name continues. A wait that names a key takes only signals\n" +
    "with the same key. A signal that no run waits for is stored for waits that look back.",
  example: 'tidings signal incident.acknowledged --to ada --key i-7 --data \'{"by": "Ada"}\'',
  options: {
    to: { type: "string", multiple: true, value: "subscriber", about: "Subscriber id; may be repeated" },
    key: { type: "string", value: "text", about: "Which of several, such as the id of an order" },
    data: { type: "string", value: "json|@file", about: "JSON object for later steps; @- reads the input" },
  },
  run: async (call) => {
    const { out, values } = call;
    refuseMoreArguments(call, 1, help);
    const name = requireArgument(call, 0, "The name of the signal", help);
    const to = (values.to as string[] | undefined) ?? [];
    if (to.length === 0) throw wrongUsage("--to <subscriber> is missing.", help);
    const body = { name, to, key: textOption(values, "key"), data: await readJsonObject(call, "data") };
    const { tidings } = await call.session();
    await call.confirm(`Send the signal ${name}`);
    const result = await tidings.signals.send({ body });
    const { reached, unknownSubscribers: unknown = [] } = result;
    const known = new Set(to).size - unknown.length;
    out.json(result);
    if (known === 0)
      throw new CliError(
        `No one was reached: ${plainText(unknown.join(", "))} ${unknown.length === 1 ? "is" : "are"} unknown.`,
        {
          fix: "A signal does not create subscribers. Name people who exist.",
        },
      );
    if (unknown.length > 0) out.line(`${out.style("yellow", "unknown")} ${plainText(unknown.join(", "))}`);
    const whose = body.key === undefined ? "" : ` with the key ${plainText(body.key)}`;
    out.line(
      reached > 0
        ? `${out.style("green", "reached")} ${countOf(reached, "run")}`
        : `Nothing continues: no run of ${known === 1 ? "this subscriber" : "these subscribers"} waits for ${plainText(name)}${whose}.`,
    );
  },
};

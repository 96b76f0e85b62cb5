// `tidings whoami`: the service and the environment that commands talk to.
import { refuseMoreArguments } from "../../arguments.ts";
import type { Command } from "../../command.ts";

export const whoami: Command = {
  usage: "",
  example: "tidings whoami --json",
  run: async (call) => {
    refuseMoreArguments(call, 0, "tidings whoami --help");
    const { out, session } = call;
    const { url, environment, isProduction, tidings } = await session();
    const { versions } = await tidings.system.retrieve();
    out.line(`${environment.name} (${environment.identifier})${isProduction ? ", production" : ""}`);
    out.line(`${url}, version ${versions.service}`);
    out.json({
      url,
      version: versions.service,
      environment: {
        id: environment._id,
        identifier: environment.identifier,
        name: environment.name,
        type: environment.type,
      },
    });
  },
};

// `tidings doctor`: what is wrong, and what to do about it.
import { refuseMoreArguments, textOption } from "../../arguments.ts";
import type { Call, Command } from "../../command.ts";
import { type Finding, fault, ok, warning } from "../../doctor/finding.ts";
import { checkMailSenders, createAsk } from "../../doctor/mail-dns.ts";
import { checkClock, checkSystem, checkTls } from "../../doctor/service.ts";
import { checkWorkflows } from "../../doctor/workflows.ts";
import { type ExitCode, exitCodes, wrongUsage } from "../../failure.ts";
import { countOf, plainText } from "../../output.ts";
import { checkProvider } from "../../provider-check.ts";

export const doctor: Command = {
  usage: "[--offline]",
  about:
    "Checks queues, circuit breakers, dead letters, webhooks and workflows, compares the clocks, reads the certificate of the service,\n" +
    "asks the providers whether they accept the stored credentials, and the DNS for SPF, DKIM and DMARC of the senders of emails.\n" +
    "What cannot be checked is listed as such. Exits with 1 on errors, with 0 on warnings.",
  example: "tidings doctor --json",
  options: {
    offline: { type: "boolean", about: "Query neither providers nor DNS" },
    dns: { type: "string", value: "server", about: "Query this DNS server: 1.1.1.1, or 127.0.0.1:5353" },
  },
  run: async (call) => {
    refuseMoreArguments(call, 0, "tidings doctor --help");
    const findings = await examine(call);
    for (const finding of findings) print(call, finding);
    const faults = findings.filter(({ level }) => level === "fault").length;
    const warnings = findings.filter(({ level }) => level === "warning").length;
    call.out.line(`${countOf(faults, "error")}, ${countOf(warnings, "warning")}.`);
    call.out.json({ faults, warnings, findings });
    return (faults > 0 ? exitCodes.failed : exitCodes.done) as ExitCode;
  },
};

const tones = { ok: "green", warning: "yellow", fault: "red", unknown: "dim" } as const;
const words = { ok: "ok", warning: "warning", fault: "error", unknown: "not checked" } as const;

function print({ out }: Call, { subject, level, text, fix }: Finding): void {
  const told = level === "unknown" ? text.replace(/^not checked: /, "") : text;
  out.line(`${out.style(tones[level], words[level].padEnd(11))} ${plainText(subject)}: ${plainText(told)}`);
  if (fix) out.line(`${" ".repeat(12)}${out.style("dim", `→ ${plainText(fix)}`)}`);
}

async function examine(call: Call): Promise<Finding[]> {
  const { io, values } = call;
  const dns = readDnsServer(textOption(values, "dns"));
  const session = await call.session();
  const { tidings, url } = session;
  const [system, integrations, workflows, clock, tls] = await Promise.all([
    tidings.system.retrieve(),
    tidings.integrations.list(),
    checkWorkflows(tidings),
    checkClock(url, Date.now, io.signal),
    checkTls(url, Date.now),
  ]);
  const findings = [...checkSystem(system), ...workflows, clock, tls];
  const active = integrations.filter(({ active: isActive, channel }) => isActive && channel !== "in_app");
  if (active.length === 0)
    findings.push(
      warning("integrations", "none is active: nothing but in-app messages is sent", "tidings open integrations"),
    );
  if (values.offline) return findings;
  for (const integration of active) {
    const { identifier, ok: isOk, text } = await checkProvider(session, integration);
    const subject = `integration ${identifier}`;
    findings.push(
      isOk ? ok(subject, text) : fault(subject, text, "Correct its credentials: tidings open integrations"),
    );
  }
  findings.push(...(await checkMailSenders(integrations, createAsk(dns))));
  return findings;
}

function readDnsServer(given: string | undefined): string | undefined {
  if (given !== undefined && !/^[\d.]+(:\d+)?$|^\[?[\da-f:]+\]?(:\d+)?$/i.test(given))
    throw wrongUsage(`--dns: "${given}" is not a server address such as 1.1.1.1.`);
  return given;
}

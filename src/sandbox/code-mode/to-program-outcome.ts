import { tailOf } from "../../base/text/cut-text.ts";
import { failed, type Outcome, succeeded } from "../../types/outcome.ts";
import type { ProgramEnding, ProgramResult, SandboxLogLine } from "../sandbox.ts";

/** Errors include the last characters. */
const maxPrintedLength = 2_000;

export const toProgramOutcome = (
  tool: string,
  { ending, logs, logsCut }: ProgramResult,
  calls: number,
): Outcome => {
  if (ending.kind === "value") {
    const printed = logs.map(toLine);
    return succeeded({ value: ending.value, logs: logsCut ? [...printed, "…[cut]"] : printed, calls });
  }
  const printed = tailOf(logs.map(toLine).join("\n"), maxPrintedLength);
  const message = `${endingMessage(ending)}${printed === "" ? "" : `\nIt had printed:\n${printed}`}`;
  return failed({ code: codeOf(ending), tool, ran: true, message });
};

const toLine = ({ level, text }: SandboxLogLine): string => (level === "log" ? text : `${level}: ${text}`);

type BadEnding = Exclude<ProgramEnding, { readonly kind: "value" }>;

const codeOf = (ending: BadEnding) => {
  if (ending.kind === "error") return "failed" as const;
  return ending.kind === "stopped" && ending.limit === "time"
    ? ("timed_out" as const)
    : ("sandbox_failed" as const);
};

const endingMessage = (ending: BadEnding): string => {
  if (ending.kind !== "error") return ending.message;
  const { name, message, line, column } = ending;
  const place =
    line === undefined ? "" : ` (line ${line}${column === undefined ? "" : `, column ${column}`})`;
  return `The program threw ${name}: ${message}${place}`;
};

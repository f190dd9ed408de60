import type { ApprovalRequest } from "../types/approval.ts";
import { operatorText } from "../types/failure.ts";
import type { Reply } from "../types/outcome.ts";
import type { Terminal } from "./command.ts";
import { repeatLedgerFlags, repeatRuntimeFlags } from "./repeat-flags.ts";
import { painter, plainLines, plainText } from "./screen.ts";

export const printReply = ({ ok, text, failure }: Reply, terminal: Terminal): void => {
  if (ok) {
    terminal.out(`${text}\n`);
    return;
  }
  const why = failure === undefined ? text.replace(/^Error: /, "") : operatorText(failure);
  terminal.error(`${painter(terminal).red("haft:")} ${plainLines(why)}\n`);
};

export const printPendingCall = (
  { id, runId, tool, reason }: ApprovalRequest,
  given: object,
  terminal: Terminal,
): void => {
  const { yellow, dim } = painter(terminal);
  const options = { ...given };
  terminal.error(`${yellow(`? ${plainText(tool)} is pending approval ${id}`)} (${plainText(reason)})\n`);
  const next =
    runId === undefined ? "" : `\nThen resume:  haft resume ${runId}${repeatRuntimeFlags(options)}`;
  terminal.error(`${dim(`Answer with: haft approve ${id}${repeatLedgerFlags(options)}${next}`)}\n`);
};

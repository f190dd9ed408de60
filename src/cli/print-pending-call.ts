import type { ApprovalRequest } from "../types/approval.ts";
import type { Terminal } from "./command.ts";
import { repeatLedgerFlags, repeatRuntimeFlags } from "./repeat-flags.ts";
import { painter, plainText } from "./screen.ts";

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

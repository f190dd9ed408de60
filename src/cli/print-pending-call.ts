import type { ApprovalRequest } from "../words/approval.ts";
import type { Terminal } from "./command.ts";
import { sameLedger, sameRuntime } from "./next-step.ts";
import { painter, plain } from "./screen.ts";

/** Says which question a call waits for, and how to answer it and go on. */
export const tellWaitingCall = (
  { id, runId, tool, reason }: ApprovalRequest,
  given: object,
  terminal: Terminal,
): void => {
  const { yellow, dim } = painter(terminal);
  const options = { ...given };
  terminal.error(`${yellow(`? ${plain(tool)} waits for approval ${id}`)} (${plain(reason)})\n`);
  const next = runId === undefined ? "" : `\nThen go on:  haft resume ${runId}${sameRuntime(options)}`;
  terminal.error(`${dim(`Answer with: haft approve ${id}${sameLedger(options)}${next}`)}\n`);
};

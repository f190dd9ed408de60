import type { AskPerson } from "../runtime/options.ts";
import type { ApprovalDecision, ApprovalRequest } from "../words/approval.ts";
import type { Terminal } from "./command.ts";
import { painter, plain } from "./screen.ts";

/**
 * Nobody at the terminal means nobody to ask: what needs a person waits where the ledger keeps the question, and is
 * refused where it does not.
 */
export const askAt = (terminal: Terminal, canWait: boolean): AskPerson | undefined => {
  if (!terminal.isInteractive) return undefined;
  const { yellow } = painter(terminal);
  return async ({ tool, input, reason }: ApprovalRequest): Promise<ApprovalDecision | undefined> => {
    const shown = plain(JSON.stringify(input));
    const choices = canWait ? "[y/N] or l for later: " : "[y/N] ";
    const answer = await terminal.ask(
      `\n${yellow("?")} ${plain(tool)} ${shown}\n  ${plain(reason)}. Allow it? ${choices}`,
    );
    const word = answer?.trim() ?? "";
    // Who leaves with Ctrl-D has said neither yes nor no.
    if (canWait && (answer === undefined || /^l(ater)?$/i.test(word))) return undefined;
    return /^y(es)?$/i.test(word) ? { kind: "allow" } : { kind: "deny", reason: "refused at the terminal" };
  };
};

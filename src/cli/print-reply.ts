import { operatorText } from "../types/failure.ts";
import type { Reply } from "../types/reply.ts";
import type { Terminal } from "./command.ts";
import { painter, plainLines } from "./screen.ts";

/** The result on standard output, or why there is none, as operators read it, on standard error. */
export const printReply = ({ ok, text, failure }: Reply, terminal: Terminal): void => {
  if (ok) {
    terminal.out(`${text}\n`);
    return;
  }
  const why = failure === undefined ? text.replace(/^Error: /, "") : operatorText(failure);
  terminal.error(`${painter(terminal).red("haft:")} ${plainLines(why)}\n`);
};

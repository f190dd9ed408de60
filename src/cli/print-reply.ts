import { operatorText } from "../types/failure.ts";
import type { Reply } from "../types/reply.ts";
import type { Terminal } from "./command.ts";
import { painter, plainLines } from "./screen.ts";

export const printReply = ({ ok, text, failure }: Reply, terminal: Terminal): void => {
  if (ok) {
    terminal.out(`${text}\n`);
    return;
  }
  const why = failure === undefined ? text.replace(/^Error: /, "") : operatorText(failure);
  terminal.error(`${painter(terminal).red("haft:")} ${plainLines(why)}\n`);
};

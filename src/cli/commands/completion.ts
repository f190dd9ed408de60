import { type CommandEntry, command, exitCodes, loadCommand } from "../command.ts";
import { CommandUsageError } from "../command-usage-error.ts";
import { completionScript, type Shell, shells } from "../completion.ts";

/** A parameter, because the command table imports this file. */
export const completion = (commands: () => readonly CommandEntry[]) =>
  command({
    operands: "bash|zsh|fish",
    options: {},
    examples: [
      { line: "haft completion bash >> ~/.bashrc", about: "for good" },
      { line: "source <(haft completion bash)", about: "for this shell" },
    ],
    onlyTells: true,
    run: async ({ operands: [shell], terminal }) => {
      if (!shells.includes(shell as Shell))
        throw new CommandUsageError(`haft completion requires one of: ${shells.join(", ")}.`);
      terminal.out(completionScript(shell as Shell, await Promise.all(commands().map(loadCommand))));
      return exitCodes.done;
    },
  });

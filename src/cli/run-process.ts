import { commands } from "./commands.ts";
import { runCommandLine } from "./run-command-line.ts";
import { processTerminal } from "./terminal.ts";

/** The command line of this process, from its words to its exit code. */
export const runProcess = async (): Promise<void> => {
  const terminal = processTerminal();
  process.exitCode = await runCommandLine(process.argv.slice(2), commands, terminal);
  terminal.close();
};

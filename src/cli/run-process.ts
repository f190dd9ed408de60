import { commands } from "./commands.ts";
import { processTerminal } from "./process-terminal.ts";
import { runCommandLine } from "./run-command-line.ts";

/** Prints Haft's warnings as messages of the command; Node would add its process id and a hint for developers. */
const printWarnings = (print: (text: string) => void): void => {
  const [printAsNode] = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name === "HaftWarning") print(`haft: warning: ${warning.message}\n`);
    else printAsNode?.(warning);
  });
};

/** The command line of this process, from its words to its exit code. */
export const runProcess = async (): Promise<void> => {
  const terminal = processTerminal();
  printWarnings(terminal.error);
  process.exitCode = await runCommandLine(process.argv.slice(2), commands, terminal);
  terminal.close();
};

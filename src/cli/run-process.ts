import { commands } from "./commands.ts";
import { processTerminal } from "./process-terminal.ts";
import { runCommandLine } from "./run-command-line.ts";

const printWarnings = (print: (text: string) => void): void => {
  const [printAsNode] = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name === "HaftWarning") print(`haft: warning: ${warning.message}\n`);
    else printAsNode?.(warning);
  });
};

export const runProcess = async (): Promise<void> => {
  const terminal = processTerminal();
  printWarnings(terminal.error);
  process.exitCode = await runCommandLine(process.argv.slice(2), commands, terminal);
  terminal.close();
};

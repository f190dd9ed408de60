import type { ExperimentProgress } from "../agent/experiments/options.ts";
import type { Terminal } from "./command.ts";
import { painter } from "./screen.ts";

const barWidth = 30;

export const progressBar = (terminal: Terminal, isSilent: boolean) => {
  const isShown = terminal.isInteractive && !isSilent;
  const { green, dim } = painter(terminal);
  const show = ({ done, total, etaMs }: ExperimentProgress): void => {
    if (!isShown) return;
    const filled = Math.round((barWidth * done) / Math.max(1, total));
    const left = etaMs === undefined ? "" : `, ${Math.ceil(etaMs / 1_000)} s left`;
    terminal.error(
      `\r${green("█".repeat(filled))}${dim("░".repeat(barWidth - filled))} ${done} of ${total}${left}   `,
    );
  };
  const end = (): void => {
    if (isShown) terminal.error("\r\u001b[2K");
  };
  return { show, end };
};

import { setTimeout as sleep } from "node:timers/promises";
import type { Terminal } from "./command.ts";
import { sanitizeForTerminal } from "./screen.ts";
import { createLineReader } from "./terminal-lines.ts";

const stillEndingDelayMs = 1_000;

const stillEndingText = "Still shutting down. Press Ctrl-C again to exit immediately.\n";

/** The first Ctrl-C aborts `signal`, the second ends the process. */
export const processTerminal = (): Terminal & { readonly close: () => void } => {
  const { stdin, stdout, stderr, env } = process;
  const outputs = standardOutputs(process);
  const stop = new AbortController();
  let isOver = false;
  const interrupt = (): void => {
    if (stop.signal.aborted || isOver) process.exit(130);
    stop.abort();
    // A tool that ignores the signal can keep the process alive.
    setTimeout(() => outputs.error(stillEndingText), stillEndingDelayMs).unref();
  };
  onStopRequest(process, interrupt);
  const isInteractive = stdin.isTTY === true && stdout.isTTY === true;
  const isOperator = stdin.isTTY === true && stderr.isTTY === true;
  // Prompts must not go to a piped standard output.
  const lines = createLineReader({ input: stdin, output: isInteractive ? stdout : stderr, interrupt });
  return {
    out: (text) => outputs.out(sanitizeForTerminal(text)),
    error: (text) => outputs.error(sanitizeForTerminal(text)),
    env,
    isInteractive,
    isOperator,
    hasColor: wantsColor(env, stdout.isTTY === true),
    width: terminalWidth(env, stdout.columns),
    signal: stop.signal,
    unread: outputs.unread,
    input: async () => {
      if (stdin.isTTY === true) return "";
      let text = "";
      for await (const chunk of stdin.setEncoding("utf8")) text += chunk;
      return text;
    },
    ask: async (question, { ahead = false } = {}) => {
      if (!isInteractive && !isOperator) return undefined;
      const answer = await lines.ask({ question: sanitizeForTerminal(question), ahead, signal: stop.signal });
      if (answer === undefined) outputs.error("\n");
      return answer;
    },
    now: () => Date.now(),
    wait: (milliseconds) => sleep(milliseconds, undefined, { signal: stop.signal }).catch(() => undefined),
    close: () => {
      isOver = true;
      lines.close();
    },
  };
};

export const onStopRequest = (
  from: Pick<NodeJS.Process, "on" | "platform"> & Partial<Pick<NodeJS.Process, "send" | "channel">>,
  stop: () => void,
): void => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) from.on(signal, stop);
  // Ctrl-Break, and closing the console. On other systems SIGHUP keeps its default action.
  if (from.platform === "win32") for (const signal of ["SIGBREAK", "SIGHUP"] as const) from.on(signal, stop);
  // Supervisors cannot send signals on Windows. The channel does not keep the process alive.
  if (from.send === undefined) return;
  from.on("message", (message: unknown) => {
    if (message === "shutdown") stop();
  });
  from.channel?.unref();
};

/** Piped output has no width limit unless COLUMNS sets one. */
export const terminalWidth = (
  { COLUMNS }: Readonly<Record<string, string | undefined>>,
  columns: number | undefined,
): number => {
  if (COLUMNS !== undefined && /^[1-9]\d*$/.test(COLUMNS)) return Number(COLUMNS);
  return columns || Number.POSITIVE_INFINITY;
};

const wantsColor = (env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean => {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "0") return true;
  return isTerminal && env.TERM !== "dumb";
};

/** A closed output does not end the command. */
interface StandardOutputs {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  readonly unread: AbortSignal;
}

const closedOutputCodes: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO", "ERR_STREAM_DESTROYED"]);

const standardOutputs = ({ stdout, stderr }: Pick<NodeJS.Process, "stdout" | "stderr">): StandardOutputs => {
  const [unread, unheard] = [new AbortController(), new AbortController()];
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (unread.signal.aborted) return;
    unread.abort();
    if (closedOutputCodes.has(error.code)) return;
    stderr.write(`haft: standard output cannot be written: ${error.message}\n`);
    process.once("exit", () => {
      process.exitCode ||= 1;
    });
  });
  stderr.on("error", () => unheard.abort());
  return {
    out: (text) => {
      if (!unread.signal.aborted) stdout.write(text);
    },
    error: (text) => {
      if (!unheard.signal.aborted) stderr.write(text);
    },
    unread: unread.signal,
  };
};

import type { Interface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Terminal } from "./command.ts";
import { commands } from "./commands.ts";
import { runCommandLine } from "./run-command-line.ts";
import { sanitizeForTerminal } from "./screen.ts";

const printWarnings = (print: (text: string) => void): void => {
  const [printAsNode] = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name === "HaftWarning") print(`haft: warning: ${warning.message}\n`);
    else printAsNode?.(warning);
  });
};

const stillEndingDelayMs = 1_000;

const stillEndingText = "Still shutting down. Press Ctrl-C again to exit immediately.\n";

/** The first Ctrl-C aborts `signal`, the second ends the process. */
const processTerminal = (): Terminal & { readonly close: () => void } => {
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

interface LinePrompt {
  readonly question: string;
  /** Whether lines that were typed or pasted earlier may answer. */
  readonly ahead: boolean;
  readonly signal: AbortSignal;
}

interface TerminalLines {
  readonly ask: (asked: LinePrompt) => Promise<string | undefined>;
  readonly close: () => void;
}

interface TerminalStreams {
  readonly input: NodeJS.ReadableStream & { readonly setRawMode?: (isRaw: boolean) => unknown };
  readonly output: NodeJS.WritableStream;
  readonly interrupt: () => void;
}

/** Pending input arrives within the next turns of the event loop. */
const drainTypeahead = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn++) await new Promise((done) => setImmediate(done));
};

/** A paste may contain several lines. They are kept for prompts that accept earlier input. */
export const createLineReader = ({ input, output, interrupt }: TerminalStreams): TerminalLines => {
  const typeahead: string[] = [];
  let lines: Interface | undefined;
  let isOver = false;
  let answer: ((line: string | undefined) => void) | undefined;

  const open = async (): Promise<Interface> => {
    const { createInterface } = await import("node:readline");
    const opened = createInterface({ input, output, terminal: true });
    opened.on("SIGINT", interrupt);
    opened.on("line", (line) => {
      const take = answer;
      answer = undefined;
      if (take === undefined) typeahead.push(line);
      else take(line);
    });
    opened.on("close", () => {
      isOver = true;
      answer?.(undefined);
    });
    return opened;
  };

  /** Lets Ctrl-C reach the process between prompts. */
  const pauseInput = (): void => {
    lines?.pause();
    input.setRawMode?.(false);
  };

  return {
    ask: async ({ question, ahead, signal }) => {
      const before = ahead ? typeahead.shift() : undefined;
      if (before !== undefined) {
        output.write(`${question}${before}\n`);
        return before;
      }
      if (isOver || signal.aborted) return undefined;
      lines ??= await open();
      const asking = lines;
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const cancelPrompt = (): void => resolve(undefined);
      signal.addEventListener("abort", cancelPrompt, { once: true });
      try {
        input.setRawMode?.(true);
        asking.resume();
        if (!ahead) await drainTypeahead();
        if (isOver || signal.aborted) return undefined;
        answer = resolve;
        asking.setPrompt(question);
        asking.prompt(true);
        return await promise;
      } finally {
        answer = undefined;
        signal.removeEventListener("abort", cancelPrompt);
        if (!isOver) pauseInput();
      }
    },
    close: () => {
      if (!isOver) lines?.close();
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

export const runProcess = async (): Promise<void> => {
  const terminal = processTerminal();
  printWarnings(terminal.error);
  process.exitCode = await runCommandLine(process.argv.slice(2), commands, terminal);
  terminal.close();
};

import { setTimeout as sleep } from "node:timers/promises";
import type { Terminal } from "./command.ts";
import { sanitizeForTerminal } from "./screen.ts";
import { createTerminalLines } from "./terminal-lines.ts";

/** How long after Ctrl-C somebody begins to wonder, in milliseconds. */
const stillEndingDelayMs = 1_000;

const stillEndingText = "Still ending. Ctrl-C once more ends it at once.\n";

/** The terminal of this process. The first Ctrl-C asks whatever runs to end; the second ends the process. */
export const processTerminal = (): Terminal & { readonly close: () => void } => {
  const { stdin, stdout, stderr, env } = process;
  const outputs = standardOutputs(process);
  const stop = new AbortController();
  let isOver = false;
  const interrupt = (): void => {
    if (stop.signal.aborted || isOver) process.exit(130);
    stop.abort();
    // Also when the command is over: a tool that does not hear of it can keep the process.
    setTimeout(() => outputs.error(stillEndingText), stillEndingDelayMs).unref();
  };
  onStopRequest(process, interrupt);
  const isInteractive = stdin.isTTY === true && stdout.isTTY === true;
  const isOperator = stdin.isTTY === true && stderr.isTTY === true;
  // Questions must not end up in a pipe.
  const lines = createTerminalLines({ input: stdin, output: isInteractive ? stdout : stderr, interrupt });
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
      // Ctrl-D leaves the line as it stands.
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

/** What a process is told in when it shall stop: by a person, by whoever supervises it, by Windows and its services. */
export const onStopRequest = (
  from: Pick<NodeJS.Process, "on" | "platform"> & Partial<Pick<NodeJS.Process, "send" | "channel">>,
  stop: () => void,
): void => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) from.on(signal, stop);
  // Ctrl-Break, and the console that closes. Elsewhere SIGHUP ends the process as it always did.
  if (from.platform === "win32") for (const signal of ["SIGBREAK", "SIGHUP"] as const) from.on(signal, stop);
  // Supervisors that cannot signal on Windows send this word. Hearing it alone keeps no process running.
  if (from.send === undefined) return;
  from.on("message", (message: unknown) => {
    if (message === "shutdown") stop();
  });
  from.channel?.unref();
};

/** A pipe has no edge: whoever reads it wants all of a line. COLUMNS is for those who want it otherwise. */
export const terminalWidth = (
  { COLUMNS }: Readonly<Record<string, string | undefined>>,
  columns: number | undefined,
): number => {
  if (COLUMNS !== undefined && /^[1-9]\d*$/.test(COLUMNS)) return Number(COLUMNS);
  return columns || Number.POSITIVE_INFINITY;
};

/** NO_COLOR wins over everything, as it asks; FORCE_COLOR wins over a pipe. */
const wantsColor = (env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean => {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "0") return true;
  return isTerminal && env.TERM !== "dumb";
};

/** The two outputs of this process. Whoever stops reading them does not end what is under way. */
interface StandardOutputs {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Aborted when nobody reads standard output any more. */
  readonly unread: AbortSignal;
}

/** A closed pipe, or a terminal whose window is gone. */
const closedOutputCodes: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO", "ERR_STREAM_DESTROYED"]);

const standardOutputs = ({ stdout, stderr }: Pick<NodeJS.Process, "stdout" | "stderr">): StandardOutputs => {
  const [unread, unheard] = [new AbortController(), new AbortController()];
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (unread.signal.aborted) return;
    unread.abort();
    if (closedOutputCodes.has(error.code)) return;
    // Something did want to read it, such as a file on a disk that is full.
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

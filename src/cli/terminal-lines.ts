import type { Interface } from "node:readline";

/** A question at a terminal. */
export interface LinePrompt {
  readonly question: string;
  /** Whether what was typed or pasted before it was asked may answer it. */
  readonly ahead: boolean;
  readonly signal: AbortSignal;
}

export interface TerminalLines {
  /** The next line; undefined when there are no more, or when the signal aborts. */
  readonly ask: (asked: LinePrompt) => Promise<string | undefined>;
  readonly close: () => void;
}

/** The two ends of a terminal. */
export interface TerminalStreams {
  readonly input: NodeJS.ReadableStream & { readonly setRawMode?: (isRaw: boolean) => unknown };
  readonly output: NodeJS.WritableStream;
  /** Ctrl-C while a question is open. */
  readonly interrupt: () => void;
}

/** What was typed while nobody read comes in with the next turns of the event loop. */
const drainTypeahead = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn++) await new Promise((done) => setImmediate(done));
};

/**
 * Reads a terminal line by line. One paste may bring several lines at once, and all but the first come while nothing is asked:
 * they are kept, in order, for the questions that take what was typed ahead.
 */
export const createTerminalLines = ({ input, output, interrupt }: TerminalStreams): TerminalLines => {
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

  /** Between questions the terminal is as it was, so that Ctrl-C reaches the process. */
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
        // What was typed of a line without its end stays, and is shown.
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

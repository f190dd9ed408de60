import type { Interface } from "node:readline";

export interface LinePrompt {
  readonly question: string;
  /** Whether lines that were typed or pasted earlier may answer. */
  readonly ahead: boolean;
  readonly signal: AbortSignal;
}

export interface TerminalLines {
  readonly ask: (asked: LinePrompt) => Promise<string | undefined>;
  readonly close: () => void;
}

export interface TerminalStreams {
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

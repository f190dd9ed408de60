export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: boolean;
  readonly value?: string;
  readonly about: string;
  /** What `--json` prints: one value, or one line per record. */
  readonly prints?: "value" | "lines";
  readonly choices?: readonly string[];
}

export type Options = Readonly<Record<string, Option>>;

export type OptionValues<All extends Options> = {
  readonly [Name in keyof All]?: All[Name]["type"] extends "boolean"
    ? boolean
    : All[Name]["multiple"] extends true
      ? readonly string[]
      : string;
};

export interface Example {
  readonly line: string;
  readonly about: string;
}

export interface CommandEntry {
  readonly name: string;
  readonly about: string;
  readonly load: () => Promise<AnyCommand>;
}

export interface Command<All extends Options = Options> {
  readonly operands: string;
  readonly options: All;
  readonly examples: readonly Example[];
  /** Removed options, each with a sentence that names the replacement. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** The command only prints, so it ends when standard output is closed. */
  readonly onlyTells?: boolean;
  readonly run: (invocation: Invocation<All>) => Promise<number>;
}

export interface Invocation<All extends Options> {
  readonly options: OptionValues<All>;
  readonly operands: readonly string[];
  readonly terminal: Terminal;
}

/** The environment of a command. Tests provide their own. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isInteractive: boolean;
  /** Whether standard input and standard error are terminals, regardless of standard output. */
  readonly isOperator: boolean;
  readonly hasColor: boolean;
  readonly width: number;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Aborted when standard output is closed; later output is dropped. */
  readonly unread: AbortSignal;
  readonly input: () => Promise<string>;
  /**
   * Lines typed before the question count only with `ahead`, so that earlier key presses cannot answer an
   * approval request.
   */
  readonly ask: (question: string, options?: { readonly ahead?: boolean }) => Promise<string | undefined>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
}

export const exitCodes = {
  done: 0,
  failed: 1,
  misused: 2,
  pending: 3,
  stopped: 4,
  untrusted: 5,
  unauthorized: 6,
  cancelled: 130,
} as const;

export const command = <const All extends Options>(definition: Command<All>): Command<All> => definition;

// biome-ignore lint/suspicious/noExplicitAny: a list of commands holds options of every kind
export type AnyCommand = Command<any>;

export interface LoadedCommand extends AnyCommand {
  readonly name: string;
  readonly about: string;
}

export const loadCommand = async (entry: CommandEntry): Promise<LoadedCommand> => ({
  ...(await entry.load()),
  name: entry.name,
  about: entry.about,
});

export class CommandUsageError extends Error {
  override readonly name = "CommandUsageError";
}

export interface JsonOption<Shape extends "value" | "lines"> {
  readonly type: "boolean";
  readonly about: string;
  readonly prints: Shape;
}

export const jsonValue = (what: string): JsonOption<"value"> => ({
  type: "boolean",
  about: `print ${what} as one line of JSON`,
  prints: "value",
});

export const jsonLines = (what: string): JsonOption<"lines"> => ({
  type: "boolean",
  about: `print ${what} as JSON, one per line`,
  prints: "lines",
});

export const readCount = (
  name: string,
  text: string | undefined,
  minimum = 0,
  maximum = Number.MAX_SAFE_INTEGER,
): number | undefined => {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (Number.isInteger(count) && count >= minimum && count <= maximum && text.trim() !== "") return count;
  throw new CommandUsageError(
    `--${name} must be a whole number${rangeText(minimum, maximum)}, not "${text}".`,
  );
};

const rangeText = (minimum: number, maximum: number): string => {
  if (maximum < Number.MAX_SAFE_INTEGER) return ` from ${minimum} to ${maximum}`;
  return minimum > 0 ? ` of at least ${minimum}` : "";
};

export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

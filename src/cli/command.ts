/** One option of a command, as it is parsed, explained and completed. */
export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** May be given more than once. */
  readonly multiple?: boolean;
  /** What stands for its value in the help, such as FILE. */
  readonly value?: string;
  readonly about: string;
  /** Of `--json`: one line, or a line for each record. */
  readonly prints?: "value" | "lines";
  /** The values there are, for completion and for refusing others. */
  readonly choices?: readonly string[];
}

export type Options = Readonly<Record<string, Option>>;

/** What was given for the options of a command. */
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

/** One line of the table of commands: what the front page says of it, and where the rest is. */
export interface CommandEntry {
  readonly name: string;
  readonly about: string;
  readonly load: () => Promise<AnyCommand>;
}

export interface Command<All extends Options = Options> {
  /** Behind the name in the usage line. */
  readonly operands: string;
  readonly options: All;
  readonly examples: readonly Example[];
  /** Options of earlier versions, with the sentence that says what to use now. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** Does nothing but tell, so it is over when nobody listens any more. */
  readonly onlyTells?: boolean;
  /** Gives the exit code. */
  readonly run: (invocation: Invocation<All>) => Promise<number>;
}

export interface Invocation<All extends Options> {
  readonly options: OptionValues<All>;
  readonly operands: readonly string[];
  readonly terminal: Terminal;
}

/** The world as a command sees it, so that a test can be one. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person reads what is written, and whether one may be asked. */
  readonly isInteractive: boolean;
  /** Whether standard input and standard error are a terminal: a person typed the command, whatever its output goes to. */
  readonly isOperator: boolean;
  readonly hasColor: boolean;
  readonly width: number;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Aborted when nobody reads standard output any more; from then on what is written is dropped. */
  readonly unread: AbortSignal;
  /** What was piped in, or nothing. */
  readonly input: () => Promise<string>;
  /**
   * Asks a person; undefined when there is nobody, or no more. Lines that were typed or pasted before the question count only
   * with `ahead`: nobody agrees to what was not yet asked.
   */
  readonly ask: (question: string, options?: { readonly ahead?: boolean }) => Promise<string | undefined>;
  /** In milliseconds since 1970. */
  readonly now: () => number;
  /** Over at once when Ctrl-C comes. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** What a command ends with. Scripts rely on them. */
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

/** Keeps the types of its options. */
export const command = <const All extends Options>(definition: Command<All>): Command<All> => definition;

// biome-ignore lint/suspicious/noExplicitAny: a list of commands holds options of every kind
export type AnyCommand = Command<any>;

/** A command with what the table says of it. */
export interface LoadedCommand extends AnyCommand {
  readonly name: string;
  readonly about: string;
}

export const loadCommand = async (entry: CommandEntry): Promise<LoadedCommand> => ({
  ...(await entry.load()),
  name: entry.name,
  about: entry.about,
});

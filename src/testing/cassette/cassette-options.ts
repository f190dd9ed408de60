import { checkFields } from "../../base/json/check-fields.ts";
import { type Redactor, redactor } from "../../base/json/redact.ts";
import { ConfigurationError } from "../../types/errors.ts";
import { type CassetteEntry, cassetteJsonLimits } from "./cassette-file.ts";
import { parseIgnorePointers } from "./ignored-arguments.ts";

/** A call that is looked up in a cassette. */
export interface CassetteCall {
  readonly tool: string;
  readonly callId: string;
  /** The exact arguments, as JSON. */
  readonly arguments: unknown;
  /** Without ignored arguments. */
  readonly argumentsHash: string;
}

/** How a call finds its entry. The arguments of an entry are masked; its hash is not. */
export type CassetteMatch =
  /** The next unused entry must match. Concurrent calls may come in any order. */
  | "strict"
  /** The first unused entry with this tool and these arguments matches. */
  | "by-arguments"
  | ((call: CassetteCall, entry: CassetteEntry) => boolean);

/** Options of `cassette`. */
export interface CassetteOptions {
  /** `auto` (default) replays the file if it exists and records it otherwise; in CI it never records. */
  readonly mode?: "auto" | "record" | "replay";
  readonly match?: CassetteMatch;
  /** Reuses an entry after all matching ones were used. Not with `strict`. */
  readonly repeat?: boolean;
  /**
   * JSON pointers to arguments that are ignored, with `*` for every item, such as `/requestId` and
   * `/items/*`.
   */
  readonly ignore?: readonly string[];
  /** Values that are masked wherever they occur. A function is called for every use. */
  readonly secrets?: readonly string[] | (() => Iterable<string>);
  /** Additional names of secret members. */
  readonly keys?: RegExp | readonly string[];
}

export interface ParsedCassetteOptions {
  readonly mode: "auto" | "record" | "replay";
  readonly match: CassetteMatch;
  readonly repeat: boolean;
  readonly ignore: readonly string[];
  readonly steps: ReturnType<typeof parseIgnorePointers>;
  readonly redactor: Redactor;
}

export const cassetteFields: readonly (keyof CassetteOptions)[] = [
  "mode",
  "match",
  "repeat",
  "ignore",
  "secrets",
  "keys",
];

export const readCassetteOptions = (options: CassetteOptions): ParsedCassetteOptions => {
  checkFields("cassette", options, cassetteFields);
  const { mode = "auto", match = "strict", repeat = false, ignore = [], secrets = [], keys } = options;
  if (!cassetteModes.includes(mode))
    throw cassetteOptionsError(`\`mode\` must be one of ${cassetteModes.join(", ")}.`);
  if (typeof match !== "function" && match !== "strict" && match !== "by-arguments") {
    throw cassetteOptionsError(
      '`match` must be "strict", "by-arguments" or a function (call, entry) => boolean.',
    );
  }
  if (repeat && match === "strict") {
    throw cassetteOptionsError(
      '`repeat` requires "by-arguments" or a function: "strict" uses each entry once, in order.',
    );
  }
  const steps = parseIgnorePointers(ignore);
  const known = typeof secrets === "function" ? secrets : () => secrets;
  const masks = redactor({
    secrets: known,
    limits: cassetteJsonLimits,
    ...(keys === undefined ? {} : { keys }),
  });
  return { mode, match, repeat, ignore: [...new Set(ignore)].sort(), steps, redactor: masks };
};

const cassetteModes = ["auto", "record", "replay"];

const cassetteOptionsError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `cassette: ${message}`);

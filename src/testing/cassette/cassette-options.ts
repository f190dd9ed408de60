import { checkFields } from "../../base/json/check-fields.ts";
import { type Redactor, redactor } from "../../base/json/redact.ts";
import { ConfigurationError } from "../../types/errors.ts";
import { type CassetteEntry, cassetteJsonLimits } from "./cassette-file.ts";
import { parseIgnorePointers } from "./ignored-arguments.ts";

/** A call as it is looked for on the tape. */
export interface CassetteCall {
  readonly tool: string;
  readonly callId: string;
  /** Exact, but plain JSON. */
  readonly arguments: unknown;
  /** Without what is ignored. */
  readonly argumentsHash: string;
}

/** Whether an entry answers a call. What an entry shows is masked; its hash is not. */
export type CassetteMatch =
  /** The next entry not used yet must be this call; calls that were under way together may come in any order. */
  | "strict"
  /** The first entry not used yet with this tool and these arguments, wherever it is. */
  | "by-arguments"
  | ((call: CassetteCall, entry: CassetteEntry) => boolean);

/** Whether a cassette records or replays, and how a call finds its answer on the tape. */
export interface CassetteOptions {
  /** `auto`, unless named, replays the tape if there is one and else records it; in CI it never records. */
  readonly mode?: "auto" | "record" | "replay";
  readonly match?: CassetteMatch;
  /** Lets an entry answer again once all that fit were used. Not with `strict`. */
  readonly repeat?: boolean;
  /** JSON pointers into arguments that do not count, with `*` for every item: `/requestId`, `/items/*` and the like. */
  readonly ignore?: readonly string[];
  /** Values that are masked wherever they occur; a function is asked at every use. */
  readonly secrets?: readonly string[] | (() => Iterable<string>);
  /** Names of secret members besides the usual ones. */
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
    throw cassetteOptionsError(`\`mode\` is one of ${cassetteModes.join(", ")}.`);
  if (typeof match !== "function" && match !== "strict" && match !== "by-arguments") {
    throw cassetteOptionsError('`match` is "strict", "by-arguments" or a function (call, entry) => boolean.');
  }
  if (repeat && match === "strict") {
    throw cassetteOptionsError(
      '`repeat` goes with "by-arguments" or a function: strict means each entry once, in order.',
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

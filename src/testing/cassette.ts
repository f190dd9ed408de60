import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigurationError } from "../types/errors.ts";
import type { ToolLayer } from "../types/tool.ts";
import {
  CassetteError,
  type CassetteFile,
  type CassetteReport,
  cassetteVersion,
  type Drift,
  type Miss,
} from "./cassette/cassette-file.ts";
import { type CassetteOptions, readCassetteOptions } from "./cassette/cassette-options.ts";
import { CassettePlayer } from "./cassette/cassette-player.ts";
import { CassetteRecorder } from "./cassette/cassette-recorder.ts";
import { readCassetteFile } from "./cassette/read-cassette-file.ts";

/** Recorded calls. Disposing it saves the recording, or verifies the replay. */
export interface Cassette extends AsyncDisposable {
  readonly path: string;
  readonly mode: "record" | "replay";
  /** Must be outermost: the last of the layers of a run, a turn or a runtime. */
  readonly layer: ToolLayer;
  /** The current state. */
  readonly report: CassetteReport;
  /** Returns the report, or throws one CassetteError with all mismatches. */
  readonly verify: () => CassetteReport;
  /** Writes what was recorded so far. Does nothing in a replay. */
  readonly save: () => Promise<void>;
}

/** Records the results of tools to a file, or replays them without running the tools. */
export const cassette = (path: string | URL, options: CassetteOptions = {}): Cassette => {
  const file = toFilePath(path);
  const shown = toDisplayPath(file);
  const parsed = readCassetteOptions(options);
  const mode = chooseMode(shown, parsed.mode, existsSync(file), process.env);
  const recorder = new CassetteRecorder(parsed);
  const player = mode === "replay" ? new CassettePlayer(shown, readCassetteFile(file), parsed) : undefined;
  const report = (): CassetteReport =>
    Object.freeze({
      path: shown,
      mode,
      entries: (player ?? recorder).entries,
      answered: player?.answered ?? 0,
      missed: Object.freeze([...(player?.missed ?? [])]),
      unused: Object.freeze(player?.unused ?? []),
      drifted: Object.freeze(player?.drifted ?? []),
    });
  const verify = (): CassetteReport => {
    const now = report();
    const mismatch = cassetteMismatchError(now, parsed.match === "strict");
    if (mismatch !== undefined) throw mismatch;
    return now;
  };
  const save = async (): Promise<void> => {
    if (mode === "record") writeCassetteFile(file, recorder.tape());
  };
  let isOver = false;
  return Object.freeze({
    path: file,
    mode,
    layer: Object.assign((player ?? recorder).layer, { label: "cassette" }),
    get report() {
      return report();
    },
    verify,
    save,
    [Symbol.asyncDispose]: async () => {
      if (isOver) return;
      isOver = true;
      await save();
      verify();
    },
  });
};

const toFilePath = (path: string | URL): string => {
  if (path instanceof URL) return fileURLToPath(path);
  if (typeof path === "string" && path !== "") return resolve(path);
  throw new ConfigurationError("invalid_config", "A cassette needs the path of its file.");
};

const toDisplayPath = (file: string): string => {
  const near = relative(process.cwd(), file);
  return near.startsWith("..") ? file : near;
};

/** In a fixed order, because changes are reviewed. */
export const toCassetteText = ({ ignore, entries }: CassetteFile): string =>
  `${JSON.stringify({ kind: "haft cassette", version: cassetteVersion, ignore, entries }, null, 2)}\n`;

/** Concurrent readers see the old file until the new one is complete. */
const writeCassetteFile = (path: string, tape: CassetteFile): void => {
  const temporary = `${path}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, toCassetteText(tape), { flag: "wx" });
    renameSync(temporary, path);
  } catch (cause) {
    removeTemporaryFile(temporary);
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError("invalid_config", `The cassette ${path} cannot be written: ${said}`, {
      cause,
    });
  }
};

const removeTemporaryFile = (file: string): void => {
  try {
    rmSync(file, { force: true });
  } catch {
    // The first error is reported.
  }
};

/** Unused entries and changed definitions count only in strict mode. */
const cassetteMismatchError = (report: CassetteReport, isStrict: boolean): CassetteError | undefined => {
  const { path, missed, unused, drifted } = report;
  const parts = [
    ...describeGroup("not in the cassette", missed, (miss) => missLines(miss, path)),
    ...(isStrict
      ? describeGroup("in the cassette, but never made", unused, ({ tool, line }) => [
          `${tool} (${path}:${line})`,
        ])
      : []),
    ...(isStrict ? describeGroup("of a tool whose definition has changed", drifted, driftLines) : []),
  ];
  if (parts.length === 0) return undefined;
  return new CassetteError(
    [
      `The cassette ${path} does not match the calls.`,
      ...parts,
      `If the calls are right, record again: delete the file or set ${recordVariable}=record, and run the test once where CI is not set.`,
    ].join("\n"),
  );
};

const describeGroup = <Each>(
  what: string,
  all: readonly Each[],
  linesOf: (each: Each) => readonly string[],
): readonly string[] =>
  all.length === 0
    ? []
    : [
        `${all.length} ${all.length === 1 ? "call is" : "calls are"} ${what}:`,
        ...all.flatMap(linesOf).map(indent),
      ];

const indent = (line: string): string => `  ${line}`;

const missLines = ({ tool, callId, why, nearest, ...miss }: Miss, path: string): readonly string[] => {
  const head = `${tool} (call ${callId}): ${why}`;
  if (nearest === undefined) return [head, ...indentedJsonLines(miss.arguments)];
  const where = `nearest: ${path}:${nearest.entry.line} (${nearest.entry.pointer})`;
  if (nearest.diff === "") return [head, where, ...indentedJsonLines(miss.arguments)];
  return [head, `${where}; - is in the cassette, + was called`, ...nearest.diff.split("\n").map(indent)];
};

const indentedJsonLines = (value: unknown): readonly string[] =>
  (JSON.stringify(value, null, 2) ?? "null").split("\n").map((line) => `    ${line}`);

const driftLines = ({ tool, recorded, now }: Drift): readonly string[] => [
  `${tool} (recorded as ${recorded.slice(0, 12)}, now ${now.slice(0, 12)})`,
];

/** If set to `record`, every cassette with mode `auto` records again. */
const recordVariable = "HAFT_CASSETTES";

const isTruthy = (variable: string | undefined): boolean =>
  variable !== undefined && variable !== "" && variable !== "0" && variable !== "false";

/** A test that records in CI proves nothing. */
const chooseMode = (
  path: string,
  wanted: "auto" | "record" | "replay",
  exists: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): "record" | "replay" => {
  if (wanted === "record") return "record";
  const isRecordForced = wanted === "auto" && environment[recordVariable] === "record";
  if (wanted === "auto" && isTruthy(environment.CI)) {
    if (isRecordForced)
      throw cassetteModeError(`${recordVariable}=record is set, but so is CI, where nothing is recorded.`);
    if (!exists) {
      throw cassetteModeError(
        `The cassette ${path} does not exist, and CI (the variable CI is set) records none. Run the test once on your own machine and commit the file.`,
      );
    }
    return "replay";
  }
  if (exists && !isRecordForced) return "replay";
  if (wanted === "auto") return "record";
  throw cassetteModeError(
    `The cassette ${path} does not exist. Run once with mode "record", or with "auto", which records missing calls.`,
  );
};

const cassetteModeError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);

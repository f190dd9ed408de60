import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigurationError } from "../types/errors.ts";
import type { ToolLayer } from "../types/layer.ts";
import { cassetteMismatchError } from "./cassette/cassette-mismatch-error.ts";
import { type CassetteOptions, readCassetteOptions } from "./cassette/cassette-options.ts";
import { CassettePlayer } from "./cassette/cassette-player.ts";
import { CassetteRecorder } from "./cassette/cassette-recorder.ts";
import { chooseMode } from "./cassette/choose-mode.ts";
import { readCassetteFile } from "./cassette/read-cassette-file.ts";
import type { CassetteReport } from "./cassette/report.ts";
import { writeCassetteFile } from "./cassette/write-cassette-file.ts";

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

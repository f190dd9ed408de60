import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigurationError } from "../words/errors.ts";
import type { ToolLayer } from "../words/layer.ts";
import { chooseMode } from "./cassette/choose-mode.ts";
import { type CassetteOptions, readOptions } from "./cassette/options.ts";
import { Player } from "./cassette/player.ts";
import { readTape } from "./cassette/read-tape.ts";
import { Recorder } from "./cassette/recorder.ts";
import type { CassetteReport } from "./cassette/report.ts";
import { verdictOf } from "./cassette/verdict.ts";
import { writeTape } from "./cassette/write-tape.ts";

/** Calls on tape. Disposing of it saves what was recorded, or verifies what was replayed. */
export interface Cassette extends AsyncDisposable {
  readonly path: string;
  readonly mode: "record" | "replay";
  /** Goes outermost, around any tools: last in the layers of a run, a turn or a runtime. */
  readonly layer: ToolLayer;
  /** How it stands right now. */
  readonly report: CassetteReport;
  /** The report, or one CassetteError that shows all that does not fit. */
  readonly verify: () => CassetteReport;
  /** Writes what was recorded so far; nothing to do while replaying. */
  readonly save: () => Promise<void>;
}

/** Records what tools answer into a file, or answers from it without running them. */
export const cassette = (path: string | URL, options: CassetteOptions = {}): Cassette => {
  const file = toFile(path);
  const shown = toShown(file);
  const read = readOptions(options);
  const mode = chooseMode(shown, read.mode, existsSync(file), process.env);
  const recorder = new Recorder(read);
  // A tape that is recorded again need not be readable.
  const player = mode === "replay" ? new Player(shown, readTape(file), read) : undefined;
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
    const wrong = verdictOf(now, read.match === "strict");
    if (wrong !== undefined) throw wrong;
    return now;
  };
  const save = async (): Promise<void> => {
    if (mode === "record") writeTape(file, recorder.tape());
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

const toFile = (path: string | URL): string => {
  if (path instanceof URL) return fileURLToPath(path);
  if (typeof path === "string" && path !== "") return resolve(path);
  throw new ConfigurationError("invalid_config", "A cassette needs the path of its file.");
};

/** Short where the reader stands near it. */
const toShown = (file: string): string => {
  const near = relative(process.cwd(), file);
  return near.startsWith("..") ? file : near;
};

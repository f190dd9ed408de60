import { lstatSync, readFileSync, statSync, unwatchFile, watch, watchFile } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { ConfigurationError, ToolError } from "../../words/errors.ts";
import type { NamedServer } from "../../words/mcp.ts";
import type { ToolJudge as ReviewedJudge } from "../client/servers/servers-services.ts";
import { closedJudge, judgeBy } from "./judge.ts";
import { judgePageBy, type PageJudge } from "./judge-page.ts";
import type { Lock } from "./locked.ts";
import { mayStart, type StartRight } from "./may-start.ts";
import { readLock } from "./read-lock.ts";

/** The lockfile as it is now: who may be started, and which definitions are as they were reviewed. */
export interface LockFile {
  readonly judge: ReviewedJudge;
  readonly judgePage: PageJudge;
  readonly mayStart: (server: NamedServer) => StartRight;
  /** Looks again whenever the file changes, until the answer is called. */
  readonly watch: (onChange: () => void) => () => void;
}

const refused = (path: string, why: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `${basename(path)}: ${why}`);

/** No file is no lock; a file that cannot be used is a closed door, and its error says why. */
const read = (path: string): Lock | ToolError | undefined => {
  try {
    // A link that leads nowhere is there all the same; a pipe would hold up the whole process.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    if (statSync(path).isFIFO()) return refused(path, "it is a pipe, not a file");
    return readLock(readFileSync(path, "utf8"));
  } catch (error) {
    return refused(path, (error as Error).message);
  }
};

const gone = (path: string): ConfigurationError =>
  refused(
    path,
    "this process went by it, and it is gone. Until it is back no remote tool is offered and no server starts; without it, start again",
  );

/** The folder, for a file is replaced and not written to. Watching keeps no process alive. */
const watchFolder = (place: string, look: () => void): (() => void) => {
  try {
    const watcher = watch(dirname(place), { persistent: false }, (_, name) => {
      if (name === null || name === basename(place)) look();
    });
    watcher.on("error", () => {});
    return () => watcher.close();
  } catch {
    // There is no such folder yet, or the system watches no more of them.
    watchFile(place, { persistent: false, interval: 1_000 }, look);
    return () => unwatchFile(place, look);
  }
};

const judgeOf = (state: Lock | ToolError | undefined): ReviewedJudge => {
  const judge = ToolError.is(state) ? closedJudge(state) : judgeBy(state);
  const isLocked = state !== undefined;
  return (server, tools) =>
    judge(server, tools).map((each) => ({ ...each, reviewed: isLocked && each.verdict === "ok" }));
};

export const lockFile = (path: string | false): LockFile => {
  const place = path === false ? undefined : resolve(path);
  let state = place === undefined ? undefined : read(place);
  let judge = judgeOf(state);
  let rights = new WeakMap<NamedServer, StartRight>();
  return {
    judge: (server, tools) => judge(server, tools),
    judgePage: (server, uri, result) => judgePageBy(state)(server, uri, result),
    mayStart: (server) => {
      const right = rights.get(server) ?? mayStart(state, server);
      rights.set(server, right);
      return right;
    },
    watch: (onChange) => {
      if (place === undefined) return () => {};
      return watchFolder(place, () => {
        // Whoever can remove the file must not open the door with it.
        state = read(place) ?? (state === undefined ? undefined : gone(place));
        judge = judgeOf(state);
        rights = new WeakMap();
        onChange();
      });
    },
  };
};

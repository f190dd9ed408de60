import { readFileSync, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { closedJudge, judgeBy } from "../catalog/lock/judge.ts";
import type { Lock } from "../catalog/lock/locked.ts";
import { mayStart, type StartRight } from "../catalog/lock/may-start.ts";
import { readLock } from "../catalog/lock/read-lock.ts";
import type { Judge as ReviewedJudge } from "../mcp/servers/house.ts";
import { ConfigurationError, ToolError } from "../words/errors.ts";
import type { NamedServer } from "../words/mcp.ts";

/** The lockfile as it is now: who may be started, and which definitions are as they were reviewed. */
export interface LockFile {
  readonly judge: ReviewedJudge;
  readonly mayStart: (server: NamedServer) => StartRight;
  /** Looks again whenever the file changes, until the answer is called. */
  readonly watch: (onChange: () => void) => () => void;
}

/** No file is no lock; a file that cannot be used is a closed door, and its error says why. */
const read = (path: string): Lock | ToolError | undefined => {
  try {
    return readLock(readFileSync(path, "utf8"));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    return new ConfigurationError("invalid_config", `${basename(path)}: ${message}`);
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
  return {
    judge: (server, tools) => judge(server, tools),
    mayStart: (server) => mayStart(state, server),
    watch: (onChange) => {
      if (place === undefined) return () => {};
      // The folder, for a file is replaced and not written to. Watching keeps no process alive.
      const watcher = watch(dirname(place), { persistent: false }, (_, name) => {
        if (name !== null && name !== basename(place)) return;
        state = read(place);
        judge = judgeOf(state);
        onChange();
      });
      watcher.on("error", () => {});
      return () => watcher.close();
    },
  };
};

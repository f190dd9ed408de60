import { lstatSync, readFileSync, statSync, unwatchFile, watch, watchFile } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { JsonObject } from "../../base/json/is-object.ts";
import { shown } from "../../base/text/visible.ts";
import { ConfigurationError, ToolError } from "../../types/errors.ts";
import type { NamedMcpServer } from "../../types/mcp.ts";
import type { CheckTools as ReviewedJudge } from "../client/servers/servers-services.ts";
import { checkStart, type StartDecision } from "./check-start.ts";
import { type Lock, ownValue } from "./lock.ts";
import { createLockCheck, createRejectingCheck } from "./lock-check.ts";
import { hashPage } from "./page-hash.ts";
import { readLock } from "./read-lock.ts";

export interface LockFile {
  readonly checkTools: ReviewedJudge;
  readonly checkPage: CheckPage;
  readonly checkStart: (server: NamedMcpServer) => StartDecision;
  /** Reloads the file on each change. Returns a function that stops watching. */
  readonly watch: (onChange: () => void) => () => void;
}

const lockFileError = (path: string, why: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `${basename(path)}: ${why}`);

/** An unusable file is an error that blocks everything; a missing file means no lock. */
const readLockState = (path: string): Lock | ToolError | undefined => {
  try {
    // A dangling link counts as a file. Reading a FIFO would block the process.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    if (statSync(path).isFIFO()) return lockFileError(path, "it is a pipe, not a file");
    return readLock(readFileSync(path, "utf8"));
  } catch (error) {
    return lockFileError(path, (error as Error).message);
  }
};

const lockFileGoneError = (path: string): ConfigurationError =>
  lockFileError(
    path,
    "this process used the lock, and the file was removed. Until it is restored, no remote tool is offered and no server starts. To run without a lock, restart",
  );

/** The file is replaced, so its folder is watched. */
const watchFolder = (place: string, onChange: () => void): (() => void) => {
  try {
    const watcher = watch(dirname(place), { persistent: false }, (_, name) => {
      if (name === null || name === basename(place)) onChange();
    });
    watcher.on("error", () => {});
    return () => watcher.close();
  } catch {
    // The folder does not exist, or the system's watch limit is reached.
    watchFile(place, { persistent: false, interval: 1_000 }, onChange);
    return () => unwatchFile(place, onChange);
  }
};

const createReviewedCheck = (state: Lock | ToolError | undefined): ReviewedJudge => {
  const checkTools = ToolError.is(state) ? createRejectingCheck(state) : createLockCheck(state);
  const isLocked = state !== undefined;
  return (server, tools) =>
    checkTools(server, tools).map((each) => ({ ...each, reviewed: isLocked && each.verdict === "ok" }));
};

export const openLockFile = (path: string | false): LockFile => {
  const place = path === false ? undefined : resolve(path);
  let state = place === undefined ? undefined : readLockState(place);
  let checkTools = createReviewedCheck(state);
  let startDecisions = new WeakMap<NamedMcpServer, StartDecision>();
  return {
    checkTools: (server, tools) => checkTools(server, tools),
    checkPage: (server, uri, result) => createPageCheck(state)(server, uri, result),
    checkStart: (server) => {
      const right = startDecisions.get(server) ?? checkStart(state, server);
      startDecisions.set(server, right);
      return right;
    },
    watch: (onChange) => {
      if (place === undefined) return () => {};
      return watchFolder(place, () => {
        // Deleting the file must not disable the check.
        state = readLockState(place) ?? (state === undefined ? undefined : lockFileGoneError(place));
        checkTools = createReviewedCheck(state);
        startDecisions = new WeakMap();
        onChange();
      });
    },
  };
};

/** Returns why the page must not be used. */
type CheckPage = (server: NamedMcpServer, uri: string, result: JsonObject) => string | undefined;

const isUiUri = (uri: string): boolean => /^ui:/i.test(uri);

/** A page is code that runs in the user's client. */
const createPageCheck =
  (lock: Lock | ToolError | undefined): CheckPage =>
  ({ id }, uri, result) => {
    if (lock === undefined || !isUiUri(uri)) return undefined;
    if (ToolError.is(lock)) return shown(lock.message, 300);
    const tools = Object.values(ownValue(lock.servers, id)?.tools ?? {});
    const reviewed = tools.flatMap(({ ui, uiHash }) => (ui?.resourceUri === uri ? (uiHash ?? []) : []));
    if (reviewed.length === 0) return `its page ${shown(uri, 100)} was not reviewed`;
    const now = hashPage(result);
    return now !== undefined && reviewed.includes(now)
      ? undefined
      : `its page ${shown(uri, 100)} changed since it was reviewed`;
  };

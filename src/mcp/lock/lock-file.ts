import { lstatSync, readFileSync, statSync, unwatchFile, watch, watchFile } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { JsonObject } from "../../base/json/json-value.ts";
import { shown } from "../../base/text/visible.ts";
import { ConfigurationError, ToolError } from "../../types/errors.ts";
import type { NamedMcpServer, RemoteTool } from "../../types/mcp.ts";
import type { CheckTools as ReviewedJudge } from "../client/servers/servers-services.ts";
import { toPointersText } from "./definition.ts";
import { findFlagsAmong, toNeighborTools } from "./flags/find-flags.ts";
import type { DefinitionFlag } from "./flags/flag.ts";
import { checkStart, isSameLaunch, launchOf, type StartDecision } from "./launch.ts";
import { type Lock, ownValue } from "./lock.ts";
import { createLookalikeFinder, indexLookalikes } from "./lookalikes.ts";
import { readLock } from "./read-lock.ts";
import { hashPage } from "./read-page-hashes.ts";
import { findRepeatedNames, type ReviewStatus, reviewStatusesOf } from "./review-status.ts";

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

type LockFinding =
  | { readonly kind: "unreviewed" | "twice" | "unreadable" | "launch" | "closed" }
  | { readonly kind: "changed"; readonly pointers: readonly string[] }
  | { readonly kind: "renamed"; readonly from: string }
  | { readonly kind: "shadowing"; readonly of: string }
  | { readonly kind: "flagged"; readonly flags: readonly DefinitionFlag[] };

interface ToolVerdict {
  readonly tool: RemoteTool;
  readonly verdict: "ok" | "quarantined";
  /** For operators; untrusted text in it is shortened. */
  readonly reason?: string;
  readonly finding?: LockFinding;
  readonly withoutUi?: true;
}

/** One verdict per tool, in order. */
type LockCheck = (server: NamedMcpServer, tools: readonly RemoteTool[]) => readonly ToolVerdict[];

const quarantinedVerdict = (tool: RemoteTool, finding: LockFinding, reason: string): ToolVerdict => ({
  tool,
  verdict: "quarantined",
  reason,
  finding,
});

const flagsVerdict = (
  tool: RemoteTool,
  flags: readonly DefinitionFlag[],
  accepted: readonly string[] = [],
): ToolVerdict => {
  const dangers = flags.filter(({ severity, code }) => severity === "danger" && !accepted.includes(code));
  const [first] = dangers;
  if (first === undefined) return { tool, verdict: "ok" };
  const more = dangers.length === 1 ? "" : ` and ${dangers.length - 1} more`;
  const reason = `flagged ${first.code} at ${shown(first.pointer, 60)}: ${shown(first.excerpt, 100)}${more}`;
  return quarantinedVerdict(tool, { kind: "flagged", flags: dangers }, reason);
};

const duplicateVerdict = (tool: RemoteTool): ToolVerdict =>
  quarantinedVerdict(
    tool,
    { kind: "twice" },
    "the server lists more than one tool of this name, so none of them is used",
  );

/** Without a lockfile, only dangerous definitions are quarantined. */
const checkWithoutLock: LockCheck = (_server, tools) => {
  const names = tools.map(({ name }) => name);
  const [neighbors, repeated] = [toNeighborTools(names, names), findRepeatedNames(tools)];
  return tools.map((tool) =>
    repeated.has(tool.name) ? duplicateVerdict(tool) : flagsVerdict(tool, findFlagsAmong(tool, neighbors)),
  );
};

const unreviewedVerdict = (tool: RemoteTool, status: ReviewStatus): ToolVerdict => {
  switch (status.kind) {
    case "changed": {
      const { pointers } = status;
      return quarantinedVerdict(
        tool,
        { kind: "changed", pointers },
        `changed since it was reviewed: ${toPointersText(pointers)}`,
      );
    }
    case "renamed": {
      const { from } = status;
      return quarantinedVerdict(
        tool,
        { kind: "renamed", from },
        `renamed from ${shown(from)}, which was reviewed`,
      );
    }
    case "unreadable":
      return quarantinedVerdict(
        tool,
        { kind: "unreadable" },
        `cannot be compared: ${shown(status.problem, 160)}`,
      );
    default:
      return quarantinedVerdict(tool, { kind: "unreviewed" }, "not reviewed: it is not in the lock");
  }
};

/** Version 1 does not cover apps, but is otherwise valid. */
const hasOnlyUiChange = (
  { lockVersion }: Lock,
  status: ReviewStatus,
): status is Extract<ReviewStatus, { readonly kind: "changed" }> =>
  lockVersion === 1 && status.kind === "changed" && status.pointers.every((pointer) => pointer === "/ui");

const createLockedCheck = (lock: Lock): LockCheck => {
  const lookalikes = indexLookalikes(lock);
  const reviewed = Object.values(lock.servers).flatMap(({ tools }) => Object.keys(tools));
  return (server, tools) => {
    const locked = ownValue(lock.servers, server.id);
    const hasOtherLaunch = locked !== undefined && !isSameLaunch(locked.launch, launchOf(server));
    const names = tools.map(({ name }) => name);
    const neighbors = toNeighborTools([...reviewed, ...names], names);
    const statuses = reviewStatusesOf(server, locked, tools);
    const findLookalike = createLookalikeFinder(server.id, tools, lookalikes);
    return tools.map((tool, at) => {
      const standing = statuses[at]!;
      if (standing.kind === "twice") return duplicateVerdict(tool);
      if (hasOtherLaunch)
        return quarantinedVerdict(
          tool,
          { kind: "launch" },
          "the server's command or URL is not the reviewed one",
        );
      if (standing.kind === "same")
        return flagsVerdict(tool, findFlagsAmong(tool, neighbors), standing.locked.accepted);
      if (hasOnlyUiChange(lock, standing))
        return {
          ...flagsVerdict(tool, findFlagsAmong(tool, neighbors), standing.locked.accepted),
          withoutUi: true,
        };
      const lookalike = findLookalike(tool, standing);
      if (lookalike === undefined) return unreviewedVerdict(tool, standing);
      return quarantinedVerdict(
        tool,
        { kind: "shadowing", of: lookalike },
        `imitates ${shown(lookalike, 120)}`,
      );
    });
  };
};

export const createLockCheck = (lock: Lock | undefined): LockCheck =>
  lock === undefined ? checkWithoutLock : createLockedCheck(lock);

export const createRejectingCheck =
  (error: ToolError): LockCheck =>
  (_server, tools) =>
    tools.map((tool) => quarantinedVerdict(tool, { kind: "closed" }, shown(error.message, 300)));

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

import { shown } from "../../base/text/visible.ts";
import type { ToolError } from "../../types/errors.ts";
import type { NamedMcpServer, RemoteTool } from "../../types/mcp.ts";
import { toPointersText } from "./differing-pointers.ts";
import { findFlagsAmong, toNeighborTools } from "./flags/find-flags.ts";
import type { DefinitionFlag } from "./flags/flag.ts";
import { isSameLaunch, launchOf } from "./launch.ts";
import { type Lock, ownValue } from "./lock.ts";
import { createLookalikeFinder, indexLookalikes } from "./lookalikes.ts";
import { findRepeatedNames, type ReviewStatus, reviewStatusesOf } from "./review-status.ts";

export type LockFinding =
  | { readonly kind: "unreviewed" | "twice" | "unreadable" | "launch" | "closed" }
  | { readonly kind: "changed"; readonly pointers: readonly string[] }
  | { readonly kind: "renamed"; readonly from: string }
  | { readonly kind: "shadowing"; readonly of: string }
  | { readonly kind: "flagged"; readonly flags: readonly DefinitionFlag[] };

export interface ToolVerdict {
  readonly tool: RemoteTool;
  readonly verdict: "ok" | "quarantined";
  /** For operators; untrusted text in it is shortened. */
  readonly reason?: string;
  readonly finding?: LockFinding;
  readonly withoutUi?: true;
}

/** One verdict per tool, in order. */
export type LockCheck = (server: NamedMcpServer, tools: readonly RemoteTool[]) => readonly ToolVerdict[];

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

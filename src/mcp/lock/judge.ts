import type { ToolError } from "../../words/errors.ts";
import type { NamedServer, RemoteTool } from "../../words/mcp.ts";
import type { Flag } from "./flags/flag.ts";
import { flagsAmong, neighborsOf } from "./flags/flags-of.ts";
import { shown } from "./flags/visible.ts";
import { isSameLaunch, launchOf } from "./launch.ts";
import { type Lock, own } from "./locked.ts";
import { pointersText } from "./pointers.ts";
import { type ReviewStanding, repeatedNames, standingsOf } from "./standing.ts";
import { looksOf, twinsIn } from "./twins.ts";

/** Why a tool is held back, for programs. */
export type LockFinding =
  | { readonly kind: "unreviewed" | "twice" | "unreadable" | "launch" | "closed" }
  | { readonly kind: "changed"; readonly pointers: readonly string[] }
  | { readonly kind: "renamed"; readonly from: string }
  | { readonly kind: "shadowing"; readonly of: string }
  | { readonly kind: "flagged"; readonly flags: readonly Flag[] };

export interface Judgement {
  readonly tool: RemoteTool;
  readonly verdict: "ok" | "quarantined";
  /** One line for an operator; foreign words in it are cut. */
  readonly reason?: string;
  readonly finding?: LockFinding;
  /** Nobody reviewed its app, only what else it says: it is used without. */
  readonly withoutUi?: true;
}

/** Decides which of the tools that a server lists may be offered and called. Gives one answer for each, in their order. */
export type LockJudge = (server: NamedServer, tools: readonly RemoteTool[]) => readonly Judgement[];

const held = (tool: RemoteTool, finding: LockFinding, reason: string): Judgement => ({
  tool,
  verdict: "quarantined",
  reason,
  finding,
});

const flagged = (tool: RemoteTool, flags: readonly Flag[], accepted: readonly string[] = []): Judgement => {
  const dangers = flags.filter(({ severity, code }) => severity === "danger" && !accepted.includes(code));
  const [first] = dangers;
  if (first === undefined) return { tool, verdict: "ok" };
  const more = dangers.length === 1 ? "" : ` and ${dangers.length - 1} more`;
  const reason = `flagged ${first.code} at ${shown(first.pointer, 60)}: ${shown(first.excerpt, 100)}${more}`;
  return held(tool, { kind: "flagged", flags: dangers }, reason);
};

const twice = (tool: RemoteTool): Judgement =>
  held(tool, { kind: "twice" }, "the server lists more than one tool of this name, so none of them counts");

/** Without a lock nothing was reviewed, and only what is plainly dangerous is held back. */
const judgeUnlocked: LockJudge = (_server, tools) => {
  const names = tools.map(({ name }) => name);
  const [neighbors, repeated] = [neighborsOf(names, names), repeatedNames(tools)];
  return tools.map((tool) =>
    repeated.has(tool.name) ? twice(tool) : flagged(tool, flagsAmong(tool, neighbors)),
  );
};

const unreviewed = (tool: RemoteTool, standing: ReviewStanding): Judgement => {
  switch (standing.kind) {
    case "changed": {
      const { pointers } = standing;
      return held(
        tool,
        { kind: "changed", pointers },
        `changed since it was reviewed: ${pointersText(pointers)}`,
      );
    }
    case "renamed": {
      const { from } = standing;
      return held(tool, { kind: "renamed", from }, `renamed from ${shown(from)}, which was reviewed`);
    }
    case "unreadable":
      return held(tool, { kind: "unreadable" }, `cannot be compared: ${shown(standing.problem, 160)}`);
    default:
      return held(tool, { kind: "unreviewed" }, "not reviewed: it is not in the lock");
  }
};

/** A lock of version 1 knew of no apps, and is still right about the rest. */
const isOnlyUi = (
  { lockVersion }: Lock,
  standing: ReviewStanding,
): standing is Extract<ReviewStanding, { readonly kind: "changed" }> =>
  lockVersion === 1 && standing.kind === "changed" && standing.pointers.every((pointer) => pointer === "/ui");

const judgeLocked = (lock: Lock): LockJudge => {
  const looks = looksOf(lock);
  const reviewed = Object.values(lock.servers).flatMap(({ tools }) => Object.keys(tools));
  return (server, tools) => {
    const locked = own(lock.servers, server.id);
    const isMoved = locked !== undefined && !isSameLaunch(locked.launch, launchOf(server));
    const names = tools.map(({ name }) => name);
    const neighbors = neighborsOf([...reviewed, ...names], names);
    const standings = standingsOf(server, locked, tools);
    const findTwin = twinsIn(server.id, tools, looks);
    return tools.map((tool, at) => {
      const standing = standings[at]!;
      if (standing.kind === "twice") return twice(tool);
      if (isMoved)
        return held(tool, { kind: "launch" }, "the server is not started or reached as it was reviewed");
      if (standing.kind === "same")
        return flagged(tool, flagsAmong(tool, neighbors), standing.locked.accepted);
      if (isOnlyUi(lock, standing))
        return { ...flagged(tool, flagsAmong(tool, neighbors), standing.locked.accepted), withoutUi: true };
      const twin = findTwin(tool, standing);
      if (twin === undefined) return unreviewed(tool, standing);
      return held(tool, { kind: "shadowing", of: twin }, `stands in the place of ${shown(twin, 120)}`);
    });
  };
};

export const judgeBy = (lock: Lock | undefined): LockJudge =>
  lock === undefined ? judgeUnlocked : judgeLocked(lock);

/** A lock that cannot be read lets nothing pass: what was reviewed is not known any more. */
export const closedJudge =
  (error: ToolError): LockJudge =>
  (_server, tools) =>
    tools.map((tool) => held(tool, { kind: "closed" }, shown(error.message, 300)));

import type { McpServerState } from "../../words/mcp.ts";
import { plain } from "../screen.ts";
import type { TellServed } from "./tell-served.ts";

/** Asked to look, it tells of each server for which something else stands in the way of its tools than before. */
export const tellServers = (
  states: () => readonly McpServerState[],
  { warning, note }: Pick<TellServed, "warning" | "note">,
): (() => void) => {
  const look = () => new Map(states().map((state) => [state.id, obstacleOf(state)]));
  let told = look();
  return () => {
    const before = told;
    told = look();
    for (const [id, obstacle] of told) {
      if (obstacle === before.get(id)) continue;
      if (obstacle === undefined) note(`${id}: all its tools can be called again.`);
      else warning(`${id}: ${obstacle}`);
    }
  };
};

/** Why tools of it cannot be called, if that is so. One that is being started has nothing to tell yet. */
const obstacleOf = ({ status, reason, tools, quarantined }: McpServerState): string | undefined => {
  if (status === "connected" || status === "connecting") return undefined;
  if (status !== "degraded" || quarantined.length === 0)
    return `it is ${status}${reason === undefined ? "" : `: ${plain(reason)}`}`;
  const held = quarantined.length;
  const count = `${held} of ${held + tools.length} tools ${held === 1 ? "is" : "are"} held back`;
  const rest = tools.length === 0 ? "" : ", the others can be called";
  return `${count}${rest}. ${reasonsOf(quarantined)}. haft lock --diff shows what changed.`;
};

const mostNamed = 3;

const reasonsOf = (held: McpServerState["quarantined"]): string => {
  const [first] = held;
  // A lock that cannot be used is the same reason for every tool.
  if (held.length > 1 && held.every(({ reason }) => reason === first!.reason)) return plain(first!.reason);
  const named = held.slice(0, mostNamed).map(({ tool, reason }) => `${plain(tool)}: ${plain(reason)}`);
  const more = held.length > mostNamed ? [`and ${held.length - mostNamed} more`] : [];
  return [...named, ...more].join("; ");
};

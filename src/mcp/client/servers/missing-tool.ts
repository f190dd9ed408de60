import type { MissingTool } from "../../../catalog/registry.ts";
import { spellingsOf, toWireName } from "../../../tool/name.ts";
import { DefinitionChangedError, type ToolError } from "../../../words/errors.ts";
import { foreignWords } from "../transport/foreign-words.ts";
import { standIn } from "./tools/stand-in.ts";
import { away, type Upstream } from "./upstream.ts";

/**
 * Why there is no tool under a name that begins with the id of a server: the server is not there, or nobody may use it.
 * Nothing where it is there, for then it has no such tool.
 */
export const missingTool = (
  name: string,
  find: (serverId: string) => Upstream | undefined,
  now: number,
): MissingTool | undefined => {
  const key = spellingsOf(name).find((each) => each.includes("/")) ?? name;
  const [id = "", short = "", ...more] = key.split("/");
  const upstream = more.length === 0 && short !== "" ? find(id) : undefined;
  const error = upstream === undefined ? undefined : problemOf(upstream, now);
  if (error === undefined) return undefined;
  try {
    const tool = standIn(short, id, () => undefined);
    return {
      registration: { key, wireName: toWireName(key), origin: "project", tool },
      failure: error.failure,
    };
  } catch {
    // No tool could have this name.
    return undefined;
  }
};

const problemOf = (upstream: Upstream, now: number): ToolError | undefined => {
  const refusal = upstream.refusal();
  if (refusal !== undefined) {
    const id = JSON.stringify(upstream.server.id);
    const message = `The MCP server ${id} is not used, so nothing was called: ${foreignWords(refusal, 400)}`;
    return new DefinitionChangedError("definition_changed", message, { ran: false });
  }
  return upstream.session === undefined ? away(upstream, now) : undefined;
};

import { hashJson } from "../../../../base/json/canonical-json.ts";
import { isRecord } from "../../../../base/schema/plain/plain-schema.ts";
import type { NamedMcpServer, RefusedTool, RemoteTool, ToolListing } from "../../../../types/mcp.ts";
import { toSafeName } from "../../to-tool/safe-name.ts";
import { serverToolRules } from "../../to-tool/server-overrides.ts";
import { appMetaOf, type ToolQuarantine, withAppMeta } from "../../to-tool/tool-link.ts";
import { sanitizeUntrustedText } from "../../transport/sanitize-foreign-text.ts";
import { type CheckTools, errorReason } from "../servers-services.ts";

const maxTools = 1_000;

export interface CheckedTool {
  readonly remote: RemoteTool;
  /** Set even if the tool name is invalid. */
  readonly displayName: string;
  readonly name?: string;
  readonly hash?: string;
  readonly quarantine?: ToolQuarantine | undefined;
}

/** Applies our own rules, the operator's patterns, the lockfile and the session pins, in this order. */
export const checkToolList = (
  server: NamedMcpServer,
  { tools, refused = [] }: ToolListing,
  judge: CheckTools,
  pins: SessionPins,
): readonly CheckedTool[] => {
  const { includes } = serverToolRules(server);
  const listed = tools.map((remote) => checkName(remote, server));
  const wanted = listed.filter(({ name }) => name === undefined || includes(name));
  const rejected = refused.filter(({ name }) => includes(name)).map((each) => toRejectedTool(each, server));
  const read = wanted.slice(0, maxTools).map(checkDefinition);
  const valid = read.filter(({ quarantine }) => quarantine === undefined);
  const verdicts = verdictsOf(judge, server, valid);
  // A call by a duplicate name could reach either tool, even if one is unusable.
  const counts = countByName(wanted.map(({ remote }) => remote?.name));
  const checkedTool = read.flatMap((each): readonly CheckedTool[] => {
    if (each.quarantine !== undefined) return [each];
    const { name } = each.remote;
    const count = counts.get(name);
    counts.delete(name);
    if (count === undefined) return [];
    const verdict = verdicts.get(each);
    const used = verdict?.withoutUi === true ? checkDefinition(withoutUi(each)) : each;
    const drift = pins.check(name, used.hash as string, verdict?.reviewed === true);
    const reason =
      count > 1 ? duplicateReason : verdict?.verdict === "ok" ? drift : (verdict?.reason ?? uncheckedReason);
    if (reason === undefined) return [used];
    return [{ ...used, quarantine: { reason: sanitizeUntrustedText(reason, 400), isApprovable: true } }];
  });
  const excess = wanted.length - maxTools;
  const more = excess > 0 ? [excessTool(wanted[maxTools] as CheckedTool, excess)] : [];
  return [...checkedTool, ...rejected.slice(0, maxTools), ...more];
};

const maxPins = 10_000;

/** First hash of each tool in this process, for servers without a lockfile. */
export interface SessionPins {
  /** A reviewed definition replaces the pin. */
  readonly check: (name: string, hash: string, isReviewed: boolean) => string | undefined;
}

export const createSessionPins = (): SessionPins => {
  const pins = new Map<string, string>();
  return {
    check: (name, hash, isReviewed) => {
      const pinned = pins.get(name);
      if (pinned === hash) return undefined;
      if (pinned === undefined && pins.size >= maxPins)
        return `the server has listed more than ${maxPins} different tool names`;
      if (pinned === undefined || isReviewed) {
        pins.set(name, hash);
        return undefined;
      }
      return "its definition has changed since it was first listed";
    },
  };
};

const hashToolDefinition = (tool: RemoteTool): string => {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return hashJson({ name, title, description, inputSchema, outputSchema, annotations, ui: appMetaOf(tool) });
};

/** Every name that the server lists, whether or not the operator's patterns include it. */
export const listedToolNames = (
  server: NamedMcpServer,
  { tools, refused = [] }: ToolListing,
): readonly string[] => [
  ...tools.flatMap((remote) => checkName(remote, server).name ?? []),
  ...refused.map(({ name }) => name),
];

const duplicateReason = "the server lists more than one tool of this name, so none of them is used";
const uncheckedReason = "the tool check returned no result for it";

const withoutUi = (checked: CheckedTool): CheckedTool => {
  const { _meta, ...remote } = checked.remote;
  return {
    ...checked,
    remote: _meta === undefined ? remote : { ...remote, _meta: withAppMeta(_meta, undefined) },
  };
};

const quarantineTool = (checked: CheckedTool, reason: string): CheckedTool => ({
  remote: checked.remote,
  displayName: checked.displayName,
  quarantine: { reason, isApprovable: false },
});

const displayNameOf = (name: string, { id, names }: NamedMcpServer): string =>
  names === "bare" ? name : `${id}/${name}`;

const toRejectedTool = ({ name, reason }: RefusedTool, server: NamedMcpServer): CheckedTool =>
  quarantineTool(
    {
      remote: { name, inputSchema: {} },
      displayName: displayNameOf(sanitizeUntrustedText(name, 80), server),
    },
    reason,
  );

const checkName = (remote: RemoteTool, server: NamedMcpServer): CheckedTool => {
  const given: unknown = (remote as Partial<RemoteTool> | null)?.name;
  const nameless = { remote, displayName: displayNameOf(sanitizeUntrustedText(given, 80), server) };
  if (typeof given !== "string") return quarantineTool(nameless, "it has no name");
  try {
    const name = toSafeName(given);
    return { remote, name, displayName: displayNameOf(name, server) };
  } catch (error) {
    return quarantineTool(nameless, errorReason(error));
  }
};

const checkDefinition = (checked: CheckedTool): CheckedTool => {
  if (checked.quarantine !== undefined) return checked;
  const { inputSchema, outputSchema, description } = checked.remote;
  if (!isRecord(inputSchema)) return quarantineTool(checked, "its input schema is not an object");
  if (outputSchema !== undefined && !isRecord(outputSchema))
    return quarantineTool(checked, "its output schema is not an object");
  if (description !== undefined && typeof description !== "string")
    return quarantineTool(checked, "its description is not a string");
  try {
    return { ...checked, hash: hashToolDefinition(checked.remote) };
  } catch (error) {
    return quarantineTool(checked, `it cannot be compared: ${errorReason(error)}`);
  }
};

/** A failing check quarantines every tool. */
const verdictsOf = (
  check: CheckTools,
  server: NamedMcpServer,
  valid: readonly CheckedTool[],
): ReadonlyMap<CheckedTool, ReturnType<CheckTools>[number]> => {
  const tools = valid.map(({ remote }) => remote);
  const closed = (error: unknown): ReturnType<CheckTools> =>
    tools.map((tool) => ({
      tool,
      verdict: "quarantined",
      reason: `it cannot be checked: ${errorReason(error)}`,
    }));
  let verdicts: ReturnType<CheckTools>;
  try {
    verdicts = check(server, tools);
  } catch (error) {
    verdicts = closed(error);
  }
  return new Map(valid.flatMap((each, at) => (verdicts[at] === undefined ? [] : [[each, verdicts[at]]])));
};

const countByName = (names: readonly unknown[]): Map<unknown, number> => {
  const counts = new Map<unknown, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

const excessTool = ({ remote }: CheckedTool, count: number): CheckedTool =>
  quarantineTool(
    { remote, displayName: `${count} more` },
    `a server may have at most ${maxTools} tools; select tools with \`include\``,
  );

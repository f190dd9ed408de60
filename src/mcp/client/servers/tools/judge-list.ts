import { isRecord } from "../../../../schema/record.ts";
import type { ListedTools, NamedServer, RefusedTool, RemoteTool } from "../../../../words/mcp.ts";
import type { HeldBack } from "../../to-tool/link.ts";
import { safeName } from "../../to-tool/safe-name.ts";
import { rulesOf } from "../../to-tool/terms.ts";
import { withUi } from "../../to-tool/ui-of.ts";
import { foreignWords } from "../../transport/foreign-words.ts";
import { reasonOf } from "../reason-of.ts";
import type { ToolJudge } from "../servers-services.ts";

import { definitionHash, type SessionPins } from "./session-pins.ts";

const mostTools = 1_000;

/** A tool of a server's list, and what is against it. */
export interface JudgedTool {
  readonly remote: RemoteTool;
  /** For operators, also where there is no name of ours. */
  readonly shown: string;
  /** Missing where the server's name or definition cannot be one of ours. */
  readonly name?: string;
  readonly hash?: string;
  readonly held?: HeldBack | undefined;
}

/** Holds a list against our rules, the operator's patterns, the lockfile and what was seen before, in this order. */
export const judgeList = (
  server: NamedServer,
  { tools, refused = [] }: ListedTools,
  judge: ToolJudge,
  pins: SessionPins,
): readonly JudgedTool[] => {
  const { includes } = rulesOf(server);
  const listed = tools.map((remote) => readName(remote, server));
  const wanted = listed.filter(({ name }) => name === undefined || includes(name));
  const unusable = refused.filter(({ name }) => includes(name)).map((each) => readRefused(each, server));
  const read = wanted.slice(0, mostTools).map(readDefinition);
  const sound = read.filter(({ held }) => held === undefined);
  const verdicts = verdictsOf(judge, server, sound);
  // Also those that cannot be used: which of the two a call would reach is the server's secret.
  const counts = countOf(wanted.map(({ remote }) => remote?.name));
  const judged = read.flatMap((each): readonly JudgedTool[] => {
    if (each.held !== undefined) return [each];
    const { name } = each.remote;
    const count = counts.get(name);
    counts.delete(name);
    if (count === undefined) return [];
    const verdict = verdicts.get(each);
    const used = verdict?.withoutUi === true ? readDefinition(withoutUi(each)) : each;
    const drift = pins.check(name, used.hash as string, verdict?.reviewed === true);
    const reason = count > 1 ? twice : verdict?.verdict === "ok" ? drift : (verdict?.reason ?? unjudged);
    if (reason === undefined) return [used];
    return [{ ...used, held: { reason: foreignWords(reason, 400), isApprovable: true } }];
  });
  const left = wanted.length - mostTools;
  const more = left > 0 ? [surplus(wanted[mostTools] as JudgedTool, left)] : [];
  return [...judged, ...unusable.slice(0, mostTools), ...more];
};

const twice = "the server lists more than one tool of this name, so none of them counts";
const unjudged = "nobody has judged it";

const withoutUi = (judged: JudgedTool): JudgedTool => {
  const { _meta, ...remote } = judged.remote;
  return { ...judged, remote: _meta === undefined ? remote : { ...remote, _meta: withUi(_meta, undefined) } };
};

const refuse = (judged: JudgedTool, reason: string): JudgedTool => ({
  remote: judged.remote,
  shown: judged.shown,
  held: { reason, isApprovable: false },
});

const shownAs = (name: string, { id, names }: NamedServer): string =>
  names === "bare" ? name : `${id}/${name}`;

/** Nobody has it by its name; the operator finds it by what it says. */
const readRefused = ({ name, reason }: RefusedTool, server: NamedServer): JudgedTool =>
  refuse({ remote: { name, inputSchema: {} }, shown: shownAs(foreignWords(name, 80), server) }, reason);

const readName = (remote: RemoteTool, server: NamedServer): JudgedTool => {
  const given: unknown = (remote as Partial<RemoteTool> | null)?.name;
  const nameless = { remote, shown: shownAs(foreignWords(given, 80), server) };
  if (typeof given !== "string") return refuse(nameless, "it has no name");
  try {
    const name = safeName(given);
    return { remote, name, shown: shownAs(name, server) };
  } catch (error) {
    return refuse(nameless, reasonOf(error));
  }
};

const readDefinition = (judged: JudgedTool): JudgedTool => {
  if (judged.held !== undefined) return judged;
  const { inputSchema, outputSchema, description } = judged.remote;
  if (!isRecord(inputSchema)) return refuse(judged, "its input schema is not an object");
  if (outputSchema !== undefined && !isRecord(outputSchema))
    return refuse(judged, "its output schema is not an object");
  if (description !== undefined && typeof description !== "string")
    return refuse(judged, "its description is not a text");
  try {
    return { ...judged, hash: definitionHash(judged.remote) };
  } catch (error) {
    return refuse(judged, `it cannot be compared: ${reasonOf(error)}`);
  }
};

/** A judge that breaks is a closed door. */
const verdictsOf = (
  judge: ToolJudge,
  server: NamedServer,
  sound: readonly JudgedTool[],
): ReadonlyMap<JudgedTool, ReturnType<ToolJudge>[number]> => {
  const tools = sound.map(({ remote }) => remote);
  const closed = (error: unknown): ReturnType<ToolJudge> =>
    tools.map((tool) => ({
      tool,
      verdict: "quarantined",
      reason: `it cannot be judged: ${reasonOf(error)}`,
    }));
  let verdicts: ReturnType<ToolJudge>;
  try {
    verdicts = judge(server, tools);
  } catch (error) {
    verdicts = closed(error);
  }
  return new Map(sound.flatMap((each, at) => (verdicts[at] === undefined ? [] : [[each, verdicts[at]]])));
};

const countOf = (names: readonly unknown[]): Map<unknown, number> => {
  const counts = new Map<unknown, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

const surplus = ({ remote }: JudgedTool, left: number): JudgedTool =>
  refuse(
    { remote, shown: `${left} more` },
    `a server may have ${mostTools} tools; name those you want with \`include\``,
  );

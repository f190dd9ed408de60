import { foldName } from "../compare-key-names.ts";
import { refuseRepair } from "../repair-context.ts";

/** Words before arguments that are not tool names. */
const argumentLabels: ReadonlySet<string> = new Set(
  (
    "args arguments parameters params kwargs input inputs data json tool tools toolcall toolcalls tooluse " +
    "toolinput toolargs toolarguments toolcallbegin toolcallargumentbegin function functions functioncall " +
    "functionarguments calls call invoke action actioninput pythontag imstart assistant"
  ).split(" "),
);

/** Followed by a tool name in any case. */
const toolNamePatterns: readonly RegExp[] = [
  /\bfunctions\.([\w-]{1,80})/g,
  /<(?:function|tool|invoke|call)(?: +name)? *= *["']?([\w.-]{1,80})/gi,
  /\[TOOL_CALLS\]\s*([\w.-]{1,80})/g,
  /tool▁sep｜>\s*([\w.-]{1,80})/g,
  /^[ \t*]*action[ \t*]*:[ \t*]*([\w.-]{1,80})/gim,
];

/** Followed by a tool name if it looks like one. */
const possibleToolNamePatterns: readonly RegExp[] = [
  /[<[]([\w.-]{1,80})[>\]]/g,
  /\b(?:tool|function|name|tool_name|function_name)["'“”]? ?[:=] ?["'“”`]?([\w.-]{1,80})/gi,
];

const functionCallPattern = /([\w.-]{1,80})( ?)\(\s*$/;
const adjacentNamePattern = /([\w.-]{1,80}?)(?::\d+)?$/;
const lastWordPattern = /([\w.-]{1,80})(?:[\s`:]|json)*$/;

const looksLikeName = (text: string): boolean => /[a-z\d][_.][a-z\d]|[a-z][A-Z]/.test(text);

const isSameTool = (name: string, tool: string | undefined): boolean => {
  if (tool === undefined) return false;
  const fold = foldName(name.replace(/^(?:functions|default_api|tools)\./, ""));
  return fold === foldName(tool) || fold === foldName(tool.slice(tool.lastIndexOf(".") + 1));
};

export const refuseOtherTool = (before: string, tool: string | undefined): void => {
  const isOther = (name: string | undefined): boolean =>
    name !== undefined && !argumentLabels.has(foldName(name)) && !isSameTool(name, tool);
  const mayBeOther = (name: string | undefined): boolean =>
    name !== undefined && looksLikeName(name) && isOther(name);
  const names = (patterns: readonly RegExp[]): (string | undefined)[] =>
    patterns.flatMap((pattern) => [...before.matchAll(pattern)].map(([, name]) => name));
  const end = before.slice(-200);
  const call = functionCallPattern.exec(end);
  const isOtherCall = call?.[2] === "" ? isOther(call[1]) : mayBeOther(call?.[1]);
  if (
    isOtherCall ||
    isOther(adjacentNamePattern.exec(end)?.[1]) ||
    mayBeOther(lastWordPattern.exec(end)?.[1]) ||
    names(toolNamePatterns).some(isOther) ||
    names(possibleToolNamePatterns).some(mayBeOther)
  ) {
    refuseRepair("it follows the name of another tool");
  }
};

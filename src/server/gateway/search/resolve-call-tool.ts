import { isObject, type JsonObject } from "../../../base/json/json-value.ts";
import { rewriteSlices, slicePaths } from "../../../base/json/raw-slices.ts";
import { readJson } from "../../../base/json/read-json.ts";
import { isSearchToolName } from "./short-list.ts";

export type CallToolResult =
  | { readonly ok: true; readonly params: JsonObject }
  | { readonly ok: false; readonly problem: string };

/** Rewrites `call_tool` to the call that it names, before any other handling. */
export const resolveCallTool = (params: JsonObject): CallToolResult => {
  if (params.name !== "call_tool") return { ok: true, params };
  const reading = readCallToolArguments(params.arguments);
  if (typeof reading === "string") return { ok: false, problem: `Invalid params: ${reading}` };
  return { ok: true, params: { ...params, ...reading } };
};

interface CallToolArguments {
  readonly name: string;
  readonly arguments: unknown;
}

const readCallToolArguments = (given: unknown): CallToolArguments | string => {
  if (typeof given === "string") return readArgumentsText(given);
  return isObject(given) ? readArgumentsObject(given, given.arguments) : missingNameMessage;
};

const callArgumentsPath = slicePaths("arguments");
const callTextLimits = { maxLength: Number.POSITIVE_INFINITY, maxDepth: 128 };

/** Keeps the exact text for stage 1. */
const readArgumentsText = (text: string): CallToolArguments | string => {
  let inner: string | undefined;
  const envelope = rewriteSlices(text, callArgumentsPath, (slice) => {
    inner = slice;
    return "null";
  });
  const reading = readJson(envelope.text, callTextLimits);
  if (!reading.ok) return `the arguments of call_tool cannot be read: ${reading.problem.message}`;
  if (!isObject(reading.value)) return missingNameMessage;
  if (inner === undefined || inner.startsWith("{")) return readArgumentsObject(reading.value, inner);
  const value = readJson(inner, callTextLimits);
  return value.ok ? readArgumentsObject(reading.value, value.value) : notAnObjectMessage;
};

const readArgumentsObject = (
  { name, arguments: _, ...others }: JsonObject,
  given: unknown,
): CallToolArguments | string => {
  if (typeof name !== "string" || name === "") return missingNameMessage;
  if (isSearchToolName(name)) return `call_tool cannot call ${name}. Call ${name} directly.`;
  const [other] = Object.keys(others);
  if (other !== undefined)
    return "call_tool takes only name and arguments. Put the tool's input into arguments.";
  // Models sometimes send the object as a string.
  const isText = typeof given === "string" && given.trimStart().startsWith("{");
  if (isText || isObject(given)) return { name, arguments: given };
  return given === undefined || given === null ? { name, arguments: undefined } : notAnObjectMessage;
};

const missingNameMessage =
  "call_tool needs the name of a tool that search_tools found, such as { name: …, arguments: { … } }.";
const notAnObjectMessage = "call_tool needs arguments, an object with the tool's input.";

import { canonicalJson } from "../../base/json/canonical-json.ts";
import type { Launch, Lock, LockedServer, LockedTool } from "./lock.ts";

const withSortedKeys = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(canonicalJson(value));

const launchFields = (launch: Launch): Launch =>
  "command" in launch
    ? {
        command: launch.command,
        args: launch.args,
        ...(launch.cwd === undefined ? {} : { cwd: launch.cwd }),
        envKeys: launch.envKeys,
        ...(launch.sandbox === undefined ? {} : { sandbox: launch.sandbox }),
      }
    : { url: launch.url, transport: launch.transport };

const toolFields = (tool: LockedTool): Readonly<Record<string, unknown>> => ({
  hash: tool.hash,
  title: tool.title,
  description: tool.description,
  inputSchema: withSortedKeys(tool.inputSchema),
  outputSchema: withSortedKeys(tool.outputSchema),
  annotations: withSortedKeys(tool.annotations),
  ui: withSortedKeys(tool.ui),
  uiHash: tool.uiHash,
  accepted: tool.accepted,
});

const mapSortedByKey = <Value, Other>(
  record: Readonly<Record<string, Value>>,
  to: (value: Value) => Other,
): Readonly<Record<string, Other>> =>
  Object.fromEntries(
    Object.keys(record)
      .sort()
      .map((key) => [key, to(record[key]!)]),
  );

const serverFields = ({ launch, launchHash, serverInfo, tools }: LockedServer): unknown => ({
  launch: launchFields(launch),
  launchHash,
  serverInfo,
  tools: mapSortedByKey(tools, toolFields),
});

/** Always the same text for the same lock, in an order made for reading: a change of one field is a change of one line. */
export const writeLock = (lock: Lock): string =>
  `${prettyJson({ lockVersion: lock.lockVersion, servers: mapSortedByKey(lock.servers, serverFields) })}\n`;

/** A whole number that JavaScript cannot count exactly is written with an exponent: strict readers refuse it otherwise. */
const writeNumber = (value: number): string =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : JSON.stringify(value);

/** Whatever is not seen is written as an escape: a pull request must show what a model would read. */
const writeString = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (sign) =>
      sign
        .split("")
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join(""),
  );

const jsonBlock = (open: string, close: string, parts: readonly string[], indent: string): string =>
  parts.length === 0
    ? open + close
    : `${open}\n${parts.map((part) => `${indent}  ${part}`).join(",\n")}\n${indent}${close}`;

/** JSON by two spaces; keys keep their order, and members that are `undefined` do not count. */
const prettyJson = (value: unknown, indent = ""): string => {
  const inner = `${indent}  `;
  if (typeof value === "string") return writeString(value);
  if (typeof value === "number") return writeNumber(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return jsonBlock(
      "[",
      "]",
      value.map((item) => prettyJson(item, inner)),
      indent,
    );
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const parts = members.map(([key, member]) => `${writeString(key)}: ${prettyJson(member, inner)}`);
  return jsonBlock("{", "}", parts, indent);
};

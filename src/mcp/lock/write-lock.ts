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

/** Deterministic; a changed field is a changed line. */
export const writeLock = (lock: Lock): string =>
  `${prettyJson({ lockVersion: lock.lockVersion, servers: mapSortedByKey(lock.servers, serverFields) })}\n`;

/** Strict JSON readers refuse unsafe integers without an exponent. */
const writeNumber = (value: number): string =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : JSON.stringify(value);

/** A pull request must show everything that a model reads. */
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

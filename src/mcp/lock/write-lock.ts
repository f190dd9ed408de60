import { canonicalJson } from "../../json/canonical-json.ts";
import type { Launch, Lock, LockedServer, LockedTool } from "./locked.ts";
import { prettyJson } from "./pretty-json.ts";

const sorted = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(canonicalJson(value));

const launchFields = (launch: Launch): Launch =>
  "command" in launch
    ? {
        command: launch.command,
        args: launch.args,
        ...(launch.cwd === undefined ? {} : { cwd: launch.cwd }),
        envKeys: launch.envKeys,
      }
    : { url: launch.url, transport: launch.transport };

const toolFields = (tool: LockedTool): Readonly<Record<string, unknown>> => ({
  hash: tool.hash,
  title: tool.title,
  description: tool.description,
  inputSchema: sorted(tool.inputSchema),
  outputSchema: sorted(tool.outputSchema),
  annotations: sorted(tool.annotations),
  accepted: tool.accepted,
});

const byKey = <Value, Other>(
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
  tools: byKey(tools, toolFields),
});

/** Always the same text for the same lock, in an order made for reading: a change of one field is a change of one line. */
export const writeLock = (lock: Lock): string =>
  `${prettyJson({ lockVersion: 1, servers: byKey(lock.servers, serverFields) })}\n`;

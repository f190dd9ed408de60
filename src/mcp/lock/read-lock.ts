import { freezeJson } from "../../json/freeze-json.ts";
import { isObject, type JsonObject } from "../../json/is-object.ts";
import { toPointer } from "../../json/pointer.ts";
import { readJson } from "../../json/read-json.ts";
import { ConfigurationError } from "../../words/errors.ts";
import { hashAt, lockedDefinitionOf } from "./definition.ts";
import { shown } from "./flags/visible.ts";
import { launchHashOf } from "./launch.ts";
import type { Launch, Lock, LockedServer, LockedTool } from "./locked.ts";

type JsonPath = readonly (string | number)[];
const limits = { maxLength: 64 * 1_048_576, maxDepth: 80 };
const remedy =
  "Until it is whole no remote tool is offered and no server starts. Take the file from version control again, or review everything again: haft lock --rebuild.";

const broken = (what: string, path?: JsonPath): ConfigurationError => {
  const where = path === undefined || path.length === 0 ? "" : ` (at ${shown(toPointer(path), 200)})`;
  return new ConfigurationError(
    "invalid_config",
    `The lock of the tools is corrupt: ${what}${where}. ${remedy}`,
  );
};

const isText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);

interface LockField {
  readonly is: (value: unknown) => boolean;
  readonly what: string;
  readonly isOptional?: boolean;
}

const text: LockField = { is: isText, what: "a string" };
const texts: LockField = { is: isTexts, what: "a list of strings" };
const record: LockField = { is: isObject, what: "an object" };
const hash: LockField = {
  is: (value) => isText(value) && /^sha256:[0-9a-f]{64}$/.test(value),
  what: '"sha256:" and 64 hexadecimal digits',
};
const optional = (kind: LockField): LockField => ({ ...kind, isOptional: true });

const lockKinds = {
  lockVersion: { is: (value: unknown) => value === 1 || value === 2, what: "1 or 2" },
  servers: record,
};
const serverKinds = { launch: record, launchHash: hash, serverInfo: optional(text), tools: record };
const stdioKinds = {
  command: text,
  args: texts,
  cwd: optional(text),
  envKeys: texts,
  sandbox: optional(record),
};
const sandboxKinds = {
  engine: { is: (value: unknown) => value === "bubblewrap", what: '"bubblewrap"' },
  read: texts,
  write: texts,
  network: { is: (value: unknown) => typeof value === "boolean", what: "true or false" },
};
const remoteKinds = {
  url: text,
  transport: {
    is: (value: unknown) => ["http", "sse", "websocket"].includes(value as string),
    what: '"http", "sse" or "websocket"',
  },
};
const toolKinds = {
  hash,
  title: optional(text),
  description: optional(text),
  inputSchema: record,
  outputSchema: optional(record),
  annotations: optional(record),
  accepted: optional(texts),
};

/** Before version 2 nobody reviewed an app, so none is believed to be. */
const kindsOfTool = { 1: toolKinds, 2: { ...toolKinds, ui: optional(record), uiHash: optional(hash) } };

/** Every field that must be there is there, and no other: one that nobody knows may have meant something. */
const checked = (value: unknown, kinds: Readonly<Record<string, LockField>>, path: JsonPath): JsonObject => {
  if (!isObject(value)) throw broken("an object is missing", path);
  for (const key of Object.keys(value))
    if (!Object.hasOwn(kinds, key)) throw broken(`there is a field nobody knows, ${shown(key, 60)}`, path);
  for (const [key, { is, what, isOptional }] of Object.entries(kinds)) {
    if (!Object.hasOwn(value, key)) {
      if (isOptional === true) continue;
      throw broken(`the field ${key} is missing`, path);
    }
    if (!is(value[key])) throw broken(`${key} must be ${what}`, [...path, key]);
  }
  return value;
};

const readTool = (
  value: unknown,
  name: string,
  fits: (name: string, tool: LockedTool) => boolean,
  version: Lock["lockVersion"],
  path: JsonPath,
): void => {
  const tool = checked(value, kindsOfTool[version], path) as unknown as LockedTool;
  if (!fits(name, tool))
    throw broken("the text of this tool does not have the hash beside it, so one of them was edited", path);
};

const readServer = (value: unknown, id: string, version: Lock["lockVersion"], path: JsonPath): void => {
  const server = checked(value, serverKinds, path) as unknown as LockedServer;
  const at = [...path, "launch"];
  const launch = checked(
    server.launch,
    Object.hasOwn(server.launch, "command") ? stdioKinds : remoteKinds,
    at,
  ) as unknown as Launch;
  if ("sandbox" in launch) checked(launch.sandbox, sandboxKinds, [...at, "sandbox"]);
  if (launchHashOf(launch) !== server.launchHash)
    throw broken("the launch of this server does not have the hash beside it, so one of them was edited", at);
  const hashOf = hashAt(id, launch);
  const fits = (name: string, tool: LockedTool): boolean =>
    hashOf(lockedDefinitionOf(name, tool)) === tool.hash;
  for (const [name, tool] of Object.entries(server.tools))
    readTool(tool, name, fits, version, [...path, "tools", name]);
};

const refuseVersion = (value: unknown): void => {
  const version = isObject(value) ? value.lockVersion : undefined;
  if (typeof version === "number" && version !== 1 && version !== 2)
    throw broken(
      `it has the version ${version}, and this haft reads versions 1 and 2: a newer haft may have written it`,
      ["lockVersion"],
    );
};

/**
 * A lock as it was written, or a ConfigurationError that says where it is not: unknown fields, keys that come twice
 * and texts that do not fit their hashes are all refused, for a lock that is believed in part protects nothing.
 */
export const readLock = (written: string): Lock => {
  if (/^(?:<{7}|={7}|>{7}) /m.test(written))
    throw broken(
      "it holds the marks of a merge that was not finished. Merge it, or take one side and run haft lock",
    );
  const reading = readJson(written, limits);
  if (!reading.ok) throw broken(`it is not strict JSON: ${reading.problem.message.replace(/\.$/, "")}`);
  refuseVersion(reading.value);
  const lock = checked(reading.value, lockKinds, []) as unknown as Lock;
  for (const [id, server] of Object.entries(lock.servers))
    readServer(server, id, lock.lockVersion, ["servers", id]);
  return freezeJson(lock);
};

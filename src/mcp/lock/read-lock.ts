import { freezeJson, isObject, type JsonObject, toPointer } from "../../base/json/json-value.ts";
import { readJson } from "../../base/json/read-json.ts";
import { shown } from "../../base/text/visible.ts";
import { ConfigurationError } from "../../types/errors.ts";
import { definitionHasher, lockedDefinitionOf } from "./definition.ts";
import { launchHashOf } from "./launch.ts";
import type { Launch, Lock, LockedServer, LockedTool } from "./lock.ts";

type LockPath = readonly (string | number)[];
const lockTextLimits = { maxLength: 64 * 1_048_576, maxDepth: 80 };
const lockRemedy =
  "Until it is repaired, no remote tool is offered and no server starts. Restore the file from version control, or review everything again with haft lock --rebuild.";

const corruptLockError = (what: string, path?: LockPath): ConfigurationError => {
  const where = path === undefined || path.length === 0 ? "" : ` (at ${shown(toPointer(path), 200)})`;
  return new ConfigurationError(
    "invalid_config",
    `The lock of the tools is corrupt: ${what}${where}. ${lockRemedy}`,
  );
};

const isString = (value: unknown): value is string => typeof value === "string";
const isStringList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isString);

interface LockFieldRule {
  readonly is: (value: unknown) => boolean;
  readonly what: string;
  readonly isOptional?: boolean;
}

const stringField: LockFieldRule = { is: isString, what: "a string" };
const stringListField: LockFieldRule = { is: isStringList, what: "a list of strings" };
const objectField: LockFieldRule = { is: isObject, what: "an object" };
const hashField: LockFieldRule = {
  is: (value) => isString(value) && /^sha256:[0-9a-f]{64}$/.test(value),
  what: '"sha256:" and 64 hexadecimal digits',
};
const optionalField = (kind: LockFieldRule): LockFieldRule => ({ ...kind, isOptional: true });

const lockFields = {
  lockVersion: { is: (value: unknown) => value === 1 || value === 2, what: "1 or 2" },
  servers: objectField,
};
const serverFields = {
  launch: objectField,
  launchHash: hashField,
  serverInfo: optionalField(stringField),
  tools: objectField,
};
const stdioFields = {
  command: stringField,
  args: stringListField,
  cwd: optionalField(stringField),
  envKeys: stringListField,
  sandbox: optionalField(objectField),
};
const sandboxFields = {
  engine: { is: (value: unknown) => value === "bubblewrap", what: '"bubblewrap"' },
  read: stringListField,
  write: stringListField,
  network: { is: (value: unknown) => typeof value === "boolean", what: "true or false" },
};
const remoteFields = {
  url: stringField,
  transport: {
    is: (value: unknown) => ["http", "sse", "websocket"].includes(value as string),
    what: '"http", "sse" or "websocket"',
  },
};
const toolFields = {
  hash: hashField,
  title: optionalField(stringField),
  description: optionalField(stringField),
  inputSchema: objectField,
  outputSchema: optionalField(objectField),
  annotations: optionalField(objectField),
  accepted: optionalField(stringListField),
};

/** Apps in a version 1 lockfile were not reviewed. */
const toolFieldsByVersion = {
  1: toolFields,
  2: { ...toolFields, ui: optionalField(objectField), uiHash: optionalField(hashField) },
};

const checkFields = (
  value: unknown,
  kinds: Readonly<Record<string, LockFieldRule>>,
  path: LockPath,
): JsonObject => {
  if (!isObject(value)) throw corruptLockError("an object is required", path);
  for (const key of Object.keys(value))
    if (!Object.hasOwn(kinds, key)) throw corruptLockError(`unknown field ${shown(key, 60)}`, path);
  for (const [key, { is, what, isOptional }] of Object.entries(kinds)) {
    if (!Object.hasOwn(value, key)) {
      if (isOptional === true) continue;
      throw corruptLockError(`the field ${key} is missing`, path);
    }
    if (!is(value[key])) throw corruptLockError(`${key} must be ${what}`, [...path, key]);
  }
  return value;
};

const checkTool = (
  value: unknown,
  name: string,
  fits: (name: string, tool: LockedTool) => boolean,
  version: Lock["lockVersion"],
  path: LockPath,
): void => {
  const tool = checkFields(value, toolFieldsByVersion[version], path) as unknown as LockedTool;
  if (!fits(name, tool))
    throw corruptLockError("the text of this tool does not match its hash, so one of them was edited", path);
};

const checkServer = (value: unknown, id: string, version: Lock["lockVersion"], path: LockPath): void => {
  const server = checkFields(value, serverFields, path) as unknown as LockedServer;
  const at = [...path, "launch"];
  const launch = checkFields(
    server.launch,
    Object.hasOwn(server.launch, "command") ? stdioFields : remoteFields,
    at,
  ) as unknown as Launch;
  if ("sandbox" in launch) checkFields(launch.sandbox, sandboxFields, [...at, "sandbox"]);
  if (launchHashOf(launch) !== server.launchHash)
    throw corruptLockError(
      "the launch of this server does not match its hash, so one of them was edited",
      at,
    );
  const hashOf = definitionHasher(id, launch);
  const fits = (name: string, tool: LockedTool): boolean =>
    hashOf(lockedDefinitionOf(name, tool)) === tool.hash;
  for (const [name, tool] of Object.entries(server.tools))
    checkTool(tool, name, fits, version, [...path, "tools", name]);
};

const checkVersion = (value: unknown): void => {
  const version = isObject(value) ? value.lockVersion : undefined;
  if (typeof version === "number" && version !== 1 && version !== 2)
    throw corruptLockError(
      `it has the version ${version}, and this haft reads versions 1 and 2: a newer haft may have written it`,
      ["lockVersion"],
    );
};

/** Unknown fields, duplicate keys and wrong hashes are errors: a partly trusted lockfile protects nothing. */
export const readLock = (written: string): Lock => {
  if (/^(?:<{7}|={7}|>{7}) /m.test(written))
    throw corruptLockError(
      "it contains conflict markers of an unfinished merge. Resolve the conflict, or keep one side and run haft lock",
    );
  const reading = readJson(written, lockTextLimits);
  if (!reading.ok)
    throw corruptLockError(`it is not strict JSON: ${reading.problem.message.replace(/\.$/, "")}`);
  checkVersion(reading.value);
  const lock = checkFields(reading.value, lockFields, []) as unknown as Lock;
  for (const [id, server] of Object.entries(lock.servers))
    checkServer(server, id, lock.lockVersion, ["servers", id]);
  return freezeJson(lock);
};

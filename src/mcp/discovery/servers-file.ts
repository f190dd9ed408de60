import { readFile } from "node:fs/promises";
import { checkFields } from "../../base/json/check-fields.ts";
import { readJson } from "../../base/json/read-json.ts";
import { replaceFile } from "../../base/platform/replace-file.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { McpServer } from "../../types/mcp.ts";
import { readServer } from "../client/read-server.ts";

export type ServersById = Readonly<Record<string, McpServer>>;

interface ServersDocument {
  readonly $schema?: unknown;
  readonly servers?: ServersById;
}

export const readServersFile = async (file: string): Promise<ServersById> =>
  (await readDocument(file)).servers ?? {};

/** Adds, replaces or removes one server. */
export const writeServersFile = async (
  file: string,
  id: string,
  server: McpServer | undefined,
): Promise<void> => {
  const document = await readDocument(file);
  if (server !== undefined) readServer(id, server);
  const others = Object.entries(document.servers ?? {});
  const isNew = !others.some(([each]) => each === id);
  const kept = others.filter(([each]) => server !== undefined || each !== id);
  const servers = Object.fromEntries([
    ...kept.map(([each, before]) => [each, each === id ? server : before] as const),
    ...(isNew && server !== undefined ? [[id, server] as const] : []),
  ]);
  await replaceFile(file, `${JSON.stringify({ ...document, servers }, null, 2)}\n`);
};

const readDocument = async (file: string): Promise<ServersDocument> => {
  const text = await readFile(file, "utf8").catch((trouble: unknown) => {
    if ((trouble as { readonly code?: unknown }).code === "ENOENT") return undefined;
    throw trouble;
  });
  if (text === undefined) return {};
  const reading = readJson(text.startsWith("\uFEFF") ? text.slice(1) : text);
  if (!reading.ok) throw serversFileError(`${file} cannot be read: ${reading.problem.message}`);
  checkFields(file, reading.value, ["servers", "$schema"]);
  const { servers } = reading.value as { readonly servers?: unknown };
  if (servers === undefined) return reading.value as ServersDocument;
  if (typeof servers !== "object" || servers === null || Array.isArray(servers)) {
    throw serversFileError(`${file}: "servers" must be an object of servers by their ids.`);
  }
  for (const [id, server] of Object.entries(servers)) {
    try {
      readServer(id, server);
    } catch (cause) {
      throw serversFileError(`${file}: ${(cause as Error).message}`, cause);
    }
  }
  return reading.value as ServersDocument;
};

const serversFileError = (message: string, cause?: unknown): ConfigurationError =>
  new ConfigurationError("invalid_config", message, cause === undefined ? {} : { cause });

import { basename } from "node:path";
import { isStdio, type McpServer } from "../../words/mcp.ts";

const runners = new Set(["npx", "bunx", "pnpx", "uvx"]);

/** A package without a version is another program whenever its author likes. */
export const unpinned = (server: McpServer): readonly string[] => {
  if (!isStdio(server)) return [];
  const words = [server.command, ...(server.args ?? [])];
  const at = words.findIndex((word) => runners.has(basename(word).replace(/\.(?:cmd|exe)$/i, "")));
  if (at < 0) return [];
  const name = words.slice(at + 1).find((word) => !word.startsWith("-"));
  if (name === undefined || /^[./\\]|:/.test(name)) return [];
  const version = /^(?:@[^/]+\/)?[^@=]+(?:@|==)(.+)$/.exec(name)?.[1];
  if (version !== undefined && version !== "latest") return [];
  return [
    `${name} is whatever version is newest when it is started; name one, such as ${name.replace(/@latest$/, "")}@1.2.3.`,
  ];
};

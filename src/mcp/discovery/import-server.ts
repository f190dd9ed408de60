import { isStdioServer, type MaybeSecret, type McpServer } from "../../types/mcp.ts";
import {
  environmentVariableOf,
  fillPlaceholders,
  findPlaceholders,
  type PlaceholderValues,
  secretName,
} from "./convert-server.ts";
import type { DiscoveredServer } from "./discovered-server.ts";

export interface RequiredSecret {
  readonly name: string;
  /** Such as `env GITHUB_TOKEN` or `header Authorization`. */
  readonly for: string;
  /** Original format, such as `Bearer ${TOKEN}`; the secret replaces all of it. */
  readonly format?: string;
}

export interface ImportedServer {
  readonly server: McpServer;
  readonly secrets: readonly RequiredSecret[];
  /** Placeholders that nothing fills in at start. */
  readonly unfilled: readonly string[];
}

export interface ImportContext {
  readonly id: string;
  readonly filling: PlaceholderValues;
  /** Used names: no server may receive another one's secret. */
  readonly taken: ReadonlySet<string>;
}

export const importServer = (found: DiscoveredServer, context: ImportContext): ImportedServer | undefined => {
  if (found.config === undefined) return undefined;
  const { id: _, ...config } = found.config;
  const { filling } = context;
  const allowsDollar = found.from.client === "gemini";
  const filled = (text: string): string => fillPlaceholders(text, filling);
  const secrets: RequiredSecret[] = [];
  const byName = (what: "env" | "header", values: Readonly<Record<string, MaybeSecret>> | undefined) =>
    values === undefined
      ? undefined
      : Object.fromEntries(
          Object.entries(values).map(([name, value]) => {
            const needed = toRequiredSecret(what, name, value, context);
            secrets.push(needed);
            return [name, { secret: needed.name }] as const;
          }),
        );
  if (isStdioServer(config)) {
    const { command, args, env, cwd, ...rest } = config;
    const words = [command, ...(args ?? []), ...(cwd === undefined ? [] : [cwd])];
    const variables = byName("env", env);
    const server: McpServer = {
      ...rest,
      command: filled(command),
      ...(args === undefined ? {} : { args: args.map(filled) }),
      ...(variables === undefined ? {} : { env: variables }),
      ...(cwd === undefined ? {} : { cwd: filled(cwd) }),
    };
    return {
      server,
      secrets,
      unfilled: words.flatMap((word) => findPlaceholders(word, filling, allowsDollar)),
    };
  }
  const { url, headers, ...rest } = config;
  const named = byName("header", headers);
  const server: McpServer = { ...rest, url: filled(url), ...(named === undefined ? {} : { headers: named }) };
  return { server, secrets, unfilled: findPlaceholders(url, filling, allowsDollar) };
};

const toRequiredSecret = (
  what: "env" | "header",
  key: string,
  value: MaybeSecret,
  context: ImportContext,
): RequiredSecret => {
  const variable = typeof value === "string" ? environmentVariableOf(value) : undefined;
  const own = what === "env" ? secretName("", key) : secretName(context.id, key);
  // A named variable has the same value for all servers.
  const name = variable ?? (context.taken.has(own) ? secretName(context.id, key) : own);
  const format = typeof value === "string" && variable === undefined ? { format: value } : {};
  return { name, for: `${what} ${key}`, ...format };
};

import { isStdio, type MaybeSecret, type McpServer } from "../../words/mcp.ts";
import type { FoundServer } from "./found-server.ts";
import { fill, type PlaceholderValues, placeholdersIn, variableOf } from "./placeholders.ts";
import { secretName } from "./to-server.ts";

/** A secret that the server needs and nobody copied. */
export interface NeededSecret {
  readonly name: string;
  /** `env GITHUB_TOKEN`, or `header Authorization`. */
  readonly for: string;
  /** What the other file has around it, such as `Bearer ${TOKEN}`, where the secret is the whole value. */
  readonly like?: string;
}

export interface TakenOver {
  readonly server: McpServer;
  readonly secrets: readonly NeededSecret[];
  /** Placeholders in the command or address: nothing here would fill them in when the server is started. */
  readonly unfilled: readonly string[];
}

export interface Taking {
  readonly id: string;
  readonly filling: PlaceholderValues;
  /** Names of secrets that other servers ask for: no server gets another one's under the same name. */
  readonly taken: ReadonlySet<string>;
}

/** A server that was found, as our own file has it: known folders filled in, and secrets by name only. */
export const takeOver = (found: FoundServer, taking: Taking): TakenOver | undefined => {
  if (found.config === undefined) return undefined;
  const { id: _, ...config } = found.config;
  const { filling } = taking;
  const hasBare = found.from.client === "gemini";
  const filled = (text: string): string => fill(text, filling);
  const secrets: NeededSecret[] = [];
  const byName = (what: "env" | "header", values: Readonly<Record<string, MaybeSecret>> | undefined) =>
    values === undefined
      ? undefined
      : Object.fromEntries(
          Object.entries(values).map(([name, value]) => {
            const needed = secretFor(what, name, value, taking);
            secrets.push(needed);
            return [name, { secret: needed.name }] as const;
          }),
        );
  if (isStdio(config)) {
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
    return { server, secrets, unfilled: words.flatMap((word) => placeholdersIn(word, filling, hasBare)) };
  }
  const { url, headers, ...rest } = config;
  const named = byName("header", headers);
  const server: McpServer = { ...rest, url: filled(url), ...(named === undefined ? {} : { headers: named }) };
  return { server, secrets, unfilled: placeholdersIn(url, filling, hasBare) };
};

const secretFor = (what: "env" | "header", key: string, value: MaybeSecret, taking: Taking): NeededSecret => {
  const variable = typeof value === "string" ? variableOf(value) : undefined;
  const own = what === "env" ? secretName("", key) : secretName(taking.id, key);
  // A variable that the other file names is the same one here; any other name may mean another value.
  const name = variable ?? (taking.taken.has(own) ? secretName(taking.id, key) : own);
  const like = typeof value === "string" && variable === undefined ? { like: value } : {};
  return { name, for: `${what} ${key}`, ...like };
};

import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { CommandSource } from "../secret-source.ts";
import { runSecretCommand } from "./run-secret-command.ts";
import { SecretError } from "./secret-error.ts";
import type { SecretFinder } from "./secret-source-readers.ts";

const commandTimeoutMs = 10_000;
const defaultCacheMs = 5 * 60_000;

interface CachedSecret {
  readonly value: string;
  readonly until: number;
}

const argvOf = ({ argv }: CommandSource, name: string): readonly string[] | undefined => {
  const found = typeof argv === "function" ? argv(name) : Object.hasOwn(argv, name) ? argv[name] : undefined;
  if (found === undefined) return undefined;
  const isSound =
    Array.isArray(found) && found.every((part) => typeof part === "string" && !part.includes("\0"));
  if (isSound && found[0] !== undefined && found[0] !== "") return found;
  throw new SecretError("the command is not a list of a program and its arguments");
};

export const commandFinder = (source: CommandSource): SecretFinder => {
  const { env = [], cacheMs = defaultCacheMs } = source;
  const kept = new Map<string, CachedSecret>();
  const running = new Map<string, Promise<string>>();

  const start = (name: string, argv: readonly string[]): Promise<string> => {
    const run = runSecretCommand(argv, { env, timeoutMs: commandTimeoutMs }).finally(() =>
      running.delete(name),
    );
    running.set(name, run);
    return run;
  };

  const ask = Effect.fnUntraced(function* (name: string) {
    const now = yield* Clock.currentTimeMillis;
    const known = kept.get(name);
    if (known !== undefined && now < known.until) return known.value;
    const argv = yield* Effect.try({ try: () => argvOf(source, name), catch: (error) => error });
    if (argv === undefined) return undefined;
    const value = yield* Effect.tryPromise({
      try: () => running.get(name) ?? start(name, argv),
      catch: (error) => error,
    });
    kept.set(name, { value, until: now + cacheMs });
    return value;
  });

  return {
    find: ask,
    places: (name) => {
      let program: string | undefined;
      try {
        program = argvOf(source, name)?.[0];
      } catch {
        return ["an invalid command"];
      }
      return [
        program === undefined ? "command (not configured for it)" : `the command ${JSON.stringify(program)}`,
      ];
    },
  };
};

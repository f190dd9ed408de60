import { isObject } from "../../json/is-object.ts";
import type { CommandSource, SecretSource, SecretSourceConfig } from "../secret-source.ts";
import { secretPathOf, variableOf } from "./secret-finder.ts";

/** One place that configuration looks for a secret in. `code` stands for functions and for values, which are the secret. */
export type SecretOrigin =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[]; readonly env: readonly string[] }
  | "code";

/**
 * Every place that a secret of this name is looked for in, in the order in which they are asked. Reads configuration that
 * was not checked yet, and leaves out what no place can be.
 */
export const secretOrigins = (source: SecretSource, name: string): readonly SecretOrigin[] => {
  if (typeof source === "function") return ["code"];
  if (Array.isArray(source)) return source.flatMap((each) => secretOrigins(each, name));
  if (!isObject(source)) return [];
  const { values, env, file, command, sources = [] } = source as SecretSourceConfig;
  const variable = isPlace(env) ? variableOf(env, name) : undefined;
  const path = isPlace(file) ? secretPathOf(file, name) : undefined;
  return [
    ...(isObject(values) && Object.hasOwn(values, name) ? (["code"] as const) : []),
    ...(typeof variable === "string" ? [{ env: variable }] : []),
    ...(typeof path === "string" ? [{ file: path }] : []),
    ...(isObject(command) ? commandOrigins(command as unknown as CommandSource, name) : []),
    ...secretOrigins(sources, name),
  ];
};

type Place = string | Readonly<Record<string, string>>;

const isPlace = (place: Place | undefined): place is Place => typeof place === "string" || isObject(place);

const commandOrigins = ({ argv, env = [] }: CommandSource, name: string): readonly SecretOrigin[] => {
  if (typeof argv === "function") return ["code"];
  const words = isObject(argv) && Object.hasOwn(argv, name) ? argv[name] : undefined;
  return Array.isArray(words) ? [{ command: words, env }] : [];
};

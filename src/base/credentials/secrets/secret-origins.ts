import { isObject } from "../../json/json-value.ts";
import type { CommandSource, SecretSource, SecretSourceConfig } from "../secret-source.ts";
import { secretPathOf, variableOf } from "./secret-source-readers.ts";

/** `code` means functions and inline values. */
export type SecretOrigin =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[]; readonly env: readonly string[] }
  | "code";

/**
 * The places of a secret in search order. Skips invalid places, because the configuration is not validated
 * yet.
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

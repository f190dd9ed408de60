import type { ToolOrigin } from "../types/tool.ts";
import type { NameResolver } from "./name-resolver.ts";

/** Why a name resolves to its tool. Contains full names. */
export interface Explanation {
  readonly name: string;
  /** Missing if the name is unknown or ambiguous. */
  readonly answers: string | undefined;
  readonly origin: ToolOrigin | undefined;
  /** Tools with the same short name that the resolved tool shadows. */
  readonly shadows: readonly string[];
  /** The tool that shadows the short name of the resolved tool, if there is one. */
  readonly shadowedBy: string | undefined;
  /** Every tool that the name could mean, in order of precedence. */
  readonly candidates: readonly string[];
}

export const explainName = (names: NameResolver, name: string): Explanation => {
  const resolution = names.resolve(name);
  const registration = resolution.ok ? resolution.registration : undefined;
  const short = registration?.tool.spec.name ?? name;
  const bearers = names.bearers(short).map((bearer) => bearer.key);
  const meant = names.resolve(short);
  const shortAnswer = meant.ok ? meant.registration.key : undefined;
  const answers = registration?.key;
  const isShort = name === short;
  return Object.freeze({
    name,
    answers,
    origin: registration?.origin,
    shadows:
      answers !== undefined && answers === shortAnswer ? bearers.filter((bearer) => bearer !== answers) : [],
    shadowedBy: answers !== undefined && shortAnswer !== answers ? shortAnswer : undefined,
    candidates: isShort ? bearers : answers === undefined ? [] : [answers],
  });
};

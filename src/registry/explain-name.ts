import type { ToolOrigin } from "../types/tool.ts";
import type { NameResolver } from "./name-resolver.ts";

/** Why a name means the tool it means. Names in it are full names. */
export interface Explanation {
  readonly name: string;
  /** Missing when nothing has the name, or when several tools of one source do. */
  readonly answers: string | undefined;
  readonly origin: ToolOrigin | undefined;
  /** Tools of the same short name that the answering one keeps from answering to it. */
  readonly shadows: readonly string[];
  /** The tool that keeps the answering one from answering to its short name, if one does. */
  readonly shadowedBy: string | undefined;
  /** Every tool the name could mean, in order of precedence. */
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

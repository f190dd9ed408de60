import { foldText } from "./find-value.ts";

/**
 * Targets that are trusted, by argument name: `{ recipients: ["*@example.com"], url: ["docs.example.com"] }`.
 * `*` stands for any characters except `@`, `/`, `:` and white space. For links the entry is the host.
 */
export type KnownTargets = Readonly<Record<string, readonly string[]>>;

export type KnownTargetCheck = (argument: string, value: string) => boolean;

export const compileKnownTargets = (targets: KnownTargets): KnownTargetCheck => {
  const byArgument = new Map(
    Object.entries(targets).map(([name, entries]) => [name, entries.map(toPattern)] as const),
  );
  return (argument, value) => {
    const patterns = byArgument.get(argument);
    if (patterns === undefined) return false;
    const folded = foldText(value).trim();
    const host = hostOf(folded);
    return patterns.some((pattern) => pattern.test(folded) || (host !== undefined && pattern.test(host)));
  };
};

const toPattern = (entry: string): RegExp =>
  new RegExp(
    `^${foldText(entry)
      .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", "[^@/:\\s]+")}$`,
    "u",
  );

/** Undefined for links with user names, which hide the host from readers. */
export const hostOf = (value: string): string | undefined => {
  if (!/^[\w.-]+(:\d+)?([/?#]|$)|^https?:\/\//.test(value) || /[\s\\]/.test(value)) return undefined;
  try {
    const { host, username, password } = new URL(value.includes("://") ? value : `https://${value}`);
    return username === "" && password === "" ? host : undefined;
  } catch {
    return undefined;
  }
};

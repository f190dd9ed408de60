import { foldText } from "./find-value.ts";

/**
 * Targets that are trusted, by argument name: `{ recipients: ["*@example.com"], url: ["docs.example.com"] }`.
 * `*` stands for letters, digits, `.`, `_`, `+` and `-`. For links the entry is the host.
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
    // The raw value, as the tool gets it: folding can turn other characters into the end of a host.
    const host = hostOf(value.trim());
    return patterns.some((pattern) => pattern.test(folded) || (host !== undefined && pattern.test(host)));
  };
};

const toPattern = (entry: string): RegExp => {
  const escaped = foldText(entry).replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("*", String.raw`[\p{L}\p{N}._+-]+`)}$`, "u");
};

/** Undefined for links with user names, which hide the host from readers. */
export const hostOf = (value: string): string | undefined => {
  if (!/^[\w.-]+(:\d+)?([/?#]|$)|^https?:\/\//i.test(value) || /[\s\\]/.test(value)) return undefined;
  try {
    const { host, username, password } = new URL(value.includes("://") ? value : `https://${value}`);
    return username === "" && password === "" ? host : undefined;
  } catch {
    return undefined;
  }
};

/** What clients let stand for something else: `${input:x}`, `${env:X}`, `${X}`, `${X:-default}`, and `$X` where dollars count. */
const braced = /\$\{([^{}]*)\}/g;
const bare = /\$(?:\{[^{}]*\}|([A-Za-z_]\w*))/g;

/** Known without asking, where the file is for a folder. */
const folders = new Set(["workspaceFolder", "workspaceRoot", "CLAUDE_PROJECT_DIR"]);

export interface PlaceholderValues {
  readonly home: string;
  readonly project?: string | undefined;
  readonly separator: string;
}

const nameIn = (inside: string): string => {
  const name =
    inside.startsWith("env:") || inside.startsWith("input:") ? inside.slice(inside.indexOf(":") + 1) : inside;
  const end = name.indexOf(":-");
  return end < 0 ? name : name.slice(0, end);
};

const known = (inside: string, { home, project, separator }: PlaceholderValues): string | undefined => {
  if (inside === "userHome") return home;
  if (inside === "pathSeparator" || inside === "/") return separator;
  const name = inside.startsWith("env:") ? inside.slice(4) : inside;
  const plain = nameIn(name);
  if (folders.has(plain)) return project;
  return plain === "HOME" ? home : undefined;
};

/** With everything filled in that is known without asking anybody. */
export const fill = (text: string, filling: PlaceholderValues): string =>
  text.replace(braced, (whole, inside: string) => known(inside, filling) ?? whole);

/** Names of what somebody has to fill in, once each. */
export const placeholdersIn = (
  text: string,
  filling: PlaceholderValues,
  hasBare: boolean,
): readonly string[] => {
  const names = Array.from(fill(text, filling).matchAll(braced), ([, inside]) => nameIn(inside!));
  if (hasBare) for (const [, name] of text.matchAll(bare)) if (name !== undefined) names.push(name);
  return [...new Set(names)];
};

const scheme = /^(?:Bearer|Basic|Token)\s+/i;

/** A value with nothing in it but placeholders, and perhaps the word that goes before a token. Defaults are dropped: they are values. */
export const onlyPlaceholders = (value: string, hasBare: boolean): string | undefined => {
  const rest = value.replace(scheme, "").replace(hasBare ? bare : braced, "");
  if (rest.trim() !== "" || value.trim() === "" || rest === value.replace(scheme, "")) return undefined;
  return value.replace(braced, (_, inside: string) => {
    const end = inside.indexOf(":-");
    return `\${${end < 0 ? inside : inside.slice(0, end)}}`;
  });
};

/** The variable of the environment that a value is and nothing else, so that the secret can have its name. */
export const variableOf = (value: string): string | undefined =>
  /^\$\{(?:env:)?([A-Za-z_]\w*)\}$/.exec(value)?.[1] ?? /^\$([A-Za-z_]\w*)$/.exec(value)?.[1];

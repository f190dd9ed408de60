/** `${input:x}`, `${env:X}`, `${X}`, `${X:-default}`, and `$X` for Gemini. */
const bracedPlaceholder = /\$\{([^{}]*)\}/g;
const dollarPlaceholder = /\$(?:\{[^{}]*\}|([A-Za-z_]\w*))/g;

const folderVariables = new Set(["workspaceFolder", "workspaceRoot", "CLAUDE_PROJECT_DIR"]);

export interface PlaceholderValues {
  readonly home: string;
  readonly project?: string | undefined;
  readonly separator: string;
}

const placeholderName = (inside: string): string => {
  const name =
    inside.startsWith("env:") || inside.startsWith("input:") ? inside.slice(inside.indexOf(":") + 1) : inside;
  const end = name.indexOf(":-");
  return end < 0 ? name : name.slice(0, end);
};

const knownValue = (inside: string, { home, project, separator }: PlaceholderValues): string | undefined => {
  if (inside === "userHome") return home;
  if (inside === "pathSeparator" || inside === "/") return separator;
  const name = inside.startsWith("env:") ? inside.slice(4) : inside;
  const plain = placeholderName(name);
  if (folderVariables.has(plain)) return project;
  return plain === "HOME" ? home : undefined;
};

export const fillPlaceholders = (text: string, values: PlaceholderValues): string =>
  text.replace(bracedPlaceholder, (whole, inside: string) => knownValue(inside, values) ?? whole);

export const findPlaceholders = (
  text: string,
  values: PlaceholderValues,
  allowsDollar: boolean,
): readonly string[] => {
  const names = Array.from(fillPlaceholders(text, values).matchAll(bracedPlaceholder), ([, inside]) =>
    placeholderName(inside!),
  );
  if (allowsDollar)
    for (const [, name] of text.matchAll(dollarPlaceholder)) if (name !== undefined) names.push(name);
  return [...new Set(names)];
};

const authSchemePattern = /^(?:Bearer|Basic|Token)\s+/i;

/** Defaults are dropped, because they are values. */
export const asPlaceholderOnly = (value: string, allowsDollar: boolean): string | undefined => {
  const rest = value
    .replace(authSchemePattern, "")
    .replace(allowsDollar ? dollarPlaceholder : bracedPlaceholder, "");
  if (rest.trim() !== "" || value.trim() === "" || rest === value.replace(authSchemePattern, ""))
    return undefined;
  return value.replace(bracedPlaceholder, (_, inside: string) => {
    const end = inside.indexOf(":-");
    return `\${${end < 0 ? inside : inside.slice(0, end)}}`;
  });
};

export const environmentVariableOf = (value: string): string | undefined =>
  /^\$\{(?:env:)?([A-Za-z_]\w*)\}$/.exec(value)?.[1] ?? /^\$([A-Za-z_]\w*)$/.exec(value)?.[1];

/**
 * `value` is evaluated when its importer loads, `type` never, and `lazy` is an `import(…)`, which is
 * either a type or a module loaded later.
 */
export type ImportKind = "value" | "type" | "lazy";

export interface Import {
  readonly specifier: string;
  readonly kind: ImportKind;
  readonly line: number;
}

const mayPrecedeRegex =
  /(?:^|[([{,;:=!&|?+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|await|yield|void))$/;
const typeOnly = /\b(?:import|export)\s+type\b(?!\s*(?:,|from\b))[^;]*$/;

/**
 * Finds every module that a source text imports. Skips comments, other strings, templates and regular
 * expressions, so that an import in text does not count. `onCode` receives the code between them, with a
 * quote instead of each literal.
 */
export const readImports = (
  text: string,
  onCode: (code: string, line: number) => void = () => {},
): readonly Import[] => {
  const imports: Import[] = [];
  // Code since the last statement, without comments and literals.
  let code = "";
  // Brace depth at which each open template continues.
  const templates: number[] = [];
  let depth = 0;
  let line = 1;
  let at = 0;

  const skip = (to: number): void => {
    for (; at < to; at += 1) if (text[at] === "\n") line += 1;
  };
  const endOf = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.exec(text) === null ? text.length : pattern.lastIndex;
  };
  const readTemplate = (): void => {
    skip(endOf(/(?:\\.|\$(?!\{)|[^\\`$])*(?:`|\$\{)/sy));
    if (text[at - 1] === "{") {
      templates.push(depth);
      depth += 1;
      code += "(";
    } else code += '"';
  };
  const readString = (quote: string): void => {
    const begin = at;
    const before = code.trimEnd();
    const startLine = line;
    skip(endOf(quote === '"' ? /"(?:\\.|[^"\\\n])*"?/sy : /'(?:\\.|[^'\\\n])*'?/sy));
    const specifier = text.slice(begin + 1, at - 1);
    const found = (kind: ImportKind) => imports.push({ specifier, kind, line: startLine });
    if (/\b(?:import|require)\s*\($/.test(before)) found("lazy");
    else if (/(?:^|[^.\w$])import$/.test(before)) found("value");
    else if (/(?:^|[^.\w$])from$/.test(before)) found(typeOnly.test(before) ? "type" : "value");
    code += '"';
    onCode('"', line);
  };

  while (at < text.length) {
    const char = text[at]!;
    const next = text[at + 1];
    if (char === "/" && next === "/") skip(endOf(/[^\n]*/y));
    else if (char === "/" && next === "*") skip(endOf(/\/\*.*?\*\//sy));
    else if (char === '"' || char === "'") readString(char);
    else if (char === "/" && mayPrecedeRegex.test(code.trimEnd())) {
      skip(endOf(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y));
      code += '"';
    } else if (char === "`") {
      at += 1;
      readTemplate();
    } else if (char === "}" && templates.at(-1) === depth - 1) {
      templates.pop();
      depth -= 1;
      at += 1;
      readTemplate();
    } else {
      if (char === "{") depth += 1;
      if (char === "}") depth -= 1;
      code = char === ";" ? "" : code + char;
      onCode(char, line);
      skip(at + 1);
    }
  }
  return imports;
};

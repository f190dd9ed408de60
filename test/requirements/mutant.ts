import { parseAst } from "vite";

/** A change of one export of the source. It names no file, so it survives when code moves. */
export interface Mutant {
  /** What the changed code does, in one sentence. */
  readonly breaks: string;
  /** The name of an export in `src/` or `scripts/`. */
  readonly export: string;
  /** A part of the declaring file's path, where several files export the name. */
  readonly in?: string;
  /** JavaScript: a function from the original, and the `Effect` module, to the replacement. */
  readonly as: string;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Where a module declares what it exports under a name. */
interface Declaration {
  /** A `const` declarator, a function or a class. */
  readonly node: SyntaxNode;
  /** The statement with its `export`. */
  readonly statement: SyntaxNode;
  readonly isExported: boolean;
  /** Signatures of an overloaded function. They are removed together with their types. */
  readonly overloads: readonly SyntaxNode[];
}

/** Whether a module declares an export of this name. A re-export does not count. */
export const declaresExport = (code: string, name: string): boolean =>
  mayDeclare(code, name) && findDeclaration(programOf(code), name) !== undefined;

/** Most files need no parsing. */
const mayDeclare = (code: string, name: string): boolean =>
  code.includes(name) && new RegExp(`\\b(?:const|let|function\\*?|class|as)\\s+${name}\\b`).test(code);

/**
 * The module with one export replaced by `as(original, Effect)`. Other code in the module uses the replacement too.
 * Undefined if the module does not declare the export.
 */
export const applyMutant = (code: string, mutant: Mutant): string | undefined => {
  const found = findDeclaration(programOf(code), mutant.export);
  if (found === undefined) return undefined;
  const text = edit(code, editsOf(code, found, mutant));
  return `import * as $effect from "effect/Effect";\n${text}`;
};

const programOf = (code: string): readonly SyntaxNode[] =>
  (parseAst(code, { lang: "ts" }) as unknown as { readonly body: readonly SyntaxNode[] }).body;

const findDeclaration = (body: readonly SyntaxNode[], name: string): Declaration | undefined => {
  const local = localNameOf(body, name);
  const overloads: SyntaxNode[] = [];
  for (const statement of body) {
    const isExported = statement.type === "ExportNamedDeclaration";
    const declared = (isExported ? statement.declaration : statement) as SyntaxNode | null;
    if (declared === null || (isExported ? name : local) === undefined) continue;
    for (const node of declared.type === "VariableDeclaration"
      ? nodesOf(declared.declarations)
      : [declared]) {
      if (nameOf(node.id) !== (isExported ? name : local)) continue;
      if (node.type === "TSDeclareFunction") overloads.push(statement);
      if (isValue(node)) return { node, statement, isExported, overloads };
    }
  }
  return undefined;
};

/** The local name behind `export { local as name }`. */
const localNameOf = (body: readonly SyntaxNode[], name: string): string | undefined => {
  for (const { type, source, specifiers } of body) {
    if (type !== "ExportNamedDeclaration" || source !== null) continue;
    const found = nodesOf(specifiers).find(({ exported }) => nameOf(exported) === name);
    if (found !== undefined) return nameOf(found.local);
  }
  return undefined;
};

const isValue = ({ type, init }: SyntaxNode): boolean =>
  type === "FunctionDeclaration" ||
  type === "ClassDeclaration" ||
  (type === "VariableDeclarator" && init !== null);

const editsOf = (code: string, declaration: Declaration, mutant: Mutant): readonly Edit[] => {
  const { node, statement, isExported, overloads } = declaration;
  const replace = (original: string) => `((${mutant.as})(${original}, $effect))`;
  if (node.type === "VariableDeclarator") {
    const { start, end } = node.init as SyntaxNode;
    return [{ start, end, text: replace(code.slice(start, end)) }];
  }
  const { start, end } = node.id as SyntaxNode;
  const name = code.slice(start, end);
  const prefix = isExported ? "export " : "";
  const original = [
    ...overloads.map((each) => ({ start: each.start, end: each.end, text: "" })),
    { start: statement.start, end: node.start, text: "" },
    { start, end, text: "$original" },
  ];
  if (node.type === "ClassDeclaration") {
    const naming = `Object.defineProperty($original, "name", { value: ${JSON.stringify(name)} });`;
    const text = `\n${naming}\n${prefix}const ${name} = ${replace("$original")};\n`;
    return [...original, { start: statement.end, end: statement.end, text }];
  }
  // A function may be called before its module has run, so its replacement is made at the first call.
  const wrapper = `${prefix}function ${name}(...args) { return ($mutated ??= ${replace("$original")}).apply(this, args); }`;
  return [...original, { start: statement.end, end: statement.end, text: `\nvar $mutated;\n${wrapper}\n` }];
};

const edit = (code: string, edits: readonly Edit[]): string =>
  edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), code);

const nodesOf = (value: unknown): readonly SyntaxNode[] => value as readonly SyntaxNode[];

const nameOf = (value: unknown): string | undefined =>
  (value as { readonly name?: string } | null | undefined)?.name;

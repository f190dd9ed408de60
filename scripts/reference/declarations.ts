import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { withSchemaValues } from "./schema-values.ts";

/** An export of an entry point: its name there, and its declaration. */
export interface Export {
  readonly name: string;
  readonly kind: "class" | "function" | "value" | "interface" | "type";
  /** Its doc comment, or an empty string. */
  readonly about: string;
  readonly signature: string;
  /** The declaring file, relative to the folder of the declarations. */
  readonly file: string;
}

/** One field of an interface. */
export interface Member {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly about: string;
}

interface Declaration {
  readonly about: string;
  readonly text: string;
}

const kinds = {
  class: "class",
  function: "function",
  const: "value",
  interface: "interface",
  type: "type",
} as const;
const heading = /^(?:export )?(?:declare )?(?:abstract )?(class|function|const|interface|type) (\w+)/;

/**
 * Parses the declarations of a file written by `tsc`: a statement begins in the first column, and its other
 * lines are indented or close it.
 */
const declarationsOf = (text: string): ReadonlyMap<string, Declaration> => {
  const found = new Map<string, Declaration>();
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const name = heading.exec(lines[at]!)?.[2];
    if (name === undefined) continue;
    let end = at + 1;
    while (end < lines.length && /^(\s|[})\]|&]|$)/.test(lines[end]!)) end += 1;
    const own = lines.slice(at, end).join("\n").trimEnd();
    const earlier = found.get(name);
    found.set(name, {
      about: commentAbove(lines, at) || (earlier?.about ?? ""),
      text: earlier === undefined ? own : `${earlier.text}\n${own}`,
    });
  }
  return found;
};

/** The doc comment that ends in the line before, as one paragraph. */
const commentAbove = (lines: readonly string[], at: number): string => {
  if (!/\*\/\s*$/.test(lines[at - 1] ?? "")) return "";
  let from = at - 1;
  while (from >= 0 && !/^\s*\/\*\*/.test(lines[from]!)) from -= 1;
  return lines
    .slice(from, at)
    .map((line) =>
      line
        .replace(/^\s*\/?\*+(?!\/)/, "")
        .replace(/\*\/\s*$/, "")
        .trim(),
    )
    .filter((line) => line !== "" && line !== "/")
    .join(" ");
};

type ReExportedName = readonly [name: string, original: string, from: string];

/** Names that a file re-exports from another one. */
const readReExports = (text: string): readonly ReExportedName[] =>
  [...text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)";/gm)].flatMap(([, names = "", from = ""]) =>
    names
      .split(",")
      .map((each) => each.trim().replace(/^type /, ""))
      .filter((each) => each !== "")
      .map((each): ReExportedName => {
        const [original = each, name = original] = each.split(" as ");
        return [name, original, from];
      }),
  );

/** A declaration of a file, or of the file from which it is re-exported. */
export const findDeclaration = (folder: string, file: string, name: string): Export => {
  const text = readFileSync(join(folder, file), "utf8");
  const own = declarationsOf(text).get(name);
  if (own === undefined) {
    const through = readReExports(text).find(([given]) => given === name);
    if (through === undefined) throw new Error(`${file} does not declare ${name}`);
    const [, original, from] = through;
    const next = resolve("/", dirname(file), from.replace(/\.[tj]s$/, ".d.ts")).slice(1);
    return { ...findDeclaration(folder, next, original), name };
  }
  const word = heading.exec(own.text)?.[1] as keyof typeof kinds;
  const isFunction = word === "const" && /^export declare const \w+: (?:<[\s\S]*?>)?\(/.test(own.text);
  return {
    name,
    kind: isFunction ? "function" : kinds[word],
    about: own.about,
    signature: tidySignature(
      withSchemaValues(withBase(own.text, text), (schema) => constantType(schema, text)),
    ),
    file: file.replace(/\.d\.ts$/, ".ts"),
  };
};

/** A service class is declared over a constant: the type of that constant is shown. */
const withBase = (own: string, text: string): string =>
  own.replace(/extends (\w+_base) \{\s*\}/, (whole, base: string) => {
    const type = constantType(base, text);
    return type === undefined ? whole : `extends ${type} {}`;
  });

const constantType = (name: string, text: string): string | undefined =>
  declarationsOf(text)
    .get(name)
    ?.text.replace(/^[^:]*: |;\s*$/g, "");

/** Removes syntax that only matters to the compiler. */
const tidySignature = (text: string): string =>
  text
    .replace(/^(?:export )?(?:declare )?/gm, (found, at: number) =>
      at === 0 || text[at - 1] === "\n" ? "" : found,
    )
    .replace(/import\("[^"]*"\)\./g, "")
    .replace(/^ *(?:#private;|private .*)\n/gm, "")
    .replace(/^( +)/gm, (indent) => " ".repeat(indent.length / 2));

/** Case-insensitive; upper case first for equal names. */
const byName = ({ name: one }: Export, { name: other }: Export): number => {
  const [small, smaller] = [one.toLowerCase(), other.toLowerCase()];
  if (small !== smaller) return small < smaller ? -1 : 1;
  return one < other ? -1 : 1;
};

/** Every export of an entry point, by name, with its declaration. */
export const exportsOf = (folder: string, entry: string): readonly Export[] => {
  if (!existsSync(join(folder, entry))) throw new Error(`${entry} does not exist`);
  const text = readFileSync(join(folder, entry), "utf8");
  const own = [...declarationsOf(text)].filter(([, { text }]) => text.startsWith("export "));
  const names = new Set([...own.map(([name]) => name), ...readReExports(text).map(([name]) => name)]);
  return [...names].map((name) => findDeclaration(folder, entry, name)).sort(byName);
};

/** The fields of an interface, including nested object types below `prefix`. */
export const membersOf = (signature: string): readonly Member[] => {
  const lines = signature.split("\n");
  const members: Member[] = [];
  for (let at = 1; at < lines.length; at += 1) {
    const [, name, mark, rest] = /^ {2}readonly (\w+)(\??): (.*)$/.exec(lines[at]!) ?? [];
    if (name === undefined || rest === undefined) continue;
    let end = at + 1;
    while (end < lines.length && !/^ {2}\S/.test(lines[end]!.replace(/^ {2}[}|&)].*/, "   "))) end += 1;
    const body = [
      rest,
      ...lines.slice(at + 1, end).filter((line) => line !== "}" && !/^ {2}\/?\*/.test(line)),
    ];
    members.push({
      name,
      isOptional: mark === "?",
      type: body.join("\n").replace(/;\s*$/, ""),
      about: commentAbove(lines, at),
    });
  }
  return members;
};

import { migrateOptions } from "./migrate-options.ts";
import type { Renames } from "./renames-0.3.ts";
import { analyzeScopes, type Binding } from "./scopes.ts";
import {
  applyEdits,
  type Edit,
  entryPointOf,
  identifierName,
  keyName,
  lineAt,
  type Migration,
  type Note,
  nodeAt,
  nodesAt,
  renamedExport,
  renamedPath,
  type SyntaxNode,
  sortedNotes,
  stringOf,
  templateText,
  unwrapped,
} from "./syntax.ts";

export interface ParsedModule {
  readonly text: string;
  readonly program: SyntaxNode;
  readonly comments: readonly { readonly value: string; readonly start: number }[];
  readonly isConfiguration: boolean;
}

/** What cannot be renamed safely becomes a note. */
export const migrateModule = (module: ParsedModule, renames: Renames): Migration => {
  const { text, program } = module;
  const scopes = analyzeScopes(program);
  const edits = new Map<number, Edit>();
  const notes: Note[] = [];
  const paths = new Set<SyntaxNode>();
  const named = new Map<Binding, { readonly entry: string; readonly name: string }>();
  const namespaces = new Map<Binding, string>();
  const imported = new Set<string>();
  const bindingsOf = new Map<SyntaxNode, Binding[]>();
  for (const binding of scopes.bindings)
    bindingsOf.set(binding.declaration, [...(bindingsOf.get(binding.declaration) ?? []), binding]);

  const replace = ({ start, end }: Pick<SyntaxNode, "start" | "end">, to: string): void => {
    if (text.slice(start, end) !== to) edits.set(start, { start, end, text: to });
  };
  const note = ({ start }: Pick<SyntaxNode, "start">, message: string): void => {
    notes.push({ line: lineAt(text, start), message });
  };
  const newName = (entry: string, name: string): string | undefined => renamedExport(renames, entry, name);
  const hasRenames = (entry: string, kinds: readonly ("values" | "types")[]): boolean =>
    kinds.some((kind) => renames.exports[entry]?.[kind] !== undefined);

  const migratePath = (source: SyntaxNode | undefined): string | undefined => {
    const path = stringOf(source);
    if (source === undefined || path === undefined) return undefined;
    const entry = entryPointOf(renames, path);
    if (entry === undefined) return undefined;
    paths.add(source);
    if (renamedPath(renames, path) !== undefined)
      replace({ start: source.start + 1, end: source.end - 1 }, entry);
    return entry;
  };

  const recordName = (binding: Binding, entry: string, name: string): void => {
    const current = newName(entry, name) ?? name;
    named.set(binding, { entry, name: current });
    imported.add(`${entry}:${current}`);
  };

  /** Keeps the keys of shorthand properties and the names that the module exports. */
  const renameReference = (node: SyntaxNode, from: string, to: string): void => {
    const parent = scopes.parentOf(node);
    if (parent?.type === "Property" && parent.shorthand === true) {
      replace(node, `${from}: ${to}`);
      return;
    }
    if (parent?.type === "ExportSpecifier" && nodeAt(parent, "exported")?.start === node.start) {
      note(node, `Your module still exports ${from}, which is ${to} of Haft now.`);
      replace(node, `${to} as ${from}`);
      return;
    }
    replace(node, to);
  };

  const migrateImport = (node: SyntaxNode): void => {
    const entry = migratePath(nodeAt(node, "source"));
    if (entry === undefined) return;
    for (const specifier of nodesAt(node, "specifiers")) {
      const [binding] = bindingsOf.get(specifier) ?? [];
      if (binding === undefined) continue;
      if (specifier.type === "ImportSpecifier") migrateSpecifier(specifier, binding, entry);
      else namespaces.set(binding, entry);
    }
  };

  const migrateSpecifier = (specifier: SyntaxNode, binding: Binding, entry: string): void => {
    const [name, local] = [nodeAt(specifier, "imported")!, nodeAt(specifier, "local")!];
    const from = identifierName(name) ?? stringOf(name)!;
    recordName(binding, entry, from);
    const to = newName(entry, from);
    if (to === undefined) return;
    const isAliased = name.start !== local.start;
    if (isAliased && binding.name === to) {
      replace({ start: name.start, end: local.end }, to);
      return;
    }
    if (isAliased) {
      replace(name, to);
      return;
    }
    if (scopes.names.has(to)) {
      note(name, `${to} is in use in this file: it is imported as ${from}.`);
      replace(name, `${to} as ${from}`);
      return;
    }
    replace(name, to);
    for (const reference of binding.references) renameReference(reference, from, to);
  };

  const migrateExport = (node: SyntaxNode): void => {
    const entry = migratePath(nodeAt(node, "source"));
    if (entry === undefined) return;
    if (node.type === "ExportAllDeclaration" && hasRenames(entry, ["values", "types"]))
      note(
        node,
        `Your module exports everything of ${entry}, where names have changed. Check the modules that import it.`,
      );
    for (const specifier of nodesAt(node, "specifiers")) {
      const [local, exported] = [nodeAt(specifier, "local")!, nodeAt(specifier, "exported")!];
      const from = identifierName(local) ?? stringOf(local)!;
      const to = newName(entry, from);
      if (to === undefined) continue;
      if (local.start !== exported.start) {
        if (exported.name === to) replace({ start: local.start, end: exported.end }, to);
        else replace(local, to);
        continue;
      }
      note(local, `Your module still exports ${from}, which is ${to} of Haft now.`);
      replace(local, `${to} as ${from}`);
    }
  };

  const migratePattern = (pattern: SyntaxNode, entry: string): void => {
    for (const property of nodesAt(pattern, "properties")) {
      if (property.type !== "Property") {
        if (hasRenames(entry, ["values"]))
          note(property, `Not changed: the rest of ${entry}. Check which exports are read from it.`);
        continue;
      }
      const key = nodeAt(property, "key")!;
      const name = keyName(property, "key");
      if (name === undefined) {
        note(key, `Not changed: a computed key of ${entry}. Check which name it reads.`);
        continue;
      }
      const value = nodeAt(property, "value");
      const local = value?.type === "AssignmentPattern" ? nodeAt(value, "left") : value;
      for (const binding of scopes.bindings)
        if (binding.name === identifierName(local) && contains(binding.declaration, key))
          recordName(binding, entry, name);
      const to = newName(entry, name);
      if (to === undefined) continue;
      if (property.shorthand === true) replace({ start: key.start, end: key.end }, `${to}: ${name}`);
      else replace(key, to);
    }
  };

  const migrateModuleValue = (value: SyntaxNode, entry: string): void => {
    const parent = scopes.parentOf(value);
    if (parent === undefined || parent.type === "ExpressionStatement") return;
    const right = nodeAt(parent, "right") ?? nodeAt(parent, "property");
    const isObject = (nodeAt(parent, "left") ?? nodeAt(parent, "object")) === value;
    if (isObject && ["MemberExpression", "TSQualifiedName", "JSXMemberExpression"].includes(parent.type)) {
      const name = parent.computed === true ? undefined : identifierName(right);
      const to = name === undefined ? undefined : newName(entry, name);
      if (parent.computed === true && hasRenames(entry, ["values"]))
        note(right!, `Not changed: a computed name of ${entry}. Check which export it reads.`);
      else if (to !== undefined) replace(right!, to);
      if (name !== undefined) imported.add(`${entry}:${to ?? name}`);
      return;
    }
    if (parent.type === "VariableDeclarator" && nodeAt(parent, "init") === value) {
      const id = nodeAt(parent, "id");
      if (id?.type === "ObjectPattern") {
        migratePattern(id, entry);
        return;
      }
      const [binding] = bindingsOf.get(parent) ?? [];
      if (id?.type === "Identifier" && binding !== undefined) {
        migrateNamespace(binding, entry);
        return;
      }
    }
    if (hasRenames(entry, ["values"]))
      note(
        value,
        `Not changed: the module ${entry} is passed on as an object. Check which exports are read from it.`,
      );
  };

  const migrateNamespace = (binding: Binding, entry: string): void => {
    namespaces.set(binding, entry);
    for (const reference of binding.references) migrateModuleValue(outermost(reference), entry);
  };

  const outermost = (node: SyntaxNode): SyntaxNode => {
    const parent = scopes.parentOf(node);
    return parent !== undefined && unwrapped(parent) !== parent && unwrapped(parent) === unwrapped(node)
      ? outermost(parent)
      : node;
  };

  const migrateDynamicImport = (node: SyntaxNode): void => {
    const entry = migratePath(nodeAt(node, "source"));
    if (entry === undefined) return;
    const parent = scopes.parentOf(node);
    if (parent?.type === "AwaitExpression") {
      migrateModuleValue(outermost(parent), entry);
      return;
    }
    const call = parent && scopes.parentOf(parent);
    const isThen =
      parent?.type === "MemberExpression" && identifierName(nodeAt(parent, "property")) === "then";
    const parameter =
      isThen && call ? nodesAt(nodesAt(call, "arguments")[0] ?? call, "params")[0] : undefined;
    if (parameter?.type === "ObjectPattern") {
      migratePattern(parameter, entry);
      return;
    }
    const [binding] = (parameter && bindingsOf.get(parameter)) ?? [];
    if (binding !== undefined) {
      migrateNamespace(binding, entry);
      return;
    }
    if (parent?.type !== "ExpressionStatement" && hasRenames(entry, ["values"]))
      note(
        node,
        `Not changed: the module ${entry} is passed on as a promise. Check which exports are read from it.`,
      );
  };

  const migrateRequire = (node: SyntaxNode): void => {
    const callee = nodeAt(node, "callee");
    if (identifierName(callee) !== "require" || scopes.bindingOf(callee) !== undefined) return;
    const entry = migratePath(nodesAt(node, "arguments")[0]);
    if (entry !== undefined) migrateModuleValue(outermost(node), entry);
  };

  const migrateImportType = (node: SyntaxNode): void => {
    const entry = migratePath(nodeAt(node, "source"));
    let name = nodeAt(node, "qualifier");
    while (name !== undefined && nodeAt(name, "left") !== undefined) name = nodeAt(name, "left");
    const to = entry === undefined || name === undefined ? undefined : newName(entry, identifierName(name)!);
    if (to !== undefined) replace(name!, to);
  };

  const migrateAugmentation = (node: SyntaxNode): void => {
    const entry = migratePath(nodeAt(node, "id"));
    if (entry !== undefined && hasRenames(entry, ["values", "types"]))
      note(node, `Not changed: the declarations for ${entry}. Check them for names that have changed.`);
  };

  for (const node of scopes.nodes) {
    if (node.type === "ImportDeclaration") migrateImport(node);
    else if (node.type === "ExportNamedDeclaration" || node.type === "ExportAllDeclaration")
      migrateExport(node);
    else if (node.type === "ImportExpression") migrateDynamicImport(node);
    else if (node.type === "CallExpression") migrateRequire(node);
    else if (node.type === "TSImportType") migrateImportType(node);
    else if (node.type === "TSModuleDeclaration") migrateAugmentation(node);
    else if (node.type === "TSExternalModuleReference") {
      const [binding] = bindingsOf.get(scopes.parentOf(node)!) ?? [];
      const entry = migratePath(nodeAt(node, "expression"));
      if (entry !== undefined && binding !== undefined) namespaces.set(binding, entry);
    }
  }
  for (const [binding, entry] of [...namespaces]) migrateNamespace(binding, entry);

  const originOf = (node: SyntaxNode | undefined): string | undefined => {
    if (node === undefined) return undefined;
    const binding = scopes.bindingOf(node);
    const found = binding && named.get(binding);
    if (found !== undefined) return `${found.entry}:${found.name}`;
    const left = nodeAt(node, "left") ?? nodeAt(node, "object");
    const right = identifierName(nodeAt(node, "right") ?? nodeAt(node, "property"));
    if (left === undefined || right === undefined || node.computed === true) return undefined;
    const entry = namespaces.get(scopes.bindingOf(left)!);
    if (entry !== undefined) return `${entry}:${newName(entry, right) ?? right}`;
    const origin = originOf(left);
    return origin && `${origin}.${right}`;
  };

  const configuration = module.isConfiguration ? configurationsOf(program) : [];
  migrateOptions({ renames, scopes, originOf, replace, note }, configuration);

  const noteStrings = (): void => {
    const errors = Object.keys(renames.exports.haft?.values ?? {}).filter((name) => name.endsWith("Error"));
    for (const node of scopes.nodes) {
      const value = node.type === "TemplateElement" ? templateText(node) : stringOf(node);
      if (value === undefined || paths.has(node) || paths.has(scopes.parentOf(node) ?? node)) continue;
      const to = renamedPath(renames, value);
      if (to !== undefined) note(node, `Not changed: the string "${value}". The path is "${to}" now.`);
    }
    if (imported.size === 0) return;
    for (const node of scopes.nodes) {
      const value =
        stringOf(node) ?? (node.type === "Property" ? identifierName(nodeAt(node, "key")) : undefined);
      if (value === undefined || !errors.includes(value) || edits.has(node.start)) continue;
      const parent = scopes.parentOf(node);
      const isKey =
        node.type === "Property" && (node.shorthand === true || parent?.type !== "ObjectExpression");
      if (!isKey)
        note(
          node,
          `Not changed: the name "${value}". The tag of the error is "${newName("haft", value)}" now.`,
        );
    }
  };

  const noteComments = (): void => {
    for (const { value, start } of module.comments)
      for (const [from, to] of Object.entries(renames.entryPoints)) {
        const end = from.endsWith("/") ? "" : "(?![\\w/-])";
        const at = value.search(new RegExp(`(?<![\\w/-])${from}${end}`));
        if (at >= 0) note({ start: start + 2 + at }, `Not changed: ${from} in a comment. It is ${to} now.`);
      }
  };

  const noteMembers = (): void => {
    const members = renames.members.filter(({ imports }) => imports.some((each) => imported.has(each)));
    if (members.length === 0) return;
    for (const node of scopes.nodes) {
      const isAccess = node.type === "MemberExpression";
      const key = isAccess ? nodeAt(node, "property") : nodeAt(node, "key");
      const name = keyName(node, isAccess ? "property" : "key");
      if (key === undefined || name === undefined || edits.has(key.start) || edits.has(key.start + 1))
        continue;
      const object = nodeAt(node, "object");
      const found = members.filter(
        ({ from, on }) => from === name && (!isAccess || on === undefined || lastName(object) === on),
      );
      for (const to of new Set(found.map((each) => each.to))) {
        const owners = found.filter((each) => each.to === to).map(({ owner }) => owner);
        note(
          key,
          `Not changed: "${name}". If it is the member of ${owners.join(" or ")}, its name is "${to}" now.`,
        );
      }
    }
  };

  noteStrings();
  noteComments();
  noteMembers();
  const list = [...edits.values()].sort((left, right) => left.start - right.start);
  return { text: applyEdits(text, list), edits: list, notes: sortedNotes(notes) };
};

const contains = (outer: SyntaxNode, inner: SyntaxNode): boolean =>
  outer.start <= inner.start && inner.end <= outer.end;

const lastName = (node: SyntaxNode | undefined): string | undefined =>
  node?.type === "MemberExpression" ? identifierName(nodeAt(node, "property")) : identifierName(node);

const configurationsOf = (program: SyntaxNode): readonly SyntaxNode[] =>
  nodesAt(program, "body").flatMap((statement) => {
    if (statement.type === "ExportDefaultDeclaration") return [nodeAt(statement, "declaration")!];
    const assignment = nodeAt(statement, "expression");
    const target = assignment && nodeAt(assignment, "left");
    const isExports =
      target?.type === "MemberExpression" &&
      identifierName(nodeAt(target, "object")) === "module" &&
      identifierName(nodeAt(target, "property")) === "exports";
    return isExports ? [nodeAt(assignment!, "right")!] : [];
  });

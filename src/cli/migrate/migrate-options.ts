import type { OptionsRenames, Renames } from "./renames-0.3.ts";
import type { Binding, Scopes } from "./scopes.ts";
import {
  identifierName,
  isTypeWrapper,
  keyName,
  nodeAt,
  nodesAt,
  type SyntaxNode,
  stringOf,
  unwrapped,
} from "./syntax.ts";

export interface OptionsContext {
  readonly renames: Renames;
  readonly scopes: Scopes;
  /** An export, such as `haft:Haft.open`. */
  readonly originOf: (node: SyntaxNode | undefined) => string | undefined;
  readonly replace: (range: Pick<SyntaxNode, "start" | "end">, text: string) => void;
  readonly note: (node: SyntaxNode, message: string) => void;
}

type Fields = OptionsRenames["fields"];

export const migrateOptions = (context: OptionsContext, configuration: readonly SyntaxNode[]): void => {
  const { renames, scopes, originOf, replace, note } = context;
  const tables = Object.values(renames.options);
  const done = new Set<SyntaxNode>();
  const shared = new Map<Binding, { readonly fields: Fields; readonly uses: Set<SyntaxNode> }>();

  const unchanged = (node: SyntaxNode, why: string, fields: Fields): void =>
    note(node, `Not changed: ${why}. Check for ${describeFields(fields)}.`);

  const visitObject = (object: SyntaxNode, fields: Fields): void => {
    if (done.has(object)) return;
    done.add(object);
    for (const property of nodesAt(object, "properties")) {
      if (property.type === "SpreadElement") visit(nodeAt(property, "argument"), fields);
      else visitProperty(property, object, fields);
    }
  };

  const visitProperty = (property: SyntaxNode, object: SyntaxNode, fields: Fields): void => {
    const key = nodeAt(property, "key")!;
    if (property.computed === true) {
      unchanged(key, "a computed key", fields);
      return;
    }
    const name = keyName(property, "key")!;
    const nested = nestedFields(fields, name);
    const to = Object.hasOwn(fields, name) ? fields[name]! : undefined;
    if (to !== undefined) {
      if (nodesAt(object, "properties").some((each) => keyName(each, "key") === to))
        note(key, `Not changed: there are both "${name}" and "${to}". Remove one of them.`);
      else if (property.shorthand === true) replace(key, `${to}: ${name}`);
      else if (key.type === "Identifier") replace(key, to);
      else replace({ start: key.start + 1, end: key.end - 1 }, to);
    }
    if (Object.keys(nested).length > 0) visit(nodeAt(property, "value"), nested);
  };

  const visit = (given: SyntaxNode | undefined, fields: Fields): void => {
    if (given === undefined) return;
    const node = unwrapped(given);
    switch (node.type) {
      case "ObjectExpression":
        visitObject(node, fields);
        return;
      case "ConditionalExpression":
        visit(nodeAt(node, "consequent"), fields);
        visit(nodeAt(node, "alternate"), fields);
        return;
      case "LogicalExpression":
        if (node.operator !== "&&") visit(nodeAt(node, "left"), fields);
        visit(nodeAt(node, "right"), fields);
        return;
      case "Identifier":
        visitIdentifier(node, fields);
        return;
      case "CallExpression":
        if (tables.some(({ calls }) => Object.hasOwn(calls, originOf(nodeAt(node, "callee")) ?? ""))) return;
        unchanged(node, "options that are built elsewhere", fields);
        return;
      case "Literal":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return;
      default:
        unchanged(node, "options that are built elsewhere", fields);
        return;
    }
  };

  const visitIdentifier = (node: SyntaxNode, fields: Fields): void => {
    if (identifierName(node) === "undefined") return;
    const binding = scopes.bindingOf(node);
    const literal = binding && literalOf(binding);
    if (literal === undefined) {
      unchanged(node, "options that are built elsewhere", fields);
      return;
    }
    if (done.has(literal)) return;
    const entry = shared.get(binding!) ?? { fields, uses: new Set() };
    entry.uses.add(node);
    shared.set(binding!, entry);
  };

  /** Renames the fields only if every use of the constant is as options. */
  const visitShared = (): void => {
    for (const [binding, { fields, uses }] of shared) {
      const literal = literalOf(binding)!;
      if (done.has(literal)) continue;
      const isExported =
        scopes.parentOf(scopes.parentOf(binding.declaration)!)?.type === "ExportNamedDeclaration";
      if (!isExported && binding.references.every((each) => uses.has(each))) visitObject(literal, fields);
      else if (mentions(literal, fields))
        unchanged(literal, `${binding.name} has other uses besides these options`, fields);
    }
  };

  for (const node of scopes.nodes) {
    for (const { fields, types } of tables) {
      const isTyped = (type: SyntaxNode | undefined): boolean =>
        types.includes(originOf(typeName(type)) ?? "");
      const declared = typedValue(node);
      if (declared !== undefined && isTyped(declared.type)) visit(declared.value, fields);
      else if (isTypeWrapper(node) && isTyped(nodeAt(node, "typeAnnotation")))
        visit(nodeAt(node, "expression"), fields);
      else if (isTyped(annotation(node, "returnType")))
        for (const result of resultsOf(node, scopes)) visit(result, fields);
    }
    if (node.type !== "CallExpression") continue;
    const callee = originOf(nodeAt(node, "callee"));
    if (callee === undefined) continue;
    const all = nodesAt(node, "arguments");
    for (const { fields, calls } of tables)
      if (Object.hasOwn(calls, callee)) visit(all[calls[callee]!], fields);
    for (const { call, argument, remedy } of renames.removed)
      if (call === callee && (argument === undefined || isFunction(all[0], scopes))) note(node, `${remedy}.`);
  }
  for (const node of configuration) visit(node, renames.options.HaftOptions!.fields);
  // A use of one constant may be inside of the object of another.
  for (let before = -1; before !== done.size; ) {
    before = done.size;
    visitShared();
  }
};

const describeFields = (fields: Fields): string =>
  Object.entries(fields)
    .map(([path, to]) => `\`${path}\` (now \`${path.replace(/[^.]+$/, to)}\`)`)
    .join(" and ");

const nestedFields = (fields: Fields, name: string): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([path, to]) =>
      path.startsWith(`${name}.`) ? [[path.slice(name.length + 1), to]] : [],
    ),
  );

const mentions = (object: SyntaxNode, fields: Fields): boolean =>
  nodesAt(object, "properties").some((property) => {
    const name = keyName(property, "key");
    return name === undefined || Object.keys(fields).some((path) => path.split(".")[0] === name);
  });

const literalOf = ({ declaration }: Binding): SyntaxNode | undefined => {
  if (declaration.type !== "VariableDeclarator" || nodeAt(declaration, "id")?.type !== "Identifier")
    return undefined;
  const init = nodeAt(declaration, "init");
  const value = init && unwrapped(init);
  return value?.type === "ObjectExpression" ? value : undefined;
};

const annotation = (node: SyntaxNode | undefined, field: string): SyntaxNode | undefined => {
  const found = node && nodeAt(node, field);
  return found && nodeAt(found, "typeAnnotation");
};

const typedValue = (
  node: SyntaxNode,
): { readonly type: SyntaxNode | undefined; readonly value: SyntaxNode | undefined } | undefined => {
  switch (node.type) {
    case "VariableDeclarator":
      return { type: annotation(nodeAt(node, "id"), "typeAnnotation"), value: nodeAt(node, "init") };
    case "PropertyDefinition":
    case "AccessorProperty":
      return { type: annotation(node, "typeAnnotation"), value: nodeAt(node, "value") };
    case "AssignmentPattern":
      return { type: annotation(nodeAt(node, "left"), "typeAnnotation"), value: nodeAt(node, "right") };
    default:
      return undefined;
  }
};

/** Types that have the same fields as their first argument. */
const wrapperTypes = ["Partial", "Readonly", "Required", "Omit", "Pick", "Promise"];

const typeName = (type: SyntaxNode | undefined): SyntaxNode | undefined => {
  if (type?.type !== "TSTypeReference") return undefined;
  const name = nodeAt(type, "typeName");
  const [first] = nodesAt(nodeAt(type, "typeArguments") ?? type, "params");
  return wrapperTypes.includes(identifierName(name) ?? "") ? typeName(first) : name;
};

const resultsOf = (node: SyntaxNode, scopes: Scopes): readonly SyntaxNode[] => {
  const body = nodeAt(node, "body");
  if (body === undefined) return [];
  if (body.type !== "BlockStatement") return [body];
  return scopes.nodes.flatMap((each) => {
    const value = nodeAt(each, "argument");
    return each.type === "ReturnStatement" && value !== undefined && functionOf(each, scopes) === node
      ? [value]
      : [];
  });
};

const functions = ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"];

const functionOf = (node: SyntaxNode, scopes: Scopes): SyntaxNode | undefined => {
  let at = scopes.parentOf(node);
  while (at !== undefined && !functions.includes(at.type)) at = scopes.parentOf(at);
  return at;
};

/** Names from other modules may be functions. */
const isFunction = (argument: SyntaxNode | undefined, scopes: Scopes): boolean => {
  if (argument === undefined || stringOf(argument) !== undefined) return false;
  const node = unwrapped(argument);
  if (functions.includes(node.type)) return true;
  if (node.type === "ObjectExpression" || node.type === "Literal") return false;
  if (node.type !== "Identifier") return true;
  const binding = scopes.bindingOf(node);
  return binding === undefined || literalOf(binding) === undefined;
};

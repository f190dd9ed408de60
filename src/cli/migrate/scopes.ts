import { childrenOf, identifierName, nodeAt, nodesAt, type SyntaxNode } from "./syntax.ts";

export interface Binding {
  readonly name: string;
  readonly declaration: SyntaxNode;
  readonly references: SyntaxNode[];
}

export interface Scopes {
  readonly bindings: readonly Binding[];
  readonly bindingOf: (identifier: SyntaxNode | undefined) => Binding | undefined;
  readonly parentOf: (node: SyntaxNode) => SyntaxNode | undefined;
  readonly names: ReadonlySet<string>;
  readonly nodes: readonly SyntaxNode[];
}

type Space = "value" | "type";

class Scope {
  readonly parent: Scope | undefined;
  readonly holdsVars: boolean;
  readonly holdsInfer: boolean;
  readonly #declared = { value: new Map<string, Binding>(), type: new Map<string, Binding>() };

  constructor(parent?: Scope, holds?: "vars" | "infer") {
    this.parent = parent;
    this.holdsVars = holds === "vars";
    this.holdsInfer = holds === "infer";
  }

  declare(binding: Binding, spaces: readonly Space[]): void {
    for (const space of spaces)
      if (!this.#declared[space].has(binding.name)) this.#declared[space].set(binding.name, binding);
  }

  find(name: string, spaces: readonly Space[]): Binding | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent)
      for (const space of spaces) {
        const found = scope.#declared[space].get(name);
        if (found !== undefined) return found;
      }
    return undefined;
  }
}

const both: readonly Space[] = ["value", "type"];

export const analyzeScopes = (program: SyntaxNode): Scopes => {
  const bindings: Binding[] = [];
  const names = new Set<string>();
  const uses: { readonly node: SyntaxNode; readonly scope: Scope; readonly spaces: readonly Space[] }[] = [];

  const declare = (
    scope: Scope,
    id: SyntaxNode | undefined,
    declaration: SyntaxNode,
    spaces: readonly Space[],
  ): void => {
    const name = identifierName(id);
    if (name === undefined) return;
    names.add(name);
    const binding: Binding = { name, declaration, references: [] };
    bindings.push(binding);
    scope.declare(binding, spaces);
  };

  const use = (node: SyntaxNode, scope: Scope, spaces: readonly Space[]): void => {
    names.add(identifierName(node)!);
    uses.push({ node, scope, spaces });
  };

  const nearest = (scope: Scope, holds: "holdsVars" | "holdsInfer"): Scope => {
    let found = scope;
    while (!found[holds] && found.parent !== undefined) found = found.parent;
    return found;
  };

  const visitAll = (nodes: readonly (SyntaxNode | undefined)[], scope: Scope): void => {
    for (const node of nodes) if (node !== undefined) visit(node, scope);
  };

  const visitRest = (node: SyntaxNode, scope: Scope, ...except: readonly string[]): void => {
    for (const field of Object.keys(node))
      if (!except.includes(field)) visitAll([nodeAt(node, field), ...nodesAt(node, field)], scope);
  };

  /** Defaults and computed keys are evaluated in `scope`. */
  const pattern = (
    node: SyntaxNode | undefined,
    declaration: SyntaxNode,
    target: Scope,
    scope: Scope,
  ): void => {
    if (node === undefined) return;
    visitAll([...nodesAt(node, "decorators"), nodeAt(node, "typeAnnotation")], scope);
    switch (node.type) {
      case "Identifier":
        declare(target, node, declaration, ["value"]);
        return;
      case "ObjectPattern":
        for (const each of nodesAt(node, "properties")) pattern(each, declaration, target, scope);
        return;
      case "Property":
        if (node.computed === true) visitAll([nodeAt(node, "key")], scope);
        pattern(nodeAt(node, "value"), declaration, target, scope);
        return;
      case "ArrayPattern":
        for (const each of nodesAt(node, "elements")) pattern(each, declaration, target, scope);
        return;
      case "RestElement":
        pattern(nodeAt(node, "argument"), declaration, target, scope);
        return;
      case "AssignmentPattern":
        visitAll([nodeAt(node, "right")], scope);
        pattern(nodeAt(node, "left"), declaration, target, scope);
        return;
      case "TSParameterProperty":
        pattern(nodeAt(node, "parameter"), declaration, target, scope);
        return;
      default:
        visit(node, scope);
        return;
    }
  };

  const signature = (node: SyntaxNode, scope: Scope): void => {
    visitAll([nodeAt(node, "typeParameters"), nodeAt(node, "returnType")], scope);
    for (const each of nodesAt(node, "params")) pattern(each, each, scope, scope);
  };

  const leftmost = (node: SyntaxNode | undefined, scope: Scope, spaces: readonly Space[]): void => {
    if (node === undefined) return;
    const left = nodeAt(node, "left") ?? nodeAt(node, "object");
    if (left !== undefined) leftmost(left, scope, both);
    else if (identifierName(node) !== undefined) use(node, scope, spaces);
    else visit(node, scope);
  };

  const member = (node: SyntaxNode, scope: Scope, key: string): void => {
    if (node.computed === true) visitAll([nodeAt(node, key)], scope);
    visitRest(node, scope, key);
  };

  const visit = (node: SyntaxNode, scope: Scope): void => {
    switch (node.type) {
      case "Identifier":
        use(node, scope, ["value"]);
        return;
      case "ImportDeclaration":
        for (const each of nodesAt(node, "specifiers")) declare(scope, nodeAt(each, "local"), each, both);
        return;
      case "TSImportEqualsDeclaration":
        declare(scope, nodeAt(node, "id"), node, both);
        if (nodeAt(node, "moduleReference")?.type !== "TSExternalModuleReference")
          leftmost(nodeAt(node, "moduleReference"), scope, both);
        return;
      case "ExportNamedDeclaration":
        if (nodeAt(node, "source") === undefined)
          for (const each of nodesAt(node, "specifiers")) leftmost(nodeAt(each, "local"), scope, both);
        visitAll([nodeAt(node, "declaration")], scope);
        return;
      case "ExportAllDeclaration":
      case "TSNamespaceExportDeclaration":
      case "MetaProperty":
      case "BreakStatement":
      case "ContinueStatement":
        return;
      case "LabeledStatement":
        visitAll([nodeAt(node, "body")], scope);
        return;
      case "VariableDeclaration": {
        const target = node.kind === "var" ? nearest(scope, "holdsVars") : scope;
        for (const each of nodesAt(node, "declarations")) {
          pattern(nodeAt(each, "id"), each, target, scope);
          visitAll([nodeAt(each, "init")], scope);
        }
        return;
      }
      case "FunctionDeclaration":
      case "TSDeclareFunction":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
      case "TSEmptyBodyFunctionExpression": {
        const inner = new Scope(scope);
        declare(node.type === "FunctionExpression" ? inner : scope, nodeAt(node, "id"), node, ["value"]);
        const parameters = new Scope(inner);
        signature(node, parameters);
        visitAll([nodeAt(node, "body")], new Scope(parameters, "vars"));
        return;
      }
      case "ClassDeclaration":
      case "ClassExpression": {
        const inner = new Scope(scope);
        declare(node.type === "ClassExpression" ? inner : scope, nodeAt(node, "id"), node, both);
        visitAll(nodesAt(node, "decorators"), scope);
        visitRest(node, inner, "id", "decorators");
        return;
      }
      case "TSInterfaceDeclaration":
      case "TSTypeAliasDeclaration":
        declare(scope, nodeAt(node, "id"), node, ["type"]);
        visitRest(node, new Scope(scope), "id");
        return;
      case "TSEnumDeclaration": {
        declare(scope, nodeAt(node, "id"), node, both);
        const inner = new Scope(scope);
        for (const each of nodesAt(nodeAt(node, "body") ?? node, "members")) {
          declare(inner, nodeAt(each, "id"), each, ["value"]);
          visitAll([nodeAt(each, "initializer")], inner);
        }
        return;
      }
      case "TSModuleDeclaration": {
        let id = nodeAt(node, "id");
        while (id?.type === "TSQualifiedName") id = nodeAt(id, "left");
        declare(scope, id, node, both);
        visitAll([nodeAt(node, "body")], new Scope(scope, "vars"));
        return;
      }
      case "BlockStatement":
      case "TSModuleBlock":
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "SwitchStatement":
        visitRest(node, new Scope(scope));
        return;
      case "StaticBlock":
        visitRest(node, new Scope(scope, "vars"));
        return;
      case "CatchClause": {
        const inner = new Scope(scope);
        pattern(nodeAt(node, "param"), node, inner, inner);
        visitAll([nodeAt(node, "body")], inner);
        return;
      }
      case "TSFunctionType":
      case "TSConstructorType":
      case "TSCallSignatureDeclaration":
      case "TSConstructSignatureDeclaration":
        signature(node, new Scope(scope));
        return;
      case "TSMethodSignature":
        if (node.computed === true) visitAll([nodeAt(node, "key")], scope);
        signature(node, new Scope(scope));
        return;
      case "TSIndexSignature":
        for (const each of nodesAt(node, "parameters")) visitAll([nodeAt(each, "typeAnnotation")], scope);
        visitAll([nodeAt(node, "typeAnnotation")], scope);
        return;
      case "TSMappedType": {
        const inner = new Scope(scope);
        declare(inner, nodeAt(node, "key"), node, ["type"]);
        visitRest(node, inner, "key");
        return;
      }
      case "TSConditionalType": {
        const inner = new Scope(scope, "infer");
        visitAll([nodeAt(node, "checkType"), nodeAt(node, "falseType")], scope);
        visitAll([nodeAt(node, "extendsType"), nodeAt(node, "trueType")], inner);
        return;
      }
      case "TSInferType": {
        const parameter = nodeAt(node, "typeParameter")!;
        declare(nearest(scope, "holdsInfer"), nodeAt(parameter, "name"), parameter, ["type"]);
        visitRest(parameter, scope, "name");
        return;
      }
      case "TSTypeParameter":
        declare(scope, nodeAt(node, "name"), node, ["type"]);
        visitRest(node, scope, "name");
        return;
      case "TSTypeReference":
        leftmost(nodeAt(node, "typeName"), scope, ["type"]);
        visitRest(node, scope, "typeName");
        return;
      case "TSInterfaceHeritage":
      case "TSClassImplements":
        leftmost(nodeAt(node, "expression"), scope, ["type"]);
        visitRest(node, scope, "expression");
        return;
      case "TSTypeQuery":
        leftmost(nodeAt(node, "exprName"), scope, ["value"]);
        visitRest(node, scope, "exprName");
        return;
      case "TSQualifiedName":
        leftmost(node, scope, both);
        return;
      case "TSImportType":
        visitRest(node, scope, "source", "options", "qualifier");
        return;
      case "TSNamedTupleMember":
        visitRest(node, scope, "label");
        return;
      case "MemberExpression":
        member(node, scope, "property");
        return;
      case "Property":
      case "MethodDefinition":
      case "PropertyDefinition":
      case "AccessorProperty":
      case "TSAbstractMethodDefinition":
      case "TSAbstractPropertyDefinition":
      case "TSAbstractAccessorProperty":
      case "TSPropertySignature":
        member(node, scope, "key");
        return;
      case "JSXOpeningElement":
      case "JSXClosingElement": {
        const name = nodeAt(node, "name");
        // Lower-case names are HTML elements.
        if (name?.type === "JSXMemberExpression" || /^[^a-z]/.test(identifierName(name) ?? "a"))
          leftmost(name, scope, ["value"]);
        visitRest(node, scope, "name");
        return;
      }
      case "JSXAttribute":
        visitAll([nodeAt(node, "value")], scope);
        return;
      default:
        visitRest(node, scope);
        return;
    }
  };

  visit(program, new Scope(undefined, "vars"));

  const resolved = new Map<SyntaxNode, Binding>();
  for (const { node, scope, spaces } of uses) {
    const binding = scope.find(identifierName(node)!, spaces);
    if (binding === undefined) continue;
    resolved.set(node, binding);
    binding.references.push(node);
  }
  const parents = new Map<SyntaxNode, SyntaxNode>();
  const nodes: SyntaxNode[] = [program];
  for (const node of nodes)
    for (const child of childrenOf(node)) {
      parents.set(child, node);
      nodes.push(child);
    }
  return {
    bindings,
    bindingOf: (identifier) => (identifier === undefined ? undefined : resolved.get(identifier)),
    parentOf: (node) => parents.get(node),
    names,
    nodes,
  };
};

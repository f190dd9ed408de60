import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

/** A place in the source that makes a failure or an error with a code. */
export interface RaiseSite {
  readonly code: string;
  readonly file: string;
  readonly functionName: string;
  /** With `…` for each computed part. Undefined if the text is made elsewhere. */
  readonly message: string | undefined;
}

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Partial<Node>).type === "string";

const childrenOf = (node: Node): readonly Node[] =>
  Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);

const isSource = (file: string): boolean =>
  file.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(file) && !/^(types|exports|cli[/\\]migrate)\b/.test(file);

/** Finds `{ code: "…", message }`, calls such as `new LedgerError("…", message)`, and functions that return a code. */
export const findRaiseSites = (source: string, codes: ReadonlySet<string>): readonly RaiseSite[] =>
  readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter(isSource)
    .toSorted()
    .flatMap((file) => findSitesIn(file, readFileSync(join(source, file), "utf8"), codes));

const findSitesIn = (file: string, text: string, codes: ReadonlySet<string>): readonly RaiseSite[] => {
  const program = parseSync(file, text).program as unknown as Node;
  const texts = collectTexts(program);
  const sites: RaiseSite[] = [];
  const visit = (node: Node, functionName: string): void => {
    const found = codeAndMessage(node, codes);
    if (found !== undefined) {
      const message = found.message === undefined ? undefined : toText(found.message, texts);
      sites.push({ code: found.code, file: `src/${file.replaceAll("\\", "/")}`, functionName, message });
    }
    for (const child of childrenOf(node)) visit(child, nameOf(node) ?? functionName);
  };
  visit(program, "");
  return sites;
};

const codeAndMessage = (
  node: Node,
  codes: ReadonlySet<string>,
): { readonly code: string; readonly message: Node | undefined } | undefined => {
  const codeIn = (value: unknown): string | undefined => {
    const inner = isNode(value) && value.type === "TSAsExpression" ? value.expression : value;
    const text = isNode(inner) && inner.type === "Literal" ? inner.value : undefined;
    return typeof text === "string" && codes.has(text) ? text : undefined;
  };
  if (node.type === "ObjectExpression") {
    const property = (name: string): unknown =>
      childrenOf(node).find(({ key }) => isNode(key) && key.name === name)?.value;
    const code = codeIn(property("code"));
    const message = property("message");
    return code === undefined ? undefined : { code, message: isNode(message) ? message : undefined };
  }
  if (node.type === "ReturnStatement" || node.type === "VariableDeclarator") {
    const code = codeIn(node.argument ?? node.init);
    return code === undefined ? undefined : { code, message: undefined };
  }
  if (node.type !== "NewExpression" && !isFailureCall(node)) return undefined;
  const [first, second] = node.arguments as readonly unknown[];
  const code = codeIn(first);
  return code === undefined ? undefined : { code, message: isNode(second) ? second : undefined };
};

const isFailureCall = ({ type, callee }: Node): boolean =>
  type === "CallExpression" &&
  isNode(callee) &&
  /(error|outcome|failure|refusal|fail)/i.test(String(callee.name));

const nameOf = ({ type, id, init, key }: Node): string | undefined => {
  const isFunction =
    type === "FunctionDeclaration" ||
    type === "MethodDefinition" ||
    (type === "VariableDeclarator" && isNode(init) && init.type === "ArrowFunctionExpression") ||
    (type === "VariableDeclarator" && isNode(init) && init.type === "CallExpression");
  const named = [id, key].find(isNode);
  return isFunction && typeof named?.name === "string" ? named.name : undefined;
};

/** Constants with a text, and functions whose body is one. */
const collectTexts = (program: Node): ReadonlyMap<string, Node> => {
  const texts = new Map<string, Node>();
  const visit = (node: Node): void => {
    if (node.type === "VariableDeclarator" && isNode(node.id) && isNode(node.init)) {
      const { init } = node;
      const value = init.type === "ArrowFunctionExpression" ? init.body : init;
      if (isNode(value)) texts.set(String(node.id.name), value);
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(program);
  return texts;
};

const toText = (node: Node, texts: ReadonlyMap<string, Node>, depth = 0): string | undefined => {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "TemplateLiteral") {
    const parts = (node.quasis as readonly { readonly value: { readonly cooked: string } }[]).map(
      ({ value }) => value.cooked,
    );
    return parts.join("…");
  }
  if (node.type === "BinaryExpression" && node.operator === "+") {
    const sides = [node.left, node.right].map((side) =>
      isNode(side) ? toText(side, texts, depth) : undefined,
    );
    return sides.every((side) => side === undefined) ? undefined : sides.map((side) => side ?? "…").join("");
  }
  const callee = node.type === "CallExpression" ? node.callee : node;
  const named = isNode(callee) && typeof callee.name === "string" ? texts.get(callee.name) : undefined;
  return named === undefined || depth > 3 ? undefined : toText(named, texts, depth + 1);
};

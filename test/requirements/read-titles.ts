import { parseAst } from "vite";

/** A node of the syntax tree, as far as titles are concerned. */
interface SyntaxNode {
  readonly type: string;
  readonly [member: string]: unknown;
}

/**
 * Titles of the tests in a source text that always run. A test that is skipped, planned, expected to fail or
 * conditional proves nothing, and neither does one inside of such a group. Comments are not in the tree.
 */
export const readTitles = (text: string): ReadonlySet<string> => {
  const titles = new Set<string>();
  collect(parseAst(text, { lang: "ts" }), titles);
  return titles;
};

const collect = (value: unknown, titles: Set<string>): void => {
  if (Array.isArray(value)) {
    for (const each of value) collect(each, titles);
    return;
  }
  if (!isNode(value)) return;
  const named = value.type === "CallExpression" ? readCall(value) : undefined;
  if (named !== undefined && isHeldBack(named, value)) return;
  if (named?.title !== undefined && named.root !== "describe") titles.add(named.title);
  for (const member of Object.values(value)) collect(member, titles);
};

interface TestCall {
  /** `it`, `test` or `describe`. */
  readonly root: string;
  readonly modifiers: readonly string[];
  readonly title: string | undefined;
}

const roots: ReadonlySet<string> = new Set(["it", "test", "describe"]);
const quarantineReason: ReadonlySet<string> = new Set(["skip", "todo", "fails", "skipIf", "runIf"]);

/**
 * `it("title")`, `it.effect("title")`, `it.each(cases)("title %s")`: the leftmost identifier and the
 * modifiers after it.
 */
const readCall = (call: SyntaxNode): TestCall | undefined => {
  const modifiers: string[] = [];
  let callee = call.callee as SyntaxNode;
  while (callee.type !== "Identifier") {
    if (callee.type === "MemberExpression") {
      modifiers.push(String((callee.property as SyntaxNode).name));
      callee = callee.object as SyntaxNode;
    } else if (callee.type === "CallExpression") callee = callee.callee as SyntaxNode;
    else if (callee.type === "TaggedTemplateExpression") callee = callee.tag as SyntaxNode;
    else return undefined;
  }
  const root = String(callee.name);
  return roots.has(root) ? { root, modifiers, title: titleOf(call) } : undefined;
};

const titleOf = (call: SyntaxNode): string | undefined => {
  const [first] = call.arguments as readonly SyntaxNode[];
  if (first?.type === "Literal" && typeof first.value === "string") return first.value;
  const [text, ...more] = (first?.type === "TemplateLiteral" ? first.quasis : []) as readonly SyntaxNode[];
  return text === undefined || more.length > 0
    ? undefined
    : (text.value as { readonly cooked: string }).cooked;
};

const isHeldBack = ({ modifiers }: TestCall, call: SyntaxNode): boolean =>
  modifiers.some((each) => quarantineReason.has(each)) ||
  (call.arguments as readonly SyntaxNode[]).some(hasHeldBackOption);

/** `it("title", { skip: true }, …)`. */
const hasHeldBackOption = (argument: SyntaxNode): boolean =>
  argument.type === "ObjectExpression" &&
  (argument.properties as readonly SyntaxNode[]).some((property) =>
    quarantineReason.has(String((property.key as SyntaxNode | undefined)?.name)),
  );

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { readonly type?: unknown }).type === "string";

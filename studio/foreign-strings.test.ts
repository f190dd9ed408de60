import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "vite";
import { describe, expect, it } from "vitest";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** Expressions that are safe in a component: fixed texts, numbers, and functions that render text safely. */
const ours = {
  /** Numbers and times, of which only digits and units remain. */
  formatters: /^format([A-Z]|$)/,
  /** Renders a table cell. Its JSX is checked in the page that defines it. */
  renderer: "cell",
  /** Names that only hold fixed texts, and no string of a call, a tool, a model or a server. */
  names: new Set([
    "above",
    "actions",
    "begin",
    "below",
    "body",
    "children",
    "choices",
    "concurrency",
    "deadCount",
    "end",
    "heading",
    "kind",
    "label",
    "note",
    "number",
    "running",
    "runs",
    "shown",
    "sign",
    "successes",
    "words",
  ]),
};

/** Attributes with a text for the user or with an address for the browser. */
const readAttributes = new Set([
  "actions",
  "heading",
  "note",
  "title",
  "aria-label",
  "alt",
  "placeholder",
  "label",
  "href",
  "src",
  "summary",
]);

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: sources are quoted
/**
 * Addresses that are validated where they are created: web links, the frame of apps, and pictures of four
 * types.
 */
const checkedAddresses = new Set([
  "href={address}",
  "src={address}",
  "src={`data:${mediaType};base64,${data}`}",
]);

/** Files that show only fixed texts: the component for foreign text, and the frame of every page. */
const fixedTextFiles = new Set([
  "components/foreign-text.tsx",
  "shell/keys.tsx",
  "shell/navigation.tsx",
  "shell/theme-choice.tsx",
]);

const root = fileURLToPath(new URL(".", import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".tsx") && !fixedTextFiles.has(file))
  .sort();

describe("foreign strings", () => {
  it.each(sources)("are shown in %s only by ForeignText or markUnseen", (file) => {
    expect(barePlaces(file, readFileSync(join(root, file), "utf8"))).toEqual([]);
  });

  it("are found when they are shown directly", () => {
    const bare = (code: string): readonly string[] => barePlaces("x.tsx", `const X = () => ${code};`);
    for (const code of [
      "<p>{tool.name}</p>",
      "<p>{`${'of'} ${tool}`}</p>",
      "<p>{isOpen ? tool : null}</p>",
      "<p>{tools.join(', ')}</p>",
      "<p title={tool}>x</p>",
      "<Link aria-label={tool}>x</Link>",
      "<ul>{tools.map((tool) => tool)}</ul>",
      "<a href={url}>x</a>",
      "<p {...{ title: tool }}>x</p>",
      "<p dangerouslySetInnerHTML={{ __html: tool }} />",
    ]) {
      expect(bare(code), code).toHaveLength(1);
    }
    for (const code of [
      "<p>{markUnseen(tool)}</p>",
      "<p title={`Log of ${markUnseen(id)}`}>{formatCount(count)} of {items.length}</p>",
      "<ul>{tools.map((tool) => <ForeignText key={tool} text={tool} />)}</ul>",
      "<p>{isOpen ? 'open' : <b>closed</b>}</p>",
    ]) {
      expect(bare(code), code).toEqual([]);
    }
  });
});

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: sources are quoted

const barePlaces = (file: string, code: string): readonly string[] => {
  const found: string[] = [];
  const say = (node: Node): void => {
    const line = code.slice(0, node.start).split("\n").length;
    found.push(`${file}:${line} ${code.slice(node.start, node.end as number).slice(0, 80)}`);
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (!isNode(value)) return;
    if (value.type === "JSXElement" || value.type === "JSXFragment") {
      const children = (value.children as readonly Node[]).filter(
        ({ type, value: text }) => type !== "JSXText" || (text as string).trim() !== "",
      );
      // A badge with a single child shows it by markUnseen.
      const isBadge = children.length === 1 && elementName(value) === "Badge";
      for (const child of children) {
        if (child.type === "JSXExpressionContainer" && !isBadge && !isShown(child.expression as Node))
          say(child);
      }
    }
    if (value.type === "JSXAttribute") {
      const name = (value.name as Node).name as string;
      const given = value.value as Node | null;
      if (name === "dangerouslySetInnerHTML") say(value);
      else if (
        given?.type === "JSXExpressionContainer" &&
        readAttributes.has(name) &&
        !isShown(given.expression as Node) &&
        !takesForeign(ancestors.at(-1)) &&
        !checkedAddresses.has(code.slice(value.start, value.end as number))
      )
        say(value);
    }
    if (value.type === "JSXSpreadAttribute" && hasReadName(value.argument as Node)) say(value);
    if (value.type === "JSXOpeningElement") ancestors.push(value);
    for (const [key, below] of Object.entries(value)) if (key !== "parent") visit(below);
    if (value.type === "JSXOpeningElement") ancestors.pop();
  };
  const ancestors: Node[] = [];
  visit(parseAst(code, { lang: "tsx" }).body);
  return found;
};

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** Components that accept foreign text. This test checks them as well. */
const foreignTextComponents = new Set([
  "Badge",
  "Chart",
  "CopyButton",
  "DataTable",
  "EmptyState",
  "FilterInput",
  "JsonField",
  "LabeledBlock",
  "CallLinks",
  "Modal",
  "Page",
  "InactiveRuns",
  "Section",
  "Select",
  "StateBadge",
  "TimeInput",
]);

const takesForeign = (opening: Node | undefined): boolean =>
  foreignTextComponents.has(((opening?.name as Node | undefined)?.name as string | undefined) ?? "");

const elementName = ({ openingElement }: Node): unknown =>
  ((openingElement as Node | undefined)?.name as Node | undefined)?.name;

const hasReadName = ({ type, properties }: Node): boolean =>
  type === "ObjectExpression" &&
  (properties as readonly Node[]).some((each) =>
    readAttributes.has((each.key as Node | undefined)?.name as string),
  );

/** Whether an expression cannot return foreign text unchanged. */
const isShown = (node: Node): boolean => {
  switch (node.type) {
    case "JSXEmptyExpression":
    case "JSXElement":
    case "JSXFragment":
    case "Literal":
      return true;
    case "UnaryExpression":
      return true;
    case "BinaryExpression":
      // A sum with a number literal. Any other operator returns a number or a boolean.
      return node.operator !== "+" || typeof (node.right as Node).value === "number";
    case "TemplateLiteral":
      return (node.expressions as readonly Node[]).every(isShown);
    case "ConditionalExpression":
      return isShown(node.consequent as Node) && (isShown(node.alternate as Node) || isText(node));
    case "LogicalExpression":
      return isShown(node.right as Node) && (node.operator === "&&" || isShown(node.left as Node));
    case "ParenthesizedExpression":
    case "TSNonNullExpression":
    case "TSAsExpression":
    case "ChainExpression":
      return isShown(node.expression as Node);
    case "Identifier":
      return node.name === "undefined" || ours.names.has(node.name as string);
    case "MemberExpression":
      return ["length", "size"].includes((node.property as Node).name as string);
    case "CallExpression":
      return isShownCall(node);
    default:
      return false;
  }
};

/** `typeof value === "string" ? … : value`, where the second branch is not a string. */
const isText = ({ test, alternate }: Node): boolean => {
  const { left, right } = test as Node;
  const asked = (left as Node | undefined)?.argument as Node | undefined;
  return (
    (left as Node | undefined)?.operator === "typeof" &&
    (right as Node).value === "string" &&
    asked?.name !== undefined &&
    asked.name === (alternate as Node).name
  );
};

const isShownCall = ({ callee, arguments: given }: Node): boolean => {
  const called = callee as Node;
  const name = called.name as string | undefined;
  if (name !== undefined)
    return name === "markUnseen" || name === ours.renderer || ours.formatters.test(name);
  if ((called.object as Node | undefined)?.name === "Math") return true;
  const method = (called.property as Node | undefined)?.name;
  if (method === "toFixed") return true;
  const [first] = given as readonly Node[];
  return method === "map" && first !== undefined && returnsShown(first);
};

const returnsShown = ({ type, body }: Node): boolean => {
  if (type !== "ArrowFunctionExpression") return false;
  const block = body as Node;
  if (block.type !== "BlockStatement") return isShown(block);
  const returned: Node[] = [];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) collect(each);
    if (!isNode(value) || value.type === "ArrowFunctionExpression") return;
    if (value.type === "ReturnStatement") returned.push(value.argument as Node);
    for (const below of Object.values(value)) collect(below);
  };
  collect(block);
  return returned.every(isShown);
};

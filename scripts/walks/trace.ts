import { readFileSync, writeFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseAst } from "vite";

/**
 * Loaded before a scene: traces the entry of every function of `src`. `WALK_ROOT` is the checkout,
 * `WALK_FILE` is the output. The first SIGUSR2 starts it, the second ends it, so that another process can
 * control it.
 */
const src = pathToFileURL(`${process.env.WALK_ROOT}/src/`).href;

const entered: string[] = [];
let isWalking = false;
const enter = (file: string): void => {
  if (isWalking && entered.at(-1) !== file) entered.push(file);
};
Object.assign(globalThis, { __enter: enter, __walk: toggle });
process.on("SIGUSR2", toggle);

function toggle(): void {
  isWalking = !isWalking;
  if (!isWalking) writeFileSync(process.env.WALK_FILE!, JSON.stringify(entered));
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: Node;
}

const functions = new Set(["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"]);

const bodiesOf = (value: unknown, found: Node[] = []): readonly Node[] => {
  if (typeof value !== "object" || value === null) return found;
  const node = value as Node;
  if (functions.has(node.type) && node.body !== undefined) found.push(node.body);
  for (const member of Object.values(value)) bodiesOf(member, found);
  return found;
};

const instrument = (source: string, file: string): string => {
  const code = stripTypeScriptTypes(source);
  const call = `globalThis.__enter(${JSON.stringify(file)})`;
  const inserts = bodiesOf(parseAst(code)).flatMap(({ type, start, end }) =>
    type === "BlockStatement"
      ? [{ at: start + 1, text: `${call};` }]
      : [
          { at: start, text: `(${call},` },
          { at: end, text: ")" },
        ],
  );
  let text = code;
  // In reverse order, so that positions stay valid; at the same position closing inserts come first.
  for (const insert of inserts.toSorted((a, b) => b.at - a.at || (b.text === ")" ? -1 : 1)))
    text = text.slice(0, insert.at) + insert.text + text.slice(insert.at);
  return text;
};

registerHooks({
  load: (url, context, next) => {
    if (!url.startsWith(src) || !url.endsWith(".ts")) return next(url, context);
    const source = instrument(readFileSync(fileURLToPath(url), "utf8"), url.slice(src.length));
    return { format: "module", source, shortCircuit: true };
  },
});

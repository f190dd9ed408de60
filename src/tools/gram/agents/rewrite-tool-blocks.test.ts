import { expect, it } from "vitest";
import { readTools } from "../agent-file.ts";
import { rewriteToolBlocks } from "./read-source.ts";

const seed = `toolSpecification: sayHello
  name: "sayHello"
  description: "Returns a friendly greeting message for the given name"
  typeSignature: "(name: Text) --> IO Text"
`;

it("rewriteToolBlocks turns a block into a bracket on the same lines and columns", () => {
  expect(rewriteToolBlocks(seed)?.text).toBe(`[sayHello:Tool {
  name: "sayHello"
 ,description: "Returns a friendly greeting message for the given name"
 ,typeSignature: "(name: Text) --> IO Text"

}]`);
});

it("rewriteToolBlocks returns undefined for a text without blocks", () => {
  expect(rewriteToolBlocks("[a:Agent]")).toBeUndefined();
  expect(rewriteToolBlocks("```\ntoolSpecification: x\n```")).toBeUndefined();
});

it("blocks may be mixed with gram, comments, blank lines, fences and carriage returns", () => {
  const text = `// tools
(before)
toolSpecification: one // first
  description: "One" // said

  // and a comment
  typeSignature: "() --> Text"
toolSpecification: "two"
    description: \`\`\`
toolSpecification: not this
  nor: this
\`\`\`
    typeSignature: "() --> Text"
    tags: [a, b]
[three:Tool {description: "Three"} | ()==>(::String)]
`;
  for (const each of [text, text.replaceAll("\n", "\r\n")]) {
    const reading = readTools(each);
    expect(reading.ok ? reading.tools.map(({ name }) => name) : reading.diagnostics).toEqual([
      "one",
      "two",
      "three",
    ]);
  }
});

it("an error after a block is reported at its original position", () => {
  const text = `${seed}[three:Tool {description: "Three", risk: huge} | ()==>(::String)]`;
  const reading = readTools(text);
  const [diagnostic] = reading.ok ? [] : reading.diagnostics;
  expect(diagnostic).toMatchObject({ code: "wrong-value", line: 5, column: 36 });
  expect(text.slice(diagnostic?.offset).startsWith("risk: huge")).toBe(true);
});

import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Sandbox } from "../sandbox.ts";
import { openEngine } from "./engine.ts";

/** Expressions. Each `#` is replaced by another expression. */
const expressions = [
  "1",
  "-0",
  "NaN",
  "9007199254740993",
  "2n ** 64n",
  "null",
  "undefined",
  '"text\\ud800"',
  '"x".repeat(1000)',
  "[#, #]",
  "[,#]",
  "({ a: #, b: # })",
  '({ ["__proto__"]: #, then: # })',
  "Symbol(String(#))",
  "new Error(#)",
  "new Proxy({}, { get: () => # })",
  "new Proxy([], { ownKeys() { throw # } })",
  "new Map([[#, #]])",
  "new Uint8Array(#)",
  "new ArrayBuffer(#)",
  "Promise.resolve(#)",
  "Promise.reject(#)",
  "new Promise(() => {})",
  "(await #)",
  "(() => #)()",
  "(() => #)",
  "(function f() { return f(#) })()",
  "(async () => #)()",
  "(function* () { yield #; })().next()",
  "JSON.stringify(#)",
  "JSON.parse(String(#))",
  "eval(String(#))",
  "Function(String(#))",
  "String(#).split(String(#))",
  "/(a+)+$/.test(String(#))",
  "Object.freeze(#)",
  "Object.defineProperty(Object.prototype, String(#), { get() { return # }, set() { throw # }, configurable: true })",
  "(globalThis[String(#)] = #)",
  "[1, 2, 3].sort(() => #)",
  "tools.echo(#)",
  "tools.fail(#)",
  "(await tools.echo(#))",
  "console.log(#, #)",
  "input",
  "(# + #)",
  "(#)[#]",
  "(#)(#)",
  "delete globalThis[String(#)]",
  "(() => { try { # } catch (e) { return e } finally { # } })()",
] as const;
const statements = [
  "#;",
  "return #;",
  "throw #;",
  "const a = #; if (a) { return a }",
  "for (const each of #) { # }",
  "for (let at = 0; at < 50; at++) { # }",
  "while (#) { # }",
  "for (;;) { # }",
  "try { # } finally { return # }",
  "Promise.prototype.then = () => #;",
  "JSON.stringify = () => #;",
  "Error.prepareStackTrace = () => #; throw new Error(#);",
  "class A extends (#) {}",
  "} #",
  "String.raw`#`;",
  "import(#)",
];

const filled = (templates: readonly string[], part: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...templates), fc.array(part, { minLength: 3, maxLength: 3 }))
    .map(([template, parts]) => {
      let at = 0;
      return template.replaceAll("#", () => parts[at++ % parts.length]!);
    });

const expression: fc.Arbitrary<string> = fc.letrec<{ readonly expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom("1", "input", "[]", '"a"'),
    filled(expressions, tie("expression")),
  ),
})).expression;
const program = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(filled(statements, expression), { minLength: 1, maxLength: 4 })
      .map((all) => all.join("\n")),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(..."(){}[];`'\"\\/*$\n", "await ", "yield ", "of ", "=>", "0x"), {
        maxLength: 30,
      })
      .map((all) => all.join("")),
  },
);

const scope = Effect.runSync(Scope.make());
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Effect.runPromise(Scope.provide(openEngine({ most: 2 }), scope));
});
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)));

const runs = process.env.HAFT_SOAK === undefined ? 200 : 5_000;
const limits = { wallMs: 2_000, cpuMs: 20, memoryBytes: 32 * 1024 * 1024, calls: 10 };

it("ends every random program with a valid ending and does not affect the next one", {
  timeout: Math.max(180_000, runs * 200),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      program,
      fc.constantFrom("javascript" as const, "typescript" as const),
      async (source, language) => {
        const result = await Effect.runPromise(
          sandbox.run({
            language,
            source,
            input: { n: 1 },
            functions: ["echo", "fail"],
            answer: async ({ name, input }) =>
              name === "echo" ? { ok: true, value: input } : { ok: false, message: "no", code: "failed" },
            limits,
          }),
        );
        expect(["value", "error", "stopped"]).toContain(result.ending.kind);
        expect(() => JSON.stringify(result)).not.toThrow();
        expect(({} as { a?: unknown }).a).toBeUndefined();
        const next = await Effect.runPromise(sandbox.run({ language: "javascript", source: "return 1 + 1" }));
        expect(next.ending).toEqual({ kind: "value", value: 2 });
      },
    ),
    { numRuns: runs },
  );
});

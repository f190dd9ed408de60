import { transformWithOxc } from "vite";
import { describe, expect, it } from "vitest";
import { titlePattern } from "../scripts/requirements/title-pattern.ts";
import { applyMutant, declaresExport } from "./requirements/mutant.ts";

/** The exports of a module that was changed by a mutant of `greet`. */
const mutate = async (source: string, as: string): Promise<Record<string, unknown>> => {
  const mutated = applyMutant(source, { breaks: "", export: "greet", as });
  const { code } = await transformWithOxc(mutated ?? "", "module.ts");
  const alone = code.replace(/^import .*\n/, "const $effect = { of: 'effect' };\n");
  return import(`data:text/javascript,${encodeURIComponent(alone)}`);
};

const shout = "(original) => (name) => original(name) + '!'";

describe("a mutant", () => {
  it.each([
    ["a constant", "export const greet = (name: string): string => 'Hello ' + name;"],
    ["a function", "export function greet(name: string): string { return 'Hello ' + name; }"],
    [
      "a constant that is exported later",
      "const greet = (name: string) => 'Hello ' + name; export { greet };",
    ],
    [
      "a function under another name",
      "function hi(name: string) { return 'Hello ' + name; } export { hi as greet };",
    ],
    [
      "a function with overloads",
      "export function greet(name: string): string;\nexport function greet(name: number): string;\nexport function greet(name: unknown): string { return 'Hello ' + name; }",
    ],
  ])("replaces %s for other modules and for its own", async (_, source) => {
    const local = source.includes("hi as greet") ? "hi" : "greet";
    const { greet, twice } = await mutate(
      `${source}\nexport const twice = () => ${local}(${local}("Ada"));`,
      shout,
    );
    expect((greet as (name: string) => string)("Ada")).toBe("Hello Ada!");
    expect((twice as () => string)()).toBe("Hello Hello Ada!!");
  });

  it("replaces a function that is called before it is declared", async () => {
    const source =
      "export const early = greet('Ada'); export function greet(name: string) { return 'Hello ' + name; }";
    expect((await mutate(source, shout)).early).toBe("Hello Ada!");
  });

  it("replaces a class, which keeps its name for subclasses", async () => {
    const source = "export class greet { word() { return 'Hello'; } static made() { return new greet(); } }";
    const as = "(original) => class greet extends original { word() { return 'Bye'; } }";
    const { greet } = (await mutate(source, as)) as { greet: { name: string; made(): { word(): string } } };
    expect([greet.name, Object.getPrototypeOf(greet).name]).toEqual(["greet", "greet"]);
    expect(greet.made().word()).toBe("Bye");
  });

  it("may use the Effect module", async () => {
    const { greet } = await mutate(
      "export const greet = 1;",
      "(original, Effect) => original + ' ' + Effect.of",
    );
    expect(greet).toBe("1 effect");
  });

  it.each([
    ["re-exports it", 'export { greet } from "./greet.ts";'],
    ["does not export it", "const greet = 1; export const other = greet;"],
    ["exports it as a type", "export interface greet { readonly name: string }"],
    ["exports another name", "export const greeting = 1;"],
  ])("does not apply to a module that %s", (_, source) => {
    expect(declaresExport(source, "greet")).toBe(false);
    expect(applyMutant(source, { breaks: "", export: "greet", as: shout })).toBeUndefined();
  });
});

describe("a title", () => {
  it.each([
    ["replies keep their order", "a turn replies keep their order", true],
    ["replies keep their order", "replies keep their order", true],
    ["replies keep their order", "late replies keep their order of calls", false],
    ["does not start %j with %j", 'shells does not start "rm" with ["-rf"]', true],
    ["a tool that $title is tried $attempts times", "a tool that failed is tried 1 times", true],
    ["is 30 % faster (or $5 less)", "is 30 % faster (or 7 less)", true],
    ["is it?", "is i", false],
  ])("%j matches %j: %j", (title, name, isMatch) => {
    expect(titlePattern([title]).test(name)).toBe(isMatch);
  });
});

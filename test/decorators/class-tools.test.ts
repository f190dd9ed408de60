import { Haft } from "haft";
import { expect, it } from "vitest";
import { z } from "zod";
import { toolRegistry } from "../../src/registry/tool-registry.ts";
import { Tool, toTool } from "../../src/tools/decorator.ts";
import type { AnyTool } from "../../src/types/tool.ts";

const open = (...classes: readonly unknown[]) =>
  Haft.open({
    tools: classes.map((each) => toTool(each) as AnyTool),
    principal: { agent: "test", allow: ["*"] },
  });

const city = z.object({ city: z.string(), days: z.number().default(2) });

it("a class is constructed with validated, completed and frozen arguments, and then runs", async () => {
  const seen: unknown[] = [];
  const Weather = Tool({ name: "weather", description: "Weather", input: city })(
    class Weather {
      readonly #input: { city: string; days: number };
      constructor(input: { city: string; days: number }) {
        this.#input = input;
        seen.push(input, Object.isFrozen(input));
      }
      async run(input: unknown): Promise<string> {
        seen.push(input === this.#input);
        return `${this.#input.days} days in ${this.#input.city}`;
      }
    },
  );
  const haft = await open(Weather);
  expect(await haft.call("weather", { city: "Oslo" })).toBe("2 days in Oslo");
  expect(seen).toEqual([{ city: "Oslo", days: 2 }, true, true]);
  await expect(haft.call("weather", { city: 1 })).rejects.toMatchObject({ code: "invalid_input" });
  expect(seen).toHaveLength(3);
  await haft.close();
});

it("a constructor that throws fails only its own call", async () => {
  const Picky = Tool({ name: "picky", description: "Does not like Rome", input: city })(
    class Picky {
      constructor(input: { city: string }) {
        if (input.city === "Rome") throw new Error("not Rome");
      }
      run(): string {
        return "fine";
      }
    },
  );
  const haft = await open(Picky);
  await expect(haft.call("picky", { city: "Rome" })).rejects.toMatchObject({
    code: "failed",
    message: 'The tool "picky" failed: not Rome',
  });
  expect(await haft.call("picky", { city: "Oslo" })).toBe("fine");
  await haft.close();
});

it("a validator that cannot be compiled at the first call fails the call with an explanation", async () => {
  const compile = (): never => {
    throw new Error("no such keyword");
  };
  const Lazy = Tool({
    name: "lazy",
    description: "Compiles late",
    parameters: { city: { type: "string" } },
    validator: { name: "odd", version: "1", compile, when: "hydration" },
  })(
    class Lazy {
      run(): string {
        return "ran";
      }
    },
  );
  const haft = await open(Lazy);
  await expect(haft.call("lazy", { city: "Oslo" })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(
      'the validator "odd 1" cannot compile the input schema: no such keyword',
    ),
  });
  await haft.close();
});

it("two classes of the same name conflict in a registry", () => {
  const make = (greeting: string) =>
    toTool(
      Tool({ description: "Greets", parameters: [] })(
        class Greeter {
          run(): string {
            return greeting;
          }
        },
      ),
    ) as AnyTool;
  const [one, two] = [make("hello"), make("good day")];
  const kept = toolRegistry();
  kept.register(one);
  expect(() => kept.register(two)).toThrow(/"Greeter" is already registered/);
  expect(() => toolRegistry().registerAll([one, two])).toThrow(
    expect.objectContaining({ code: "duplicate_tool" }),
  );
});

import * as Effect from "effect/Effect";
import { beforeAll, describe, expect, it } from "vitest";
import { definitionOf, Tool, ToolComponent, toTool } from "../../../src/tools/decorator.ts";
import type { CallContext, ToolFunction } from "../../../src/types/call.ts";
import { effectOf } from "../../kit/effect-of.ts";
import { compile, modes } from "./compile.ts";

type Fixture = typeof import("./fixtures/tools.ts");
type Classes = ReturnType<Fixture["tools"]>;

const oslo = { location: "Oslo", format: "celsius" } as const;

/** Runs a tool as the pipeline does, without the pipeline. */
const answer = (Class: unknown, given: object): Promise<unknown> => {
  const { input, implementation, spec } = toTool(Class)!;
  const validation = input({ ...given });
  if (!validation.ok) return Promise.reject(validation.issues);
  const run = implementation.bind(spec) as ToolFunction;
  return Effect.runPromise(effectOf(run(validation.value, { callId: "one" } as CallContext)));
};

describe.each(modes)("a class under %s", (mode) => {
  let module: Fixture;
  let made: Classes;

  beforeAll(async () => {
    module = await compile<Fixture>("tools", mode);
    made = module.tools({ Tool, ToolComponent });
  });

  it("is an instance of ToolComponent and of the class its author wrote", async () => {
    const weather = new made.WeatherTool(oslo);
    expect(weather).toBeInstanceOf(ToolComponent);
    expect(weather).toBeInstanceOf(made.WeatherTool);
    expect(weather).toBeInstanceOf(Object.getPrototypeOf(made.WeatherTool));
    expect(weather.constructor).toBe(made.WeatherTool);
    expect(weather.place).toBe("OSLO");
    expect(await weather.run()).toBe("The current weather in OSLO.");
  });

  it("keeps its name, length and live static members", () => {
    const { WeatherTool } = module.tools({ Tool, ToolComponent });
    expect(WeatherTool.name).toBe("WeatherTool");
    expect(WeatherTool.length).toBe(1);
    expect(WeatherTool.units).toEqual(["celsius", "fahrenheit"]);
    expect(WeatherTool.label).toBe("0 made");
    expect(WeatherTool.sunny().place).toBe("OSLO");
    expect(WeatherTool.made).toBe(1);
    expect(WeatherTool.label).toBe("1 made");
  });

  it("has a normalized, frozen and non-enumerable definition", () => {
    const definition = definitionOf(made.WeatherTool);
    expect(definition).toEqual({
      type: "function",
      name: "get_current_weather",
      description: "Get the current weather for a given location",
      parameters: {
        type: "object",
        properties: {
          location: { type: "string", description: "The name of the city e.g. San Francisco, CA" },
          format: {
            type: "string",
            enum: ["celsius", "fahrenheit"],
            description: "The format to return the weather in",
          },
        },
        required: ["location", "format"],
        additionalProperties: false,
      },
    });
    expect((made.WeatherTool as unknown as typeof ToolComponent).getDefinition()).toBe(definition);
    expect(Object.isFrozen(definition)).toBe(true);
    expect(Object.isFrozen(definition?.parameters?.properties)).toBe(true);
    expect(Object.keys(made.WeatherTool)).not.toContain("getDefinition");
    expect(JSON.stringify(new made.WeatherTool(oslo))).toBe('{"format":"celsius"}');
  });

  it("uses the class name when the definition has none", () => {
    expect(made.Add.getDefinition()).toMatchObject({ type: "function", name: "Add" });
    expect(toTool(made.Add)?.spec.name).toBe("Add");
  });

  it("is constructed with the validated arguments, and returns the value of run", async () => {
    const { WeatherTool, Add, seen } = module.tools({ Tool, ToolComponent });
    expect(await answer(WeatherTool, oslo)).toBe("The current weather in OSLO.");
    expect(seen).toEqual([[oslo]]);
    expect(await answer(Add, { a: 2 })).toEqual({ sum: 3, call: "one" });
    await expect(answer(WeatherTool, { location: "Oslo" })).rejects.toMatchObject([{ pointer: "/format" }]);
    expect(seen).toHaveLength(1);
  });

  it("makes a subclass its own tool only with a decorator", async () => {
    const { WeatherTool, Forecast, MarineWeather } = made;
    expect(await new Forecast(oslo).run()).toBe("The current weather in OSLO. Tomorrow too.");
    expect(new Forecast(oslo)).toBeInstanceOf(ToolComponent);
    expect(toTool(Forecast)).toBeUndefined();
    expect(definitionOf(Forecast)).toBeUndefined();
    expect((Forecast as unknown as typeof ToolComponent).getDefinition()).toBe(definitionOf(WeatherTool));

    expect(definitionOf(MarineWeather)?.name).toBe("get_marine_weather");
    expect(toTool(MarineWeather)).not.toBe(toTool(WeatherTool));
    expect(MarineWeather.sea).toBe(true);
    expect(MarineWeather.units).toBe(WeatherTool.units);
    expect(await answer(MarineWeather, oslo)).toBe("The current weather in OSLO. Waves.");
  });
});

describe("a class compiled by tsc", () => {
  it.each(modes.filter((mode) => mode.endsWith("tsc")))(
    "refers to the tool by its own name: %s",
    async (mode) => {
      const { tools } = await compile<Fixture>("tools", mode);
      const { WeatherTool } = tools({ Tool, ToolComponent });
      expect(WeatherTool.sunny()).toBeInstanceOf(WeatherTool);
      expect(WeatherTool.sunny()).toBeInstanceOf(ToolComponent);
    },
  );

  it("keeps private statics, accessors and a static name defined after the decorator", async () => {
    type Privates = typeof import("./fixtures/privates.ts");
    const { privates } = await compile<Privates>("privates", "standard decorators by tsc");
    const { Counter, Named } = privates({ Tool });
    expect([Counter.next(), Counter.next(), Counter.count]).toEqual([1, 2, 2]);
    expect(new Counter().step).toBe(1);
    expect(await answer(Counter, {})).toBe(3);
    expect(Named.name).toBe("Somebody");
    expect(definitionOf(Named)?.name).toBe("Named");
  });
});

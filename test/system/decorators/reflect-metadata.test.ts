import "reflect-metadata";
import { expect, it } from "vitest";
import { definitionOf, Tool, ToolComponent, toTool } from "../../../src/tools/decorator.ts";
import { compile, modes } from "./compile.ts";

type Fixture = typeof import("./fixtures/tools.ts");

it.each(modes)("stores the definition in Reflect metadata when it is available: %s", async (mode) => {
  const { tools } = await compile<Fixture>("tools", mode);
  const { WeatherTool, Forecast, MarineWeather } = tools({ Tool, ToolComponent });
  const read = (Class: object): unknown => Reflect.getMetadata("tool:definition", Class);
  expect(read(WeatherTool)).toBe(definitionOf(WeatherTool));
  expect(read(MarineWeather)).toBe(definitionOf(MarineWeather));
  expect(read(Forecast)).toBe(definitionOf(WeatherTool));
  expect(Reflect.hasOwnMetadata("tool:definition", Forecast)).toBe(false);
  expect(Reflect.hasOwnMetadata("tool:definition", Object.getPrototypeOf(WeatherTool))).toBe(false);
  expect(toTool(WeatherTool)?.spec.name).toBe("get_current_weather");
});

it("exposes the constructor metadata of the compiler through the tool", async () => {
  const { tools } = await compile<Fixture>(
    "tools",
    "experimentalDecorators and emitDecoratorMetadata by tsc",
  );
  const { WeatherTool } = tools({ Tool, ToolComponent });
  expect(Reflect.getMetadata("design:paramtypes", WeatherTool)).toEqual([Object]);
});

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ToolDefinitionError } from "../types/errors.ts";
import type { AnyLayer } from "../types/tool.ts";
import { classNameOf } from "./class-implementation.ts";
import { definitionOf, Tool, ToolComponent, toTool } from "./decorator.ts";
import { tool } from "./tool.ts";

class Plain {
  run(): string {
    return "plain";
  }
}
const fresh = (): typeof Plain => class Fresh extends Plain {};
const minimal = { description: "Does nothing much", parameters: [] } as const;
const context = (name: string | undefined): ClassDecoratorContext =>
  ({ kind: "class", name, metadata: {}, addInitializer: () => {} }) as never;

describe("@Tool decorator", () => {
  it("works as a legacy and as a standard decorator", () => {
    const legacy = Tool(minimal)(fresh());
    const standard = Tool(minimal)(fresh(), context("Other") as never);
    for (const Class of [legacy, standard]) {
      expect(new Class()).toBeInstanceOf(ToolComponent);
      expect(new Class().run()).toBe("plain");
    }
    expect(definitionOf(legacy)?.name).toBe("Fresh");
    expect(definitionOf(standard)?.name).toBe("Other");
  });

  it("does not change the given class", () => {
    const Given = fresh();
    const before = [...Reflect.ownKeys(Given), ...Reflect.ownKeys(Given.prototype)];
    const Class = Tool(minimal)(Given);
    expect(Object.getPrototypeOf(Class)).toBe(Given);
    expect([...Reflect.ownKeys(Given), ...Reflect.ownKeys(Given.prototype)]).toEqual(before);
    expect(new Given()).not.toBeInstanceOf(ToolComponent);
    expect(toTool(Given)).toBeUndefined();
  });

  it("creates one frozen tool per class with the whole definition", () => {
    const layer: AnyLayer = (next) => next;
    const definition = {
      name: "forecast",
      description: "Tomorrow's weather",
      input: z.object({ city: z.string() }),
      output: z.object({ celsius: z.number() }),
      risk: "medium",
      timeout: "5 seconds",
      tags: ["weather"],
      annotations: { readOnly: true },
      strict: true,
      layers: [layer],
    } as const;
    class Forecast {
      run(): { celsius: number } {
        return { celsius: 1 };
      }
    }
    const Class = Tool(definition)(Forecast);
    const made = toTool(Class)!;
    expect(toTool(Class)).toBe(made);
    expect(Object.isFrozen(made)).toBe(true);
    expect(made.spec).toEqual(tool({ ...definition, run: () => ({ celsius: 1 }) }).spec);
    expect(made.layers).toEqual([layer]);
    expect(made.implementation._tag).toBe("class");
    expect(classNameOf(made)).toBe("Forecast");
    expect(classNameOf(tool({ ...minimal, name: "other", run: () => 1 }))).toBeUndefined();
  });

  it.each([
    ["no run", class Empty {}, "has no code: its class needs a method `run(input, context)"],
    ["only the run of ToolComponent", class Idle extends ToolComponent {}, "has no code"],
    [
      "a run that is a field",
      class Field {
        run = () => 1;
      },
      "a field with a function does not count",
    ],
    ["no prototype", () => 1, "has no code"],
  ])("rejects a class with %s", (_, Class, why) => {
    expect(() => Tool({ ...minimal, name: "subject" })(Class as never)).toThrow(ToolDefinitionError);
    expect(() => Tool({ ...minimal, name: "subject" })(Class as never)).toThrow(why);
  });

  it("accepts an inherited run method", () => {
    expect(toTool(Tool(minimal)(class Child extends Plain {}))?.spec.name).toBe("Child");
  });

  it("rejects values that are not classes and missing definitions", () => {
    const decorate = Tool(minimal) as (...given: readonly unknown[]) => unknown;
    expect(() => decorate(Plain.prototype, "run", {})).toThrow("can only decorate a class");
    expect(() => decorate(Plain, "run")).toThrow("can only decorate a class");
    expect(() => decorate(() => 1, { kind: "method", name: "run" })).toThrow("can only decorate a class");
    expect(() => (Tool as (given: unknown) => unknown)(Plain)).toThrow("@Tool needs a definition");
    expect(() => (Tool as () => unknown)()).toThrow("@Tool needs a definition");
  });

  it("rejects what tool() rejects, with the same messages", () => {
    const decorate = (given: object) => () =>
      Tool({ ...minimal, name: "subject", ...given } as never)(Plain as never);
    expect(decorate({ description: "" })).toThrow('The tool "subject" needs a description');
    expect(decorate({ parameters: undefined })).toThrow("has no input schema");
    expect(decorate({ parameters: { nonsense: 1 } })).toThrow("which is not a schema");
    expect(decorate({ riskLevel: "low" })).toThrow("It is called `risk`");
    expect(decorate({ name: "no spaces" })).toThrow("is refused");
    expect(decorate({ run: () => 1 })).toThrow("its code is the class");
    expect(decorate({ implementation: {} })).toThrow("its code is the class");
    expect(() => Tool(minimal)(class extends Plain {} as never)).toThrow("it is empty");
  });

  it("rejects a class that is already a tool or has its own getDefinition", () => {
    const Class = Tool({ ...minimal, name: "first" })(fresh());
    expect(() => Tool({ ...minimal, name: "second" })(Class)).toThrow(
      'The tool "second" is already the class of the tool "first"; decorate a subclass of it.',
    );
    class Own extends Plain {
      static getDefinition(): undefined {}
    }
    expect(() => Tool(minimal)(Own)).toThrow("has its own static getDefinition");
  });

  it("creates different tools for two classes of the same name", () => {
    const [one, two] = [Tool(minimal)(fresh()), Tool(minimal)(fresh())];
    expect(toTool(one)?.spec).toEqual(toTool(two)?.spec);
    expect(toTool(one)).not.toBe(toTool(two));
  });
});

describe("class definition", () => {
  const given = {
    description: "Tomorrow's weather",
    input: z.object({ city: z.string() }),
    output: z.object({ celsius: z.number() }),
    timeout: "5 seconds",
    tags: ["weather", "read-only"],
    annotations: { title: "Forecast" },
    validator: { compile: () => () => true },
    layers: [],
  } as const;
  class Forecast extends ToolComponent {
    override async run(): Promise<{ celsius: number }> {
      return { celsius: 1 };
    }
  }
  const Class = Tool(given)(Forecast);

  it("contains the given fields with schemas as JSON and without code", () => {
    expect(Class.getDefinition()).toEqual({
      type: "function",
      name: "Forecast",
      description: "Tomorrow's weather",
      parameters: toTool(Class)?.spec.input,
      output: toTool(Class)?.spec.output,
      timeout: 5_000,
      tags: ["weather", "read-only"],
      annotations: { title: "Forecast" },
    });
    expect(JSON.parse(JSON.stringify(Class.getDefinition()))).toEqual(Class.getDefinition());
  });

  it("has no parameters without a schema and keeps noSchemaMode", () => {
    const Free = Tool({ description: "Free", allowNoSchema: true, noSchemaMode: "read-only" })(fresh());
    expect(definitionOf(Free)).toEqual({
      type: "function",
      name: "Fresh",
      description: "Free",
      allowNoSchema: true,
      noSchemaMode: "read-only",
    });
    expect(toTool(Free)?.spec.noSchemaMode).toBe("read-only");
  });

  it("is deeply frozen and does not freeze the given object", () => {
    const open: unknown[] = [Class.getDefinition()];
    for (const part of open) {
      expect(Object.isFrozen(part)).toBe(true);
      open.push(...Object.values(part as object).filter((each) => typeof each === "object"));
    }
    expect(open.length).toBeGreaterThan(6);
    expect(Object.isFrozen(given)).toBe(false);
    expect(Object.isFrozen(given.tags)).toBe(false);
    expect(Object.isFrozen(given.input)).toBe(false);
  });

  it("is stored under a symbol that is not enumerable or writable", () => {
    const slots = Object.getOwnPropertySymbols(Class).map((slot) =>
      Object.getOwnPropertyDescriptor(Class, slot),
    );
    expect(slots).toContainEqual({
      value: Class.getDefinition(),
      enumerable: false,
      writable: false,
      configurable: false,
    });
    expect(slots.every((slot) => slot?.enumerable === false)).toBe(true);
    expect(Object.keys(Class)).toEqual([]);
    expect(JSON.stringify({ ...new Class() })).toBe("{}");
    expect(JSON.stringify(new Class())).toBe("{}");
    const { getDefinition } = Class;
    expect(getDefinition()).toBe(definitionOf(Class));
  });

  it("belongs to the decorated class and is inherited by getDefinition of a subclass", () => {
    class Sub extends Class {}
    expect(Sub.getDefinition()).toBe(Class.getDefinition());
    expect(definitionOf(Sub)).toBeUndefined();
    expect(toTool(Sub)).toBeUndefined();
    expect(ToolComponent.getDefinition()).toBeUndefined();
    expect([definitionOf(undefined), definitionOf({}), toTool(null), toTool("Forecast")]).toEqual(
      Array(4).fill(undefined),
    );
  });
});

describe("capability tags", () => {
  const specOf = (given: object) => toTool(Tool({ ...minimal, ...given } as never)(fresh() as never))!.spec;

  it("read-only and full do not relax anything", () => {
    for (const tag of ["read-only", "full"]) {
      const spec = specOf({ tags: [tag] });
      expect(spec).toEqual({ ...specOf({}), tags: [tag] });
      expect(spec.annotations).toEqual({});
    }
    expect(specOf({ parameters: undefined, allowNoSchema: true, tags: ["full"] }).noSchemaMode).toBe(
      "human-approval",
    );
  });

  it("human-approval requires approval unless the definition overrides it", () => {
    expect(specOf({ tags: ["human-approval"] }).requiresApproval).toBe(true);
    expect(specOf({ tags: ["human-approval"], requiresApproval: false }).requiresApproval).toBe(false);
  });
});

describe("ToolComponent", () => {
  it("has a run method that does nothing", async () => {
    expect(await new ToolComponent().run()).toBeUndefined();
  });

  it("recognizes its instances with instanceof, and subclasses only their own", () => {
    class One extends ToolComponent {}
    class Two extends ToolComponent {}
    const Decorated = Tool(minimal)(fresh());
    expect(new One()).toBeInstanceOf(ToolComponent);
    expect(new One()).not.toBeInstanceOf(Two);
    expect(new Decorated()).not.toBeInstanceOf(One);
    expect([null, undefined, {}, "text", Decorated].some((each) => each instanceof ToolComponent)).toBe(
      false,
    );
  });
});

import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { z } from "zod";
import type { CallContext } from "../types/call.ts";
import { final, type Outcome } from "../types/outcome.ts";
import type { AnyTool, Tool as ToolValue } from "../types/tool.ts";
import type { ClassDefinition } from "./class-implementation.ts";
import { type definitionOf, Tool, ToolComponent, type toTool } from "./decorator.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_ extends true>(): void => {};

class Clouds extends Context.Service<Clouds, { readonly cover: number }>()("Clouds") {}

/** Compiled but not run, once with standard decorators and once with experimentalDecorators. */
export const classes = (): void => {
  @Tool({
    name: "weather",
    description: "Weather",
    input: z.object({ city: z.string(), days: z.number().default(1) }),
  })
  class Weather {
    readonly city: string;
    constructor(input: { city: string; days: number }) {
      this.city = input.city;
    }
    run(input: { city: string }, context: CallContext): string {
      return `${this.city} ${input.city} ${context.callId}`;
    }
  }
  holds<Equal<Weather["city"], string>>();
  new Weather({ city: "Oslo", days: 1 });

  @Tool({
    description: "The seed's own form",
    parameters: {
      location: { type: "string" },
      format: { type: "string", enum: ["celsius", "fahrenheit"] },
      required: ["location", "format"],
    },
  })
  class Seed {
    async run(): Promise<string> {
      return "The current weather.";
    }
  }
  void Seed;

  // @ts-expect-error the schema declares city as a string
  @Tool({ description: "Weather", input: z.object({ city: z.string() }) })
  class WrongType {
    readonly city: number;
    constructor(input: { city: number }) {
      this.city = input.city;
    }
    run(): void {}
  }
  void WrongType;

  // @ts-expect-error the schema does not require days
  @Tool({ description: "Weather", parameters: [{ name: "city", type: "string", required: true }] })
  class WantsMore {
    readonly days: number;
    constructor(input: { city: string; days: number }) {
      this.days = input.days;
    }
    run(): void {}
  }
  void WantsMore;

  // @ts-expect-error a constructor takes one object
  @Tool({ description: "Weather", input: z.object({ city: z.string() }) })
  class Positional {
    readonly days: number;
    constructor(_input: { city: string }, days: number) {
      this.days = days;
    }
    run(): void {}
  }
  void Positional;

  // @ts-expect-error arguments without a schema have no known type
  @Tool({ description: "Weather", allowNoSchema: true })
  class Unchecked {
    readonly city: string;
    constructor(input: { city: string }) {
      this.city = input.city;
    }
    run(): void {}
  }
  void Unchecked;

  // @ts-expect-error run has the same input type as the constructor
  @Tool({ description: "Weather", input: z.object({ city: z.string() }) })
  class WrongRun {
    run(input: { city: number }): number {
      return input.city;
    }
  }
  void WrongRun;

  // @ts-expect-error the class has no run method
  @Tool({ description: "Weather", parameters: [] })
  class Codeless {}
  void Codeless;

  // @ts-expect-error the result does not match the output schema
  @Tool({ description: "Weather", parameters: [], output: z.object({ celsius: z.number() }) })
  class WrongAnswer {
    run(): { celsius: string } {
      return { celsius: "hot" };
    }
  }
  void WrongAnswer;

  @Tool({ description: "Weather", parameters: [], output: z.object({ celsius: z.number() }) })
  class MayEnd {
    async run(): Promise<{ celsius: number } | Outcome> {
      return final({ celsius: 1 });
    }
  }
  void MayEnd;

  @Tool({ description: "Clouds", parameters: [], output: z.object({ cover: z.number() }) })
  class NeedsServices {
    run(): Effect.Effect<{ cover: number }, Error, Clouds> {
      return Effect.map(Clouds, ({ cover }) => ({ cover }));
    }
  }
  void NeedsServices;

  @Tool({ description: "Adds", parameters: [{ name: "a", type: "number", required: true }] })
  class Add extends ToolComponent {
    readonly a: number;
    constructor(input: { readonly a: number }) {
      super(input);
      this.a = input.a;
    }
    override async run(input: { readonly a: number }, context: CallContext): Promise<string> {
      return `${input.a} ${context.callId}`;
    }
  }
  holds<Equal<ReturnType<typeof Add.getDefinition>, ClassDefinition | undefined>>();
};

// `Tool` is both the decorator and the type of a tool value.
holds<Equal<Tool<"x", 1, 2, 3>, ToolValue<"x", 1, 2, 3>>>();
holds<Equal<ReturnType<typeof toTool>, AnyTool | undefined>>();
holds<Equal<ReturnType<typeof definitionOf>, ClassDefinition | undefined>>();

class Wrapped {
  run(): number {
    return 1;
  }
}
const called = Tool({ description: "Called like a function", parameters: [] })(Wrapped);
holds<Equal<typeof called, typeof Wrapped>>();
// @ts-expect-error a class definition has no run
Tool({ description: "Has code next to the class", parameters: [], run: () => 1 });

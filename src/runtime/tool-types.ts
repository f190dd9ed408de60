import type { Effect } from "effect/Effect";
import type { ToolClass } from "../tools/class-implementation.ts";
import type { ToolOrClass } from "../tools/decorator.ts";
import type { Outcome } from "../types/outcome.ts";
import type { AnyTool } from "../types/tool.ts";

/** Input and output types of a tool, as far as the compiler knows them. */
export interface ToolTypes {
  readonly input: unknown;
  readonly output: unknown;
}

/** Built once per list, so that lookups are cheap for the compiler. */
type ToolTypesByName<All extends readonly ToolOrClass[]> = {
  readonly [T in All[number] as T extends AnyTool ? T["spec"]["name"] : never]: T extends AnyTool
    ? NonNullable<T["types"]>
    : never;
};

type ToolTypesOfName<All extends readonly ToolOrClass[], Name> = string extends Name
  ? ToolTypes
  : Name extends keyof ToolTypesByName<All>
    ? ToolTypesByName<All>[Name]
    : ToolTypes;

type FirstArgument<Arguments extends readonly unknown[]> = Arguments extends readonly [
  _?: infer Input,
  ...rest: infer _Rest,
]
  ? Input
  : unknown;

type ReturnedValue<Returned> =
  Returned extends Effect<infer Value, infer _E, infer _R> ? Value : Awaited<Returned>;

/**
 * A decorator cannot pass its schema's types to the compiler, so they are inferred from the constructor and
 * `run`. `declare static types` overrides them where a schema has defaults or transforms.
 */
type ToolTypesOfClass<Class extends ToolClass> = Class extends {
  readonly types: infer Types extends ToolTypes;
}
  ? Types
  : {
      readonly input: FirstArgument<ConstructorParameters<Class>> &
        FirstArgument<Parameters<InstanceType<Class>["run"]>>;
      readonly output: Exclude<ReturnedValue<ReturnType<InstanceType<Class>["run"]>>, Outcome>;
    };

/** Types of a tool, of a class with `@Tool`, or of a name in the runtime's tool list. */
export type TypesOf<Asked, All extends readonly ToolOrClass[] = readonly []> = Asked extends string
  ? ToolTypesOfName<All, Asked>
  : Asked extends ToolClass
    ? ToolTypesOfClass<Asked>
    : Asked extends AnyTool
      ? NonNullable<Asked["types"]>
      : ToolTypes;

export type ToolNameIn<All extends readonly ToolOrClass[]> = Extract<keyof ToolTypesByName<All>, string>;

/**
 * Names that `haft.call` accepts: literal names if all tools are statically known, that is a non-empty
 * literal list without classes, MCP servers, workspaces and skills; else any string.
 */
export type CallableName<All extends readonly ToolOrClass[], Others> = [Others] extends [undefined]
  ? number extends All["length"]
    ? string
    : All extends readonly []
      ? string
      : [Extract<All[number], ToolClass>] extends [never]
        ? ToolNameIn<All>
        : string
  : string;

export interface OtherSources<Servers, Project, Org, Skills = unknown> {
  readonly mcp?: { readonly servers?: Servers };
  readonly project?: Project;
  readonly org?: Org;
  readonly skills?: Skills;
}

export interface NoSuchTool<Names> {
  readonly tools: Names;
}

/** Accepts dynamic strings and known literals. */
export type CheckedToolName<Asked, Names> = Asked extends string
  ? string extends Asked
    ? unknown
    : Asked extends Names
      ? unknown
      : NoSuchTool<Names>
  : unknown;

import type { Effect } from "effect/Effect";
import type { ToolClass } from "../tools/class-implementation.ts";
import type { ToolOrClass } from "../tools/decorator.ts";
import type { Outcome } from "../types/outcome.ts";
import type { AnyTool } from "../types/tool.ts";

/** What goes into a tool and comes out of it, where the compiler can know. */
export interface ToolTypes {
  readonly input: unknown;
  readonly output: unknown;
}

/** Made once for a list, so that looking a name up costs the same however long the list is. */
type ToolTypesByName<All extends readonly ToolOrClass[]> = {
  readonly [T in All[number] as T extends AnyTool ? T["spec"]["name"] : never]: T extends AnyTool
    ? NonNullable<T["types"]>
    : never;
};

/** A name that is not in the list: anything goes in, `unknown` comes out. */
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
 * A decorator cannot tell the compiler its schema. So a class takes what its constructor and its `run` take, and gives
 * what `run` answers; where a schema fills in defaults or transforms, `declare static types` says what callers see.
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

/** The types of a tool, of a class with `@Tool`, or of a name in the list that a runtime was opened with. */
export type TypesOf<Asked, All extends readonly ToolOrClass[] = readonly []> = Asked extends string
  ? ToolTypesOfName<All, Asked>
  : Asked extends ToolClass
    ? ToolTypesOfClass<Asked>
    : Asked extends AnyTool
      ? NonNullable<Asked["types"]>
      : ToolTypes;

/** Names in the list, for editors to complete. */
export type ToolNameIn<All extends readonly ToolOrClass[]> = Extract<keyof ToolTypesByName<All>, string>;

/**
 * The names that `haft.call` takes. They are known where every tool is: the list is written out and not empty, holds no
 * class, whose name is not in its type, and neither MCP servers nor workspaces nor skills bring others.
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

/** Options that bring tools whose names the compiler does not know. */
export interface OtherSources<Servers, Project, Org, Skills = unknown> {
  readonly mcp?: { readonly servers?: Servers };
  readonly project?: Project;
  readonly org?: Org;
  readonly skills?: Skills;
}

/** In the error of a call whose name no tool has. */
export interface NoSuchTool<Names> {
  readonly tools: Names;
}

/** A name that is only known when the program runs is let through; a written one must be there. */
export type CheckedToolName<Asked, Names> = Asked extends string
  ? string extends Asked
    ? unknown
    : Asked extends Names
      ? unknown
      : NoSuchTool<Names>
  : unknown;

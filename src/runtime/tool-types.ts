import type { Toolish } from "../tool/decorator.ts";

type ToolNamed<All extends readonly Toolish[], Name> = Extract<
  All[number],
  { readonly spec: { readonly name: Name } }
>;

/** A tool registered later has a name the compiler does not know: anything goes in, `unknown` comes out. */
export type TypesOf<All extends readonly Toolish[], Name> = string extends Name
  ? Untyped
  : [ToolNamed<All, Name>] extends [never]
    ? Untyped
    : NonNullable<ToolNamed<All, Name>["types"]>;

interface Untyped {
  readonly input: unknown;
  readonly output: unknown;
}

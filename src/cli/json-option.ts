/** What `--json` prints. Every line is one whole JSON value: one line for a result, or one for each of several records. */
export interface JsonOption<Shape extends "value" | "lines"> {
  readonly type: "boolean";
  readonly about: string;
  readonly prints: Shape;
}

/** `--json` of a command that has one result. */
export const jsonValue = (what: string): JsonOption<"value"> => ({
  type: "boolean",
  about: `print ${what} as JSON, in one line`,
  prints: "value",
});

/** `--json` of a command that lists things or tells of them as they happen; of none it prints nothing. */
export const jsonLines = (what: string): JsonOption<"lines"> => ({
  type: "boolean",
  about: `print ${what} as JSON, one a line`,
  prints: "lines",
});

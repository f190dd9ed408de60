export interface JsonOption<Shape extends "value" | "lines"> {
  readonly type: "boolean";
  readonly about: string;
  readonly prints: Shape;
}

export const jsonValue = (what: string): JsonOption<"value"> => ({
  type: "boolean",
  about: `print ${what} as one line of JSON`,
  prints: "value",
});

export const jsonLines = (what: string): JsonOption<"lines"> => ({
  type: "boolean",
  about: `print ${what} as JSON, one per line`,
  prints: "lines",
});

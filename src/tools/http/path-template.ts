import { toPointer } from "../../base/json/to-pointer.ts";
import type { ToolExecutionError } from "../../types/errors.ts";
import { memberText } from "./styles.ts";
import { unsendableInputError } from "./unsendable-input-error.ts";
import { isDotSegment, placeholder, readTemplate } from "./url-template.ts";

/** Host and query are fixed, so that input cannot redirect the request. */
export interface PathTemplate {
  readonly names: ReadonlySet<string>;
  readonly expand: (input: Readonly<Record<string, unknown>>) => URL | ToolExecutionError;
}

export interface PathPart {
  readonly from: string;
  readonly write: (value: unknown) => string;
}

const encode = (
  from: string,
  value: unknown,
  write: PathPart["write"] | undefined,
): string | ToolExecutionError => {
  const pointer = toPointer([from]);
  const isStructure = write !== undefined && typeof value === "object" && value !== null;
  if (!isStructure && typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
    return unsendableInputError(
      `${pointer} is part of a path, so it must be a string, a number or a boolean.`,
      pointer,
    );
  }
  const texts = isStructure ? textsIn(value) : [String(value)];
  if (texts.length === 0 || texts.some((text) => text === "" || /[/\\]/.test(text) || !text.isWellFormed())) {
    return unsendableInputError(
      `${pointer} is part of a path, so it must not be empty or contain a slash.`,
      pointer,
    );
  }
  return write === undefined ? encodeURIComponent(texts[0]!) : write(value);
};

const textsIn = (value: object): readonly string[] =>
  Object.entries(value)
    .filter(([, member]) => member !== undefined && member !== null)
    .flatMap(([key, member]) => [...(Array.isArray(value) ? [] : [key]), memberText(member)]);

export const pathTemplate = (
  text: string,
  parts: ReadonlyMap<string, PathPart> = new Map(),
): PathTemplate => {
  const { base, segments, names } = readTemplate(text);

  const expandSegment = (
    segment: string,
    input: Readonly<Record<string, unknown>>,
  ): string | ToolExecutionError => {
    let refusal: ToolExecutionError | undefined;
    const expanded = segment.replaceAll(placeholder, (_, name: string) => {
      const { from, write } = parts.get(name) ?? { from: name, write: undefined };
      const encoded = encode(from, Object.hasOwn(input, from) ? input[from] : undefined, write);
      if (typeof encoded === "string") return encoded;
      refusal ??= encoded;
      return "";
    });
    // A dot segment would escape from the path.
    return (
      refusal ??
      (isDotSegment(expanded)
        ? unsendableInputError(`The path would contain the segment "${expanded}".`)
        : expanded)
    );
  };

  return {
    names,
    expand: (input) => {
      const expanded: string[] = [];
      for (const segment of segments) {
        const part = expandSegment(segment, input);
        if (typeof part !== "string") return part;
        expanded.push(part);
      }
      const url = new URL(base);
      url.pathname = expanded.join("/");
      const isKept =
        url.origin === base.origin && url.pathname.split("/").length === Math.max(2, expanded.length);
      return isKept
        ? url
        : unsendableInputError("The input would change the host or the segments of the path.");
    },
  };
};

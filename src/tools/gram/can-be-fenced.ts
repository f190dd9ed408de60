// Some readers drop a leading line break, or read a single line with `//` as a comment.
const misreadFence = /^\n|^\s*\/\/[^\n]*$/;

/** A fence ends at the first three backticks. */
export const canBeFenced = (value: string): boolean =>
  !value.includes("```") && !value.endsWith("`") && !misreadFence.test(value);

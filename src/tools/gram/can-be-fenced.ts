// Readers skip a line break right behind the opening one, and take two slashes that begin the only line as a comment.
const misreadFence = /^\n|^\s*\/\/[^\n]*$/;

/** Whether a fence carries this text to every reader. One ends at its first three backticks, whatever stands before them. */
export const canBeFenced = (value: string): boolean =>
  !value.includes("```") && !value.endsWith("`") && !misreadFence.test(value);

const blankPattern = /^[ \t\r\n]*$/;
const nullPattern = /^[ \t\r\n]*null[ \t\r\n]*$/;

/** A long text says something, so it is not searched. */
const maxBlankLength = 64;

/** Whether an argument text is empty. */
export const isBlankArguments = (text: string): boolean =>
  text === "" || (text.length <= maxBlankLength && blankPattern.test(text));

/** Whether an argument text says that there are no arguments: empty, or the word null. */
export const hasNoArguments = (text: string): boolean =>
  isBlankArguments(text) || (text.length <= maxBlankLength && nullPattern.test(text));

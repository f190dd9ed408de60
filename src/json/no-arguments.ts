const blank = /^[ \t\r\n]*$/;
const nothing = /^[ \t\r\n]*null[ \t\r\n]*$/;

/** A long text says something, so it is not searched. */
const longest = 64;

/** Whether an argument text is empty. */
export const isBlank = (text: string): boolean => text === "" || (text.length <= longest && blank.test(text));

/** Whether an argument text says that there are no arguments: empty, or the word null. */
export const isNoArguments = (text: string): boolean =>
  isBlank(text) || (text.length <= longest && nothing.test(text));

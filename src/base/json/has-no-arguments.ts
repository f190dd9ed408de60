const blankPattern = /^[ \t\r\n]*$/;
const nullPattern = /^[ \t\r\n]*null[ \t\r\n]*$/;

const maxBlankLength = 64;

export const isBlankArguments = (text: string): boolean =>
  text === "" || (text.length <= maxBlankLength && blankPattern.test(text));

export const hasNoArguments = (text: string): boolean =>
  isBlankArguments(text) || (text.length <= maxBlankLength && nullPattern.test(text));

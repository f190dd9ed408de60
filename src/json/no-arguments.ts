const nothing = /^[ \t\r\n]*(?:null[ \t\r\n]*)?$/;

/** Whether an argument text says that there are no arguments. A long text is none, so it is not searched. */
export const isNoArguments = (text: string): boolean =>
  text === "" || (text.length <= 64 && nothing.test(text));

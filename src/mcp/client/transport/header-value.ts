const plainHeaderPattern = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;
const base64HeaderPattern = /^=\?base64\?.*\?=$/s;

export const toHeaderValue = (text: string): string =>
  plainHeaderPattern.test(text) && !base64HeaderPattern.test(text)
    ? text
    : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;

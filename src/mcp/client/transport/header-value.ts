const plain = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;
const encoded = /^=\?base64\?.*\?=$/s;

/** As the protocol writes text into a header: itself, or base64 where a header could not carry it. */
export const headerValue = (text: string): string =>
  plain.test(text) && !encoded.test(text)
    ? text
    : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;

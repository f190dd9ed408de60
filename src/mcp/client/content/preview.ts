/** The beginning and the end of a long text, cut between characters, with a word on how to get the rest. */
export const preview = (text: string, overBytes: number): string => {
  const head = Math.min(2000, Math.ceil(overBytes / 4));
  const tail = Math.min(500, Math.ceil(overBytes / 16));
  if (text.length <= head + tail) return text;
  const first = text.slice(0, isSplit(text, head) ? head - 1 : head);
  const last = text.slice(isSplit(text, text.length - tail) ? text.length - tail + 1 : text.length - tail);
  const missing = text.length - first.length - last.length;
  return `${first}\n… ${missing} characters left out; read_result reads them …\n${last}`;
};

const isSplit = (text: string, at: number): boolean => {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
};

interface TextCursor {
  readonly text: string;
  at: number;
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

/**
 * Avoids a V8 bug: when an earlier object had the key `\`, V8 reads the key `"` of the next object as the
 * same key.
 */
export const parseExact = (text: string): unknown => readValue({ text, at: 0 });

const readValue = (cursor: TextCursor): unknown => {
  const first = peekCharacter(cursor);
  if (first === "{") return readObject(cursor);
  if (first === "[") return readList(cursor);
  return first === '"' ? readString(cursor) : readLiteral(cursor);
};

const peekCharacter = (cursor: TextCursor): string => {
  while (isSpace(cursor.text.charCodeAt(cursor.at))) cursor.at++;
  return cursor.text[cursor.at]!;
};

const readObject = (cursor: TextCursor): object => {
  const members: Record<string, unknown> = {};
  cursor.at++;
  while (peekCharacter(cursor) !== "}") {
    const key = readString(cursor);
    peekCharacter(cursor);
    cursor.at++;
    const value = readValue(cursor);
    // Creates an own member, as JSON.parse does.
    if (key === "__proto__") Object.defineProperty(members, key, { value, enumerable: true });
    else members[key] = value;
    if (peekCharacter(cursor) === ",") cursor.at++;
  }
  cursor.at++;
  return members;
};

const readList = (cursor: TextCursor): unknown[] => {
  const items: unknown[] = [];
  cursor.at++;
  while (peekCharacter(cursor) !== "]") {
    items.push(readValue(cursor));
    if (peekCharacter(cursor) === ",") cursor.at++;
  }
  cursor.at++;
  return items;
};

const readString = (cursor: TextCursor): string => {
  peekCharacter(cursor);
  const start = cursor.at;
  let end = start + 1;
  while (cursor.text[end] !== '"') end += cursor.text[end] === "\\" ? 2 : 1;
  cursor.at = end + 1;
  return JSON.parse(cursor.text.slice(start, end + 1));
};

const readLiteral = (cursor: TextCursor): unknown => {
  const start = cursor.at;
  while (cursor.at < cursor.text.length && !",]} \n\r\t".includes(cursor.text[cursor.at]!)) cursor.at++;
  return JSON.parse(cursor.text.slice(start, cursor.at));
};

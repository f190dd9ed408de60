const invisible = /[\p{C}\p{Z}]/u;

/** Control characters, format characters and every kind of space: a message names them by number. */
export const isInvisible = (character: string): boolean => invisible.test(character);

const invisible = /[\p{C}\p{Z}]/u;

export const isInvisible = (character: string): boolean => invisible.test(character);

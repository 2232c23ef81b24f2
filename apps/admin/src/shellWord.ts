/** Text as a shell reads it back, for commands that are shown to be pasted. */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_./,:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

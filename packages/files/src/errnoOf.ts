/** The errno's name (`ENOENT`) of what a call of `node:fs` threw; empty when it is something else. */
export const errnoOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''

import { fileURLToPath } from 'node:url'

/** The program of a reader process; the same relative path from the sources, their build, and the server's bundle. */
export const readerFile = fileURLToPath(new URL('../dist/reader.js', import.meta.url))

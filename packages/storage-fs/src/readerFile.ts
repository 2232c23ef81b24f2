import { fileURLToPath } from 'node:url'

/** The program of a reader process, found from the sources, from what is built of them, and from the server's bundle. */
export const readerFile = fileURLToPath(new URL('../dist/reader.js', import.meta.url))
